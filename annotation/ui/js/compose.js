// <grga-compose>: a question written by hand, its evidence marked in the meeting.

class Compose extends HTMLElement {
  #seen = new IntersectionObserver(([entry]) => { if (entry.isIntersecting && !this.children.length) this.#frame(); });
  #marks = [];
  #meeting = null;

  connectedCallback() { this.#seen.observe(this); }
  disconnectedCallback() { this.#seen.disconnect(); }

  async #frame() {
    let setup;
    try { setup = await asked("setup.json"); } catch (error) { return this.replaceChildren(make("p", { class: "g-soft" }, error.message)); }
    const field = (tag, name, label, more = {}) => {
      const node = make(tag, { class: "g-field", id: `compose-${name}`, ...more });
      this[name] = node;
      return make("div", { class: "g-compose-field" }, null, make("label", { for: node.id }, label), node);
    };
    const rows = [
      field("select", "meeting", text("Meeting")), field("textarea", "question", text("Question"), { rows: 2, maxlength: 2000 }),
      field("textarea", "answer", text("Answer"), { rows: 2, maxlength: 8000 }), field("select", "type", text("Type")), field("select", "subtask", text("Subtask")),
      field("input", "find", text("Find the lines that prove it"), { type: "search", placeholder: text("Words that were said") }),
    ];
    this.meeting.append(make("option", { value: "" }, text("Choose a meeting")), ...setup.meetings.map(({ id, title }) => make("option", { value: id }, title)));
    this.type.append(...Object.keys(setup.types).map((one) => make("option", { value: one }, text(one))));
    const fill = () => this.subtask.replaceChildren(...setup.types[this.type.value].map((one) => make("option", { value: one }, text(one))));
    fill();
    this.type.addEventListener("change", fill);
    this.meeting.addEventListener("change", () => { this.#marks = []; this.#lines(); });
    this.find.addEventListener("input", () => this.#lines());
    this.found = make("ul", { class: "g-compose-lines" });
    this.silent = make("input", { type: "checkbox" });
    this.said = make("div", { role: "status" });
    const save = makeButton(text("Propose it"), text("Propose it"), () => this.#save(), { class: "g-small g-strong-ink" });
    this.replaceChildren(...rows, this.found, make("label", { class: "g-update" }, null, this.silent, text("The meeting does not say: no evidence")), make("div", { class: "g-compose-row" }, null, save), this.said);
    this.#lines();
  }

  // The marked lines first, then those that hold every word.
  async #lines() {
    if (!this.meeting.value) return this.found.replaceChildren();
    let lines;
    try { lines = await material.lines(this.meeting.value); } catch (error) { return this.found.replaceChildren(make("li", { class: "g-soft" }, error.message)); }
    const words = this.find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = words.length ? lines.filter((line) => !this.#marks.includes(line.utt_id) && words.every((word) => `${line.speaker.name} ${line.text}`.toLowerCase().includes(word))).slice(0, 12) : [];
    const row = (line) => {
      const box = make("input", { type: "checkbox", "aria-label": text("Evidence: {line}", { line: line.text }) });
      box.checked = this.#marks.includes(line.utt_id);
      box.addEventListener("change", () => {
        this.#marks = box.checked ? [...this.#marks, line.utt_id].sort((a, b) => a - b) : this.#marks.filter((id) => id !== line.utt_id);
        this.#lines();
      });
      return make("li", {}, null, make("label", {}, null, box, make("span", { class: "g-num g-soft" }, clock(line.start)), chip(line.speaker), make("span", {}, line.text)));
    };
    this.found.replaceChildren(...this.#marks.map((id) => row(lines[id])), ...fits.map(row));
  }

  async #save() {
    const name = kept.read("name", "");
    const say = (line, kind) => this.said.replaceChildren(make("div", { class: `g-notice ${kind}` }, line[0].toUpperCase() + line.slice(1)));
    if (!name) return say(text("Say who you are under Verify first."), "warn");
    if (!this.meeting.value || !this.question.value.trim() || !this.answer.value.trim()) return say(text("A meeting, a question and an answer are needed."), "warn");
    try {
      const lines = await material.lines(this.meeting.value);
      const marks = this.silent.checked ? [] : this.#marks.map((id) => ({ utt_id: id, start: lines[id].start, end: lines[id].end }));
      const { checks } = await asked("items", { name, meeting: this.meeting.value, type: this.type.value, subtask: this.subtask.value, question: this.question.value, answer: this.answer.value, answerable: !this.silent.checked, marks });
      const wrong = checks.filter((one) => !one.passed);
      say(wrong.length ? text("It is proposed. The checks say: {why}", { why: wrong.map((one) => `${text(one.name)}: ${one.reason}`).join("; ") }) : text("It is proposed and passes every check."), wrong.length ? "warn" : "ok");
      this.question.value = this.answer.value = this.find.value = "";
      this.#marks = [];
      this.#lines();
    } catch (error) { say(error.message, "bad"); }
  }
}

customElements.define("grga-compose", Compose);
