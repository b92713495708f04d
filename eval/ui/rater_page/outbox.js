// Every click stays in this browser until the server has acknowledged it: sent in order, again and again.
const WAITS = [1000, 2000, 4000, 8000, 15000];

class Outbox extends EventTarget {
  #key;
  #base;
  #memory = [];
  #pumping = false;
  trouble = false;

  constructor(base) {
    super();
    this.#base = base;
    this.#key = `rate ${base}`;
    addEventListener("online", () => this.dispatchEvent(new Event("again")));
  }

  get waiting() {
    try {
      return JSON.parse(localStorage.getItem(this.#key) ?? "[]");
    } catch {
      return this.#memory; // storage is switched off in this browser
    }
  }

  #keep(entries) {
    this.#memory = entries;
    try {
      if (entries.length) localStorage.setItem(this.#key, JSON.stringify(entries));
      else localStorage.removeItem(this.#key);
    } catch {
      // What is in memory is still sent.
    }
  }

  // The score that was clicked and is not acknowledged yet, or undefined.
  score(task, criterion) {
    return this.waiting.findLast(
      ({ path, body }) => path === "score" && body.task === task && body.criterion === criterion,
    )?.body.score;
  }

  add(path, body) {
    this.#keep([...this.waiting, { id: crypto.getRandomValues(new Uint32Array(2)).join("-"), path, body }]);
    this.dispatchEvent(new Event("change"));
    this.pump();
  }

  // Resolves once everything is acknowledged or refused.
  async idle() {
    while (this.waiting.length) await new Promise((done) => this.addEventListener("change", done, { once: true }));
  }

  async pump() {
    if (this.#pumping) return;
    this.#pumping = true;
    // Two tabs of one rater share what is waiting: one of them sends it.
    const alone = navigator.locks?.request.bind(navigator.locks, this.#key) ?? ((work) => work());
    await alone(async () => {
      for (let failed = 0, entry; (entry = this.waiting[0]); ) {
        const answer = await this.#post(entry);
        this.trouble = answer === null;
        if (answer === null) {
          this.dispatchEvent(new Event("change"));
          await this.#pause(WAITS[Math.min(failed++, WAITS.length - 1)]);
          continue;
        }
        failed = 0;
        this.#keep(this.waiting.filter(({ id }) => id !== entry.id));
        const what = answer.ok ? "saved" : "refused";
        this.dispatchEvent(new CustomEvent(what, { detail: { ...entry, said: answer.said } }));
        this.dispatchEvent(new Event("change"));
      }
    });
    this.#pumping = false;
  }

  async #post({ path, body }) {
    try {
      const answer = await fetch(`${this.#base}/${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
        keepalive: true,
      });
      if (answer.status >= 500 || answer.status === 429) return null;
      return { ok: answer.ok, said: await answer.json() };
    } catch {
      return null; // no connection, or no server at present
    }
  }

  #pause(milliseconds) {
    return new Promise((done) => {
      setTimeout(done, milliseconds);
      this.addEventListener("again", done, { once: true });
    });
  }
}
