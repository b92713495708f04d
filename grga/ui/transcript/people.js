// <grga-speakers data-source="…/transcript.json">: who speaks how much and about what; hear, name and merge them.

class Speakers extends HTMLElement {
  #live = null;

  connectedCallback() {
    this.#live = Live.of(this.dataset.source);
    this.#live.watch(this, (meeting) => this.#show(meeting));
  }

  disconnectedCallback() { this.#live.leave(this); }

  #show(meeting) {
    if (this.querySelector(".g-inplace")) return;  // never under somebody's fingers
    const list = make("ul", {}, null, ...meeting.speakers.map((speaker) => this.#row(meeting, speaker)));
    this.replaceChildren(make("div", { class: "g-title" }, text("Speakers"), make("span", {}, meeting.speakers.length)), list);
  }

  #row(meeting, speaker) {
    const name = chip(speaker), told = speaker.role && speaker.role.toLowerCase() !== speaker.name.toLowerCase();
    const rename = iconButton(text("Rename {name}", { name: speaker.name }), "edit", () => editInPlace(name, speaker.name, text("Name of the speaker"), 80,
      async (value) => { await sendEdit(meeting.id, { kind: "rename", speaker: speaker.id, name: value }); this.#later(); }), { class: "g-sign" });
    const merge = iconButton(text("Merge {name} into another speaker", { name: speaker.name }), "merge", () => this.#merge(meeting, speaker, merge), { class: "g-sign" });
    const hear = iconButton(text("Hear a sample of {name}", { name: speaker.name }), "hear", () => timelineOf(this)?.playAll(speaker.samples), { class: "g-sign g-hear" });
    return make("li", { style: `--c:var(--g-s${speaker.hue})`, "data-speaker": speaker.id }, null,
      make("div", { class: "g-person" }, null, name, ...(told ? [make("span", { class: "g-soft" }, speaker.role)] : [])),
      make("div", { class: "g-person-tools" }, null, ...(meeting.audio && speaker.samples.length ? [hear] : []), rename, ...(meeting.speakers.length > 1 ? [merge] : [])),
      make("div", { class: "g-bar" }, null, make("i", { style: `width:${(100 * speaker.share).toFixed(1)}%` })),
      make("span", { class: "g-num g-soft g-share" }, `${Math.round(100 * speaker.share)} % · ${clock(speaker.seconds)}`),
      ...(speaker.keywords ? [make("p", { class: "g-soft" }, speaker.keywords)] : []));
  }

  // The field has just closed: now the panel may be drawn again.
  #later() { queueMicrotask(() => setTimeout(() => this.#live.value && this.#show(this.#live.value))); }

  #merge(meeting, speaker, anchor) {
    const title = text("{name} is the same person as …", { name: speaker.name });
    openMenu(anchor, title, [title, ...meeting.speakers.filter((other) => other !== speaker).map((other) => ({
      content: chip(other), act: () => sendChange(this, { kind: "merge", speaker: speaker.id, into: other.id }),
    }))]);
  }
}

customElements.define("grga-speakers", Speakers);
