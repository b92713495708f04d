// What is heard and read beside an item: the lines of its meeting and the loudness of its recording, fetched
// once per meeting and visit.

const material = (() => {
  const lines = new Map(), peaks = new Map();

  const once = (kept, id, fetching) => {
    if (!kept.has(id)) kept.set(id, fetching().catch((error) => { kept.delete(id); throw error; }));
    return kept.get(id);
  };

  const readLines = async (id) => {
    const reply = await fetch(`grga/meetings/${encodeURIComponent(id)}/transcript.json`);
    if (!reply.ok) throw new Error(await sentenceOf(reply));
    const { speakers, lines: rows } = await reply.json();
    return rows.map(([start, end, place, said], utt_id) => ({ utt_id, start, end, speaker: speakers[place], text: said }));
  };

  const readPeaks = async (id) => {
    const reply = await fetch(`grga/meetings/${encodeURIComponent(id)}/peaks`);
    if (!reply.ok) throw new Error(await sentenceOf(reply));
    return new Uint8Array(await reply.arrayBuffer());
  };

  return {
    lines: (id) => once(lines, id, () => readLines(id)),
    peaks: (id) => once(peaks, id, () => readPeaks(id)),
  };
})();

// Ask one of our own addresses. Throws Refused for what the server does not accept, another error when it
// cannot be reached or cannot work at present.
const asked = async (path, posted = undefined) => {
  const options = posted === undefined ? { cache: "no-store" }
    : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(posted) };
  const reply = await fetch(`grga/annotate/${path}`, options);
  if (reply.ok) return reply.json();
  const sentence = await sentenceOf(reply);
  throw reply.status < 500 ? new Refused(sentence, reply.status) : new Error(sentence);
};

// What the browser keeps for this visitor; without storage nothing is kept.
const kept = {
  read: (key, otherwise) => {
    try { return JSON.parse(localStorage.getItem(`grga-annotate:${key}`)) ?? otherwise; } catch { return otherwise; }
  },
  write: (key, value) => {
    try {
      if (value === null) localStorage.removeItem(`grga-annotate:${key}`);
      else localStorage.setItem(`grga-annotate:${key}`, JSON.stringify(value));
      return true;
    } catch { return false; }
  },
};
