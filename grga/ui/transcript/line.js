// One line of the transcript, and what a click into it means.

// A line of the document as an object.
const readLine = ([start, end, who, said, confidence, edited, silent, words, sound = {}], number) =>
  ({ number, start, end, who, said, confidence, edited, silent, words, sound });

// What is heard in a line beside its words, each in the reader's words: an emotion, sounds, a second speaker.
const heardIn = ({ sound }, speakers) => [
  ...(sound.mood ? [sound.sure ? text(sound.mood) : text("perhaps {emotion}", { emotion: text(sound.mood) })] : []),
  ...(sound.events ?? []).map((event) => text(event)),
  ...(sound.beside === undefined ? [] : [text("{name} talks too", { name: speakers[sound.beside].name })]),
];
const HEARD_TITLES = () => ({ mood: text("How it sounds to an emotion model"), event: text("Heard beside the words"), beside: text("Two speak at once here") });
const kindsOfHeard = ({ sound }) => [...(sound.mood ? ["mood"] : []), ...(sound.events ?? []).map(() => "event"), ...(sound.beside === undefined ? [] : ["beside"])];

// The second of the word that holds a character of the line's text.
const timeOfWord = (line, character) => {
  let place = 0, time = line.start, found = line.start;
  for (let i = 0; i < line.words.length; i += 2) {
    place += line.words[i];
    time += line.words[i + 1] / 100;
    if (place > character) break;
    found = time;
  }
  return found;
};

// The character of `paragraph` at a point of the window, null beside the text.
const characterAt = (paragraph, x, y) => {
  const at = document.caretPositionFromPoint?.(x, y) ?? document.caretRangeFromPoint?.(x, y);
  const node = at?.offsetNode ?? at?.startContainer, offset = at?.offset ?? at?.startOffset;
  if (!node || !paragraph.contains(node)) return null;
  const range = document.createRange();
  range.selectNodeContents(paragraph);
  const inside = [...range.getClientRects()].some((box) => x >= box.left - 2 && x <= box.right + 2 && y >= box.top && y <= box.bottom);
  if (!inside) return null;
  range.setEnd(node, offset);
  return range.toString().length;
};

// Fill a line's node. `speaker` is shown when a turn begins; `draft` is what is typed and not yet saved.
const fillLine = (node, line, { speaker, speakers, begins, find, draft }) => {
  const shown = draft?.value ?? line.said, marks = [];
  const unsure = line.confidence !== null && line.confidence < 0.5 && !line.edited;
  const kinds = kindsOfHeard(line), titles = HEARD_TITLES();
  heardIn(line, speakers).forEach((heard, i) =>
    marks.push(make("span", { class: `g-mark g-heard ${find.asideState(line.number, heard)}`, title: titles[kinds[i]] }, heard)));
  if (unsure) marks.push(make("span", { class: "g-mark", title: text("Recognised with low confidence") }, text("unsure {n} %", { n: Math.round(100 * line.confidence) })));
  if (line.silent) marks.push(make("span", { class: "g-mark", title: text("Much quieter than the rest of the meeting: the words may be made up") }, text("probably silence")));
  if (line.edited) marks.push(make("span", { class: "g-mark" }, text("edited")));
  if (draft) marks.push(make("span", { class: "g-mark warn" }, text("not saved yet")));
  const paragraph = make("p", unsure || line.silent ? { class: "g-unsure" } : {}, null, ...find.marked(line.number, shown));
  const tool = (name, label) => make("button", { type: "button", tabindex: "-1", "data-tool": name, title: label, "aria-label": label }, null, icon(name));
  node.style.setProperty("--c", `var(--g-s${speaker.hue})`);
  node.classList.toggle("begins", begins);
  node.replaceChildren(
    make("button", { type: "button", class: "g-num g-line-time", tabindex: "-1", "data-tool": "play", "aria-label": text("Play from {time}", { time: clock(line.start) }) }, clock(line.start)),
    make("div", { class: "g-line-said" }, null, ...(begins ? [chip(speaker)] : []), paragraph,
      ...(marks.length ? [make("div", { class: "g-line-marks" }, null, ...marks)] : [])),
    make("div", { class: "g-line-tools" }, null, tool("edit", text("Edit this line (E)")),
      tool("who", text("Who says this? (S)")), tool("graph", text("Connections (C)"))));
};
