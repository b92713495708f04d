// <grga-history data-source="…/edits">: who changed what and when, the last fifty edits; opened on demand.

class EditHistory extends HTMLElement {
  #live = null;

  connectedCallback() {
    this.list = make("ol", { class: "g-edits" });
    const step = (label, kind) => makeButton(label, label, () => sendChange(this, { kind }), { class: "g-small" });
    this.undo = step(text("Undo"), "undo");
    this.redo = step(text("Redo"), "redo");
    this.box = make("details", {}, null, make("summary", {}, text("History of edits")),
      make("div", { class: "g-edits-tools" }, null, this.undo, this.redo), this.list);
    this.replaceChildren(this.box);
    this.box.addEventListener("toggle", () => { if (this.box.open) this.#load(); });
    // Whatever changes the meeting changes its history.
    this.#live = Live.of(this.dataset.source.replace(/edits$/, "transcript.json"));
    this.#live.watch(this, (meeting) => {
      this.undo.disabled = meeting.undo === null;
      this.redo.disabled = meeting.redo === null;
      if (this.box.open) this.#load();
    });
  }

  disconnectedCallback() { this.#live.leave(this); }

  async #load() {
    const reply = await fetch(this.dataset.source, { cache: "no-store" });
    if (!reply.ok) return this.list.replaceChildren(make("li", { class: "g-bad" }, await sentenceOf(reply)));
    const { edits } = await reply.json();
    this.list.replaceChildren(...(edits.length ? edits.map((edit) => this.#row(edit))
      : [make("li", { class: "g-soft" }, text("Nothing has been changed. Names, lines and speakers that you correct are listed here and can be undone."))]));
  }

  #row(edit) {
    const who = edit.mine ? text("you") : edit.by.startsWith("visitor ") ? text("another visitor") : edit.by;
    const when = new Date(edit.at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
    const notes = [when, ...(who ? [who] : []), ...(edit.undone ? [text("undone")] : edit.applies ? [] : [text("no longer fits")])];
    return make("li", edit.undone || !edit.applies ? { class: "gone" } : {}, null,
      make("span", {}, edit.summary), make("span", { class: "g-soft g-num" }, notes.join(" · ")));
  }
}

customElements.define("grga-history", EditHistory);
