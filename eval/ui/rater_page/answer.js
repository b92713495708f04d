// The question, the answer with its cited moments, and what can be heard.
class Answer {
  #task;
  #player;
  #rows = new Map();
  node;

  constructor(task, player) {
    this.#task = task;
    this.#player = player;
    this.node = make(
      "article",
      { class: "panel answer", "aria-label": text("Question and answer") },
      task.training ? make("span", { class: "badge" }, text("Practice")) : null,
      make("p", { class: "label" }, text("Question")),
      make("h1", { tabindex: -1 }, task.question),
      task.reference ? [make("p", { class: "label" }, text("Right answer")), make("p", { class: "reference" }, task.reference)] : null,
      make("p", { class: "label" }, text("Answer to rate")),
      make("p", { class: "words" }, this.#words()),
      task.clips.length ? [make("p", { class: "label" }, text("Cited moments")), make("ol", { class: "clips" }, task.clips.map((clip) => this.#row(clip)))] : null,
    );
    this.showPlaying();
  }

  // [1] becomes a button that plays the first moment.
  #words() {
    return this.#task.text.split(/\s*(\[\d{1,3}\])/).map((part) => {
      const clip = this.#task.clips[Number(part.match(/^\[(\d+)\]$/)?.[1]) - 1];
      if (!clip) return part;
      const label = text("Play moment {n}", { n: clip.number });
      return make("button", { type: "button", class: "pill", "aria-label": label, onclick: () => this.#play(clip) }, String(clip.number));
    });
  }

  #row(clip) {
    const play = make("button", { type: "button", class: "play", onclick: () => this.#play(clip) });
    const heard = make("span", { class: "heard" });
    const bar = make("i");
    this.#rows.set(clip.id, { clip, play, heard, bar });
    return make(
      "li",
      {},
      play,
      make(
        "div",
        {},
        make("p", { class: "who" }, make("span", { class: "pill still", "aria-hidden": "true" }, String(clip.number)), clip.speaker ? make("b", {}, clip.speaker) : null, make("span", {}, text("{n} s", { n: Math.max(1, Math.round(clip.seconds)) })), heard),
        clip.text ? make("blockquote", {}, clip.text) : null,
        make("div", { class: "bar", "aria-hidden": "true" }, bar),
      ),
    );
  }

  #play(clip) {
    this.#player.toggle(this.#task.id, clip.id);
  }

  // Show what plays and what was heard, without building anything anew.
  showPlaying() {
    for (const [id, { clip, play, bar }] of this.#rows) {
      const current = this.#player.clip === id;
      const playing = current && this.#player.playing;
      play.classList.toggle("on", playing);
      play.setAttribute("aria-label", text(playing ? "Pause moment {n}" : "Play moment {n}", { n: clip.number }));
      bar.style.width = current ? `${this.#player.share * 100}%` : "0";
    }
  }

  showHeard(task) {
    for (const { id, heard } of task.clips) {
      this.#rows.get(id).heard.textContent = heard ? `✓ ${text("heard")}` : "";
    }
  }
}
