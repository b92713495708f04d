// <grga-heading data-source="…/transcript.json" data-facts='["3 Mar 2026", …]'>: title and facts of the meeting;
// the title is renamed where it stands.

class Heading extends HTMLElement {
  #live = null;

  connectedCallback() {
    this.#live = Live.of(this.dataset.source);
    this.#live.watch(this, (meeting) => this.#show(meeting));
  }

  disconnectedCallback() { this.#live.leave(this); }

  #show(meeting) {
    if (this.querySelector(".g-inplace")) return;
    const speakers = meeting.speakers.length, lines = meeting.lines.length;
    const facts = [clock(meeting.duration), speakers === 1 ? text("1 speaker") : text("{n} speakers", { n: speakers }),
      lines === 1 ? text("1 line") : text("{n} lines", { n: lines }), ...JSON.parse(this.dataset.facts)];
    const title = make("h2", {}, meeting.title);
    const rename = iconButton(text("Rename the meeting"), "edit", () => editInPlace(title, meeting.title, text("Title of the meeting"), 200,
      async (value) => { await sendEdit(meeting.id, { kind: "title", title: value }); setTimeout(() => this.#show(this.#live.value)); }), { class: "g-sign" });
    this.replaceChildren(make("div", { class: "g-heading" }, null, title, rename), make("p", { class: "g-soft g-num" }, facts.join(" · ")));
  }
}

customElements.define("grga-heading", Heading);
