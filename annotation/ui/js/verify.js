// <grga-verify>: one annotator, blind to all others.

const aboutItem = (task) => {
  const hops = task.hops === 0 ? text("one piece of evidence, or none") : task.hops === 1 ? text("1 step in the graph") : text("{n} steps in the graph", { n: task.hops });
  return [
    sideHeading(text("Checked before you")), make("ul", { class: "g-checks" }, null, make("li", { class: "g-soft" }, text("Checking…"))),
    sideHeading(text("Hops")), sideLine(`${task.hops} · ${hops}`),
    ...(task.reasoning ? [sideHeading(text("Why this answer")), make("details", { class: "g-why-answer" }, null, make("summary", {}, text("As the generator tells it")), make("p", { class: "g-soft" }, task.reasoning))] : []),
    sideHeading(text("Guideline")), sideLine(BY_TYPE[task.type]), sideLine(RULES[0][1][0]),
    sideHeading(text("Made by")), sideLine([task.made.name === "offline" ? text("offline generator") : task.made.name, task.made.prompt, task.batch,
      task.made.accepted === null ? "" : text("{n} % of its questions accepted so far", { n: Math.round(100 * task.made.accepted) })].filter(Boolean).join(" · ")),
    sideHeading(text("Meeting")), sideLine(task.meeting.title),
  ];
};

class Verify extends Bench {
  paths = { next: "next", send: "verdict", role: "annotator" };
  get welcome() { return text("Who is verifying?"); }
  get acceptLabel() { return text("Accept"); }
  beside(task) { return aboutItem(task); }
  ious(spans) { return this.task.evidence.length ? [[text("IoU with the proposal"), temporalIoU(spans, spansOf(this.task.evidence))]] : []; }
  progressOf({ yours, left }) { return [yours, yours + left]; }

  nothing({ yours, total }) {
    if (!total) return [text("No questions yet"), text("Generate some from a meeting, write one by hand, or import a file.")];
    if (!yours) return [text("Nothing waits for you"), text("Everything is verified, or others have it in front of them.")];
    return [text("You are done"), text("You have judged {n}. When more questions are made, they appear here.", { n: yours })];
  }
}

customElements.define("grga-verify", Verify);
