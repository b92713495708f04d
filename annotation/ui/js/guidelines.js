// What a good item is: whole on its own page, and what matters for one type beside an item.

const RULES = [
  [text("Accept"), [
    text("Accept only if a listener who hears the marked stretches, and nothing else, would give this answer."),
    text("The evidence starts with the first word that matters and ends with the last one."),
    text("Somebody who does not know this meeting must understand the question."),
  ]],
  [text("Edit"), [
    text("Edit what a small change makes right: a wrong name, a loose wording, an answer that says too much."),
    text("Move the ends of the evidence where they are off. Moving them alone is no edit of the words: accept."),
    text("If your evidence and the proposed one share 90 % or less, a second look follows by somebody else."),
  ]],
  [text("Reject"), [
    text("Hallucinated: the answer is not what was said or heard."),
    text("Ambiguous: two people could answer differently and both be right."),
    text("Trivial: it can be answered without the meeting, or asks about a mere “mm-hmm”."),
    text("Wrong type: it asks for something else than its type and subtask say."),
    text("Stereotype: it guesses at people from how they sound or where they come from."),
    text("Other: say why in the note."),
  ]],
  [text("Skip or flag"), [
    text("Skip what you cannot judge, such as a language you do not speak. It goes to somebody else."),
    text("Flag what somebody should look at: private matters, a damaged recording, a wrong transcript. Say why in the note."),
  ]],
  [text("On your own"), [
    text("Judge alone. You do not see what others said, and some questions are there to measure how careful we all are."),
  ]],
];

const BY_TYPE = {
  factual: text("A fact that was said: who, what, which. The answer stands in the words of the evidence."),
  inferential: text("A reason, a reference or a stance. The evidence holds both sides: the cause and the effect, the word and what it means."),
  temporal: text("When, in which order, how often, how long. Count and time it yourself; every counted moment is evidence."),
  summarization: text("What a stretch or a person is about. Nothing important is missing, nothing is made up."),
  acoustic: text("It must be heard: with the transcript alone nobody could answer. Listen before you judge."),
};

class Guidelines extends HTMLElement {
  connectedCallback() {
    const rules = RULES.map(([title, lines]) => make("section", {}, null, make("h3", {}, title),
      make("ul", {}, null, ...lines.map((line) => make("li", {}, line)))));
    const kinds = make("section", {}, null, make("h3", {}, text("The five types")),
      make("dl", {}, null, ...Object.entries(BY_TYPE).flatMap(([kind, line]) => [make("dt", {}, text(kind)), make("dd", {}, line)])));
    this.replaceChildren(make("h2", {}, text("How to judge")), ...rules, kinds);
  }
}

customElements.define("grga-guidelines", Guidelines);
