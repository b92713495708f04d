// Documents of the server that stay true while the page is open: asked for again every few seconds with the
// last revision, which the server answers with "not modified" (304) unless somebody edited the meeting.

const POLL = 4000;

class Live extends EventTarget {
  static #all = new Map();
  #tag = "";
  #asking = null;
  #watchers = new Map();

  // The document at `address`; elements that watch the same address share one.
  static of(address) {
    if (!Live.#all.has(address)) Live.#all.set(address, new Live(address));
    return Live.#all.get(address);
  }

  // Ask at once for every watched document below `address`.
  static refresh(address) {
    return Promise.allSettled([...Live.#all.values()]
      .filter((one) => one.#watchers.size && one.address.startsWith(address)).map((one) => one.refresh()));
  }

  static poll() {
    if (document.visibilityState !== "visible") return;
    for (const one of Live.#all.values())
      if ([...one.#watchers.keys()].some((element) => element.checkVisibility())) one.refresh().catch(() => {});
  }

  constructor(address) {
    super();
    this.address = address;
    this.value = null;
  }

  // Call `act(value)` now if there is a value, and after every change, until `element` leaves the page.
  watch(element, act) {
    this.#watchers.set(element, act);
    if (this.value) act(this.value);
  }

  leave(element) {
    this.#watchers.delete(element);
    if (!this.#watchers.size) Live.#all.delete(this.address);
  }

  // Fetch unless unchanged. A refresh asked for while one is under way sees what was true after the asking.
  async refresh() {
    if (this.#asking) {
      await this.#asking.catch(() => {});
      return this.#asking ?? this.refresh();
    }
    this.#asking = this.#ask().finally(() => { this.#asking = null; });
    return this.#asking;
  }

  async #ask() {
    const headers = this.#tag ? { "If-None-Match": this.#tag } : {};
    const reply = await fetch(this.address, { headers, cache: "no-store" });
    if (reply.status === 304) return;
    if (!reply.ok) throw new Refused(await sentenceOf(reply), reply.status);
    this.#tag = reply.headers.get("ETag") ?? "";
    this.value = await reply.json();
    for (const act of [...this.#watchers.values()]) act(this.value);
  }
}

// What the server said no to, in its sentence; nothing of this kind is tried again.
class Refused extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

const sentenceOf = async (reply) => {
  try { return (await reply.json()).error ?? reply.statusText; } catch { return reply.statusText; }
};

// Send one edit (or {kind: "undo"}, {kind: "redo"}) and let every part of the page follow.
// Throws Refused for what the server does not accept, another error when it cannot be reached.
const sendEdit = async (meeting, body) => {
  const folder = `grga/meetings/${meeting}/`;
  const reply = await fetch(`${folder}edits`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  if (!reply.ok) {
    const sentence = await sentenceOf(reply);
    throw reply.status < 500 ? new Refused(sentence, reply.status) : new Error(sentence);
  }
  const told = await reply.json();
  await Live.refresh(folder);
  return told;
};

setInterval(Live.poll, POLL);
document.addEventListener("visibilitychange", Live.poll);
