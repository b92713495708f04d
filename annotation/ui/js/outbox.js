// Verdicts on their way to the server. Each is kept in the browser until the server has said that it is on
// disk; what could not be sent is sent again, also by the next page. The server takes the same verdict once.

const RETRY = [1000, 2000, 4000, 8000, 15_000];

class Outbox extends EventTarget {
  #waiting = kept.read("outbox", []);
  #timer = null;
  #tries = 0;
  #busy = false;
  saved = null;   // when the last verdict was acknowledged
  trouble = "";   // why the first one waits

  constructor() {
    super();
    addEventListener("online", () => this.flush());
  }

  get size() { return this.#waiting.length; }

  // Send {path, body}; `done(reply)` or `refused(error)` follow. Both are forgotten with the page, the verdict is not.
  send(path, posted, done, refused) {
    this.#waiting.push({ path, body: posted, done, refused });
    this.#keep();
    this.flush();
  }

  async flush() {
    if (this.#busy || !this.#waiting.length) return;
    clearTimeout(this.#timer);
    this.#busy = true;
    const first = this.#waiting[0];
    try {
      const reply = await asked(first.path, first.body);
      this.#end();
      this.saved = Date.now();
      first.done?.(reply);
    } catch (error) {
      if (error instanceof Refused) {
        this.#end();
        first.refused?.(error);
      } else {
        this.#busy = false;
        this.trouble = error instanceof TypeError ? "" : error.message;
        this.#timer = setTimeout(() => this.flush(), RETRY[Math.min(this.#tries++, RETRY.length - 1)]);
        this.#tell();
      }
      return;
    }
    this.flush();
  }

  #end() {
    this.#waiting.shift();
    this.#busy = false;
    this.#tries = 0;
    this.trouble = "";
    this.#keep();
  }

  #keep() {
    kept.write("outbox", this.#waiting.length ? this.#waiting.map(({ path, body }) => ({ path, body })) : null);
    this.#tell();
  }

  #tell() { this.dispatchEvent(new Event("change")); }
}

const outbox = new Outbox();

// What somebody has changed on an item and not sent yet, and of the last items what they sent, for Undo.
const MOST_DRAFTS = 40;
const drafts = {
  read: (key) => kept.read("drafts", {})[key] ?? null,
  write: (key, draft) => {
    const { [key]: _, ...others } = kept.read("drafts", {});
    if (draft) others[key] = draft;
    kept.write("drafts", Object.fromEntries(Object.entries(others).slice(-MOST_DRAFTS)));
  },
};
