// The page's only player. It counts the seconds that were really played and reports them.
const REPORT = 4; // seconds: as much as the server ever wants to hear before it unlocks

class Player extends EventTarget {
  #audio;
  #base;
  #played = 0;
  #last = 0;
  clip = null;
  task = null;

  constructor(audio, base) {
    super();
    this.#audio = audio;
    this.#base = base;
    audio.addEventListener("timeupdate", () => this.#count());
    for (const name of ["pause", "ended"]) audio.addEventListener(name, () => (this.#count(), this.#report()));
    audio.addEventListener("seeking", () => (this.#last = audio.currentTime));
    for (const name of ["play", "pause", "ended", "timeupdate"]) audio.addEventListener(name, () => this.#changed());
    audio.addEventListener("error", () => this.clip && this.dispatchEvent(new Event("silent")));
    addEventListener("pagehide", () => this.#report());
  }

  get playing() {
    return this.clip !== null && !this.#audio.paused;
  }

  get share() {
    return this.#audio.duration ? this.#audio.currentTime / this.#audio.duration : 0;
  }

  toggle(task, clip) {
    if (this.clip === clip && !this.#audio.paused) return this.#audio.pause();
    if (this.clip !== clip || this.#audio.error) {
      this.stop();
      [this.task, this.clip, this.#last] = [task, clip, 0];
      this.#audio.src = `${this.#base}/clip/${clip}.wav`;
    }
    // A refusal to play shows itself as the error event above, or as a button that still says "play".
    this.#audio.play().catch(() => this.#changed());
  }

  stop() {
    this.#audio.pause();
    this.#report();
    this.clip = null;
    this.#changed();
  }

  #count() {
    const step = this.#audio.currentTime - this.#last;
    this.#last = this.#audio.currentTime;
    if (step > 0 && step < 2) this.#played += step;
    if (this.#played >= REPORT) this.#report();
  }

  #report() {
    const seconds = Math.round(this.#played * 100) / 100;
    this.#played = 0;
    if (this.clip === null || seconds < 0.1) return;
    this.dispatchEvent(new CustomEvent("heard", { detail: { task: this.task, clip: this.clip, seconds } }));
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
