// <grga-settle>: the adjudicator sees what the annotators said, under letters, and has the last word.

class Settle extends Bench {
  paths = { next: "dispute", send: "settle", role: "adjudicator" };
  canFlag = false;
  rows = [[["1", "2"], text("take version A or B")], [["0"], text("take the proposal")]];
  keys = { 0: () => this.take(null), 1: () => this.take(0), 2: () => this.take(1), 3: () => this.take(2) };

  get welcome() { return text("Who is adjudicating?"); }
  get acceptLabel() { return text("Settle as shown"); }
  progressOf({ yours, adjudication }) { return [yours, yours + adjudication]; }
  layers(task) { return task.versions.filter(({ kind }) => kind === "accept" || kind === "edit").map(({ letter, evidence }) => ({ letter, spans: spansOf(evidence) })); }

  ious(spans) {
    const others = this.task.versions.filter(({ kind }) => kind === "accept" || kind === "edit");
    return [[text("IoU with the proposal"), temporalIoU(spans, spansOf(this.task.evidence))],
      ...others.map(({ letter, evidence }) => [text("with {letter}", { letter }), temporalIoU(spans, spansOf(evidence))])];
  }

  nothing({ adjudication }) {
    return adjudication ? [text("Nothing for you to settle"), text("What is disputed, you have judged yourself or somebody else is settling.")]
      : [text("No disputes"), text("Questions come here when verdicts differ, evidence overlaps by 0.90 or less, or somebody raises a flag.")];
  }

  // Version `place` (or the proposal) becomes what is shown; it is settled by the next A, E or R.
  take(place) {
    const version = place === null ? this.task : this.task.versions[place];
    if (!version) return;
    if (version.kind === "reject") return this.give("reject", version.reason);
    const { question, answer, type, subtask, evidence } = version;
    Object.assign(this.draft, { question, answer, type, subtask });
    this.editor.marks = evidence;
    this.redraw();
  }

  before(task) {
    const between = task.between === null ? "" : text("IoU of the two: {iou}", { iou: iouText(task.between) });
    return [make("section", { class: "g-panel g-versions", "aria-label": text("What the annotators said") }, null,
      make("p", { class: "g-dispute" }, null, make("b", {}, text("In dispute:")), ` ${task.dispute}`, ...(between ? [make("span", { class: "g-soft g-num" }, ` · ${between}`)] : [])),
      make("div", { class: "g-versions-row" }, null, ...task.versions.map((one, place) => this.#version(one, place))))];
  }

  #version({ letter, kind, reason, note, question, answer, type, subtask, evidence, iou }, place) {
    const told = { accept: text("accepts"), edit: text("edits"), reject: text("rejects"), skip: text("skips"), flag: text("flags") }[kind];
    const differs = (name, own) => own === this.task[name] ? [] : [make("p", { class: "g-differs" }, own)];
    const where = kind === "accept" || kind === "edit" ? [make("p", { class: "g-soft g-num" }, `${evidence.map((one) => `${fineClock(one.start)}–${fineClock(one.end)}`).join(", ")}${iou === null ? "" : ` · ${text("IoU with the proposal")} ${iouText(iou)}`}`)] : [];
    const usable = kind === "accept" || kind === "edit" || kind === "reject";
    const label = kind === "reject" ? text("Reject as {letter}", { letter }) : text("Take {letter}", { letter });
    const take = makeButton(label, label, () => this.take(place), { class: "g-small" });
    take.append(make("kbd", { "aria-hidden": "true" }, String(place + 1)));
    return make("div", { class: `g-version ${kind}` }, null, make("h3", {}, null, make("span", { class: "g-letter" }, letter), ` ${told}${reason ? ` (${text(reason)})` : ""}`),
      ...differs("question", question), ...differs("answer", answer), ...(type === this.task.type && subtask === this.task.subtask ? [] : [make("p", { class: "g-differs" }, `${text(type)} · ${text(subtask)}`)]),
      ...where, ...(note ? [make("p", { class: "g-soft" }, text("Note: {note}", { note }))] : []), ...(usable ? [take] : []));
  }

  beside(task) { return aboutItem(task); }
}

customElements.define("grga-settle", Settle);
