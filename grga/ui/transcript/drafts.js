// What is typed and not yet on the server. It is sent when typing pauses, sent again when the server could not
// be reached, and kept in the browser's storage so that a closed tab loses nothing.

const PAUSE = 800;
const LONGEST_WAIT = 30_000;

class Drafts extends EventTarget {
  static #all = new Map();
  #drafts = new Map();

  static of(meeting) {
    if (!Drafts.#all.has(meeting)) Drafts.#all.set(meeting, new Drafts(meeting));
    return Drafts.#all.get(meeting);
  }

  constructor(meeting) {
    super();
    this.meeting = meeting;
    this.key = `grga-drafts:${meeting}`;
    addEventListener("online", () => this.flushAll());
  }

  get(line) { return this.#drafts.get(line) ?? null; }
  get size() { return this.#drafts.size; }

  // "" (all is on the server), "typing", "saving", "waiting" for a lost connection, or a refusal's sentence.
  get state() {
    const all = [...this.#drafts.values()];
    const refused = all.find((draft) => draft.refused);
    if (refused) return refused.refused;
    return ["waiting", "saving", "typing"].find((state) => all.some((draft) => draft.state === state)) ?? "";
  }

  // `before` is the text that the typing began with.
  put(line, value, before) {
    const draft = this.#drafts.get(line) ?? { before, tries: 0, busy: false };
    clearTimeout(draft.timer);
    Object.assign(draft, { value, state: "typing", refused: "", timer: setTimeout(() => this.flush(line), PAUSE) });
    this.#drafts.set(line, draft);
    this.#changed();
  }

  // Let go of what was typed; what the server already has of it is set back to `before`.
  restore(line, shown, before) {
    if (shown !== before || this.#drafts.get(line)?.busy) {
      this.put(line, before, before);
      this.flush(line);
    } else {
      clearTimeout(this.#drafts.get(line)?.timer);
      this.#drafts.delete(line);
      this.#changed();
    }
  }

  // Take up what an earlier page left behind; `textOf(line)` is what the server has.
  recover(textOf) {
    let kept = {};
    try { kept = JSON.parse(localStorage.getItem(this.key) ?? "{}"); } catch { return 0; }  // no storage, nothing kept
    for (const [key, { value, before }] of Object.entries(kept)) {
      const line = Number(key), now = textOf(line);
      if (this.#drafts.has(line) || now === undefined || now === value) continue;
      this.put(line, value, before);
      if (now === before) this.flush(line);
      else {
        const draft = this.#drafts.get(line);
        clearTimeout(draft.timer);
        draft.refused = text("this line was changed elsewhere since; open it to keep your text");
      }
    }
    if (this.size) this.#changed();
    return this.size;
  }

  flushAll() { return Promise.all([...this.#drafts.keys()].map((line) => this.flush(line))); }

  async flush(line) {
    const draft = this.#drafts.get(line);
    if (!draft || draft.busy || draft.refused) return;
    clearTimeout(draft.timer);
    const sent = draft.value;
    Object.assign(draft, { state: "saving", busy: true });
    this.#changed();
    try {
      await sendEdit(this.meeting, { kind: "text", utterance: line, text: sent });
      draft.tries = 0;
    } catch (error) {
      draft.busy = false;
      if (error instanceof Refused) draft.refused = error.message;
      else {
        draft.state = "waiting";
        draft.timer = setTimeout(() => this.flush(line), Math.min(1000 * 2 ** draft.tries++, LONGEST_WAIT));
      }
      return this.#changed();
    }
    draft.busy = false;
    if (draft.value !== sent) {
      draft.timer = setTimeout(() => this.flush(line), PAUSE);
      draft.state = "typing";
    } else this.#drafts.delete(line);
    this.#changed();
  }

  #changed() {
    const kept = Object.fromEntries([...this.#drafts].map(([line, { value, before }]) => [line, { value, before }]));
    try {
      if (this.#drafts.size) localStorage.setItem(this.key, JSON.stringify(kept));
      else localStorage.removeItem(this.key);
    } catch { /* kept in the page */ }  // storage is full or blocked
    this.dispatchEvent(new Event("change"));
  }
}
