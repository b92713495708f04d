// The page's only player: one native <audio>, so that two things never sound at once.
// The server answers range requests, so seeking in an hour-long file fetches only what is heard.

class Player extends EventTarget {
  #audio = document.createElement("audio");
  #end = null;
  #next = [];
  #source = "";

  constructor() {
    super();
    this.#audio.preload = "metadata";
    this.#audio.id = "grga-audio";
    const place = () => document.body.append(this.#audio);
    document.body ? place() : addEventListener("DOMContentLoaded", place);
    for (const name of ["play", "pause", "seeked", "loadedmetadata", "ended", "ratechange"])
      this.#audio.addEventListener(name, () => this.#tell());
    this.#audio.addEventListener("timeupdate", () => this.#watch());
    this.#audio.addEventListener("play", () => this.#frame());
    this.#audio.addEventListener("error", () => this.dispatchEvent(new Event("error")));
  }

  get time() { return this.#audio.currentTime; }
  get playing() { return !this.#audio.paused; }
  get rate() { return this.#audio.playbackRate; }
  set rate(value) { this.#audio.defaultPlaybackRate = value; this.#audio.playbackRate = value; }
  holds(source) { return source !== null && this.#source === source; }

  // Take `source` (an address) without fetching more than its header.
  open(source) {
    if (this.#source === source) return;
    this.#audio.pause();
    this.#source = source;
    this.#end = null;
    this.#next = [];
    if (source) this.#audio.src = source; else this.#audio.removeAttribute("src");
  }

  // Play from `start`; stop at `end` (seconds), or play on when it is null.
  play(source, start, end = null) { this.playAll(source, [[start, end]]); }

  // Play spans [start, end] one after another.
  playAll(source, spans) {
    this.open(source);
    const [[start, end], ...next] = spans;
    this.#audio.currentTime = start;
    this.#end = end;
    this.#next = next;
    this.#audio.play().catch(() => this.#tell());  // refused or superseded: the button shows it
  }

  resume() { this.#audio.play().catch(() => this.#tell()); }
  pause() { this.#next = []; this.#audio.pause(); }
  seek(time) { this.#end = null; this.#next = []; this.#audio.currentTime = Math.max(0, time); this.#tell(); }

  #frame() {
    this.#watch();
    if (this.playing) requestAnimationFrame(() => this.#frame());
  }

  #watch() {
    if (this.#end !== null && this.#audio.currentTime >= this.#end && this.playing) {
      if (this.#next.length) this.playAll(this.#source, this.#next);
      else {
        this.#end = null;
        this.#audio.pause();
      }
    }
    this.#tell();
  }

  #tell() { this.dispatchEvent(new Event("time")); }
}

const player = new Player();
