// What Verify and Adjudicate share: who is working on what, one item at a time, its editor, the verdict on its
// way to the server, keys. Subclasses say what differs: `paths`, `beside(task)`, `ious(marks)`, `rows`.

const REASONS = ["hallucinated", "ambiguous", "trivial", "wrong type", "stereotype", "other"];
const LEAST = 0.9, NUDGE = 0.1;
const WORDS = ["question", "answer", "type", "subtask"];

let setup = null;
const readSetup = () => (setup ??= asked("setup.json").catch((error) => { setup = null; throw error; }));

class Bench extends HTMLElement {
  task = null;
  draft = null;
  #name = kept.read("name", "");
  #where = kept.read("where", { meeting: "", batch: "" });
  #progress = null;
  #last = "";        // key of the item that Undo brings back
  #state = "start";  // start, asking (who it is), loading, item, sending, none
  #began = 0;
  #again = null;
  #onKey = (event) => this.#key(event);
  #onOutbox = () => this.#tellSaved();
  #seen = new IntersectionObserver(([entry]) => entry.isIntersecting ? this.#arrive() : this.#leave());

  connectedCallback() {
    this.classList.add("g-bench");
    document.addEventListener("keydown", this.#onKey);
    outbox.addEventListener("change", this.#onOutbox);
    this.#clock = setInterval(this.#onOutbox, 1000);
    this.#seen.observe(this);
    if (!this.children.length) this.#frame();
  }

  disconnectedCallback() {
    document.removeEventListener("keydown", this.#onKey);
    outbox.removeEventListener("change", this.#onOutbox);
    clearInterval(this.#clock);
    clearTimeout(this.#again);
    this.#seen.disconnect();
  }

  #clock = null;

  #arrive() {
    const name = kept.read("name", ""), another = name !== this.#name;  // said on the other page meanwhile
    this.#name = name;
    if (another || this.#state === "start" || this.#state === "none") this.#begin();
  }

  #leave() {
    if (!this.checkVisibility() && this.editor?.playing) player.pause();
  }

  // --- the frame -----------------------------------------------------------------------------------

  #frame() {
    this.top = make("div", { class: "g-bench-top" });
    this.stage = make("div", { class: "g-bench-stage" });
    this.replaceChildren(this.top, this.stage);
  }

  #begin() {
    if (!this.#name) return this.#askName();
    this.#drawTop();
    this.#load();
  }

  #askName() {
    this.#state = "asking";
    this.top.replaceChildren();
    const field = make("input", { type: "text", maxlength: "60", autocomplete: "name", class: "g-field", id: `${this.localName}-name` });
    field.value = this.#name;
    const form = make("form", { class: "g-panel g-signin" }, null, make("h2", {}, this.welcome), make("p", { class: "g-soft" }, text("Your verdicts carry this name. This browser remembers it.")),
      make("div", { class: "g-signin-row" }, null, make("label", { for: field.id }, text("Your name")), field, make("button", { type: "submit", class: "g-small g-strong-ink" }, text("Begin"))));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const name = field.value.trim().replace(/\s+/g, " ");
      if (!name) return field.focus();
      this.#name = name;
      kept.write("name", name);
      this.#begin();
    });
    this.stage.replaceChildren(form);
  }

  #drawTop() {
    const name = makeButton(text("Change the name"), this.#name, () => this.#askName(), { class: "g-small g-me" });
    this.count = make("b", { class: "g-num g-count" }, "");
    this.bar = make("i");
    this.savedNote = make("span", { class: "g-saved", role: "status" });
    const help = makeButton(text("Keyboard"), "?", () => showKeys(this.keyRows), { class: "g-small g-square" });
    this.selects = make("span", { class: "g-where" });
    this.top.replaceChildren(this.count, make("div", { class: "g-bar", "aria-hidden": "true" }, null, this.bar), this.savedNote, this.selects, name, help);
    this.#tellProgress();
    this.#tellSaved();
    readSetup().then((found) => this.#drawSelects(found), () => {});
  }

  #drawSelects({ meetings, batches }) {
    const select = (label, name, options) => {
      const node = make("select", { class: "g-field", "aria-label": label }, null, make("option", { value: "" }, label), ...options.map(([value, shown]) => make("option", { value }, shown)));
      node.value = options.some(([value]) => value === this.#where[name]) ? this.#where[name] : "";
      node.addEventListener("change", () => {
        this.#where = { ...this.#where, ...(name === "meeting" ? { batch: "" } : {}), [name]: node.value };
        kept.write("where", this.#where);
        node.blur();
        this.#drawSelects({ meetings, batches });
        this.#load();
      });
      return node;
    };
    const inside = batches.filter((one) => !this.#where.meeting || one.meeting === this.#where.meeting);
    this.selects.replaceChildren(select(text("All meetings"), "meeting", meetings.map(({ id, title }) => [id, title])),
      select(text("All batches"), "batch", inside.map(({ name }) => [name, name])));
  }

  #tellProgress() {
    if (!this.#progress) return;
    const [done, all] = this.progressOf(this.#progress);
    this.count.textContent = text("{n} of {all}", { n: done, all });
    this.bar.style.width = `${all ? (100 * done) / all : 0}%`;
  }

  #tellSaved() {
    if (!this.savedNote) return;
    const state = outbox.size ? "warn" : outbox.saved ? "ok" : "";
    let said = "";
    if (outbox.size) said = outbox.trouble ? text("not saved yet: {why}; trying again", { why: outbox.trouble }) : text("not saved yet: trying again");
    else if (outbox.saved) {
      const seconds = Math.round((Date.now() - outbox.saved) / 1000);
      said = seconds < 5 ? text("saved") : seconds < 90 ? text("saved {n} s ago", { n: 10 * Math.max(1, Math.round(seconds / 10)) }) : text("all saved");
    }
    if (outbox.size && this.#state === "sending" && Date.now() - this.#sent < 700) said = text("saving…");
    if (this.savedNote.textContent !== said) this.savedNote.textContent = said;
    this.savedNote.className = `g-saved ${state}`;
  }

  #sent = 0;

  // --- which item ----------------------------------------------------------------------------------

  #body(more = {}) { return { name: this.#name, ...this.#where, ...more }; }

  async #load() {
    clearTimeout(this.#again);
    this.#state = "loading";
    if (outbox.size) return this.#afterOutbox();
    try {
      this.show(await asked(this.paths.next, this.#body()));
    } catch (error) {
      this.#trouble(error);
    }
  }

  // What was not sent is sent first: the next item depends on it.
  #afterOutbox() {
    this.stage.replaceChildren(make("div", { class: "g-empty" }, null, make("h3", {}, text("Sending your last verdict")), make("p", {}, text("It is kept in this browser until the server has it."))));
    const wait = () => {
      if (outbox.size) return;
      outbox.removeEventListener("change", wait);
      this.#load();
    };
    outbox.addEventListener("change", wait);
    outbox.flush();
  }

  #trouble(error) {
    const final = error instanceof Refused;
    const said = final ? error.message : text("The server cannot be reached. This page tries again.");
    this.#notice(said, final ? "bad" : "warn");
    if (final) this.#state = "start";
    else this.#again = setTimeout(() => this.#load(), 3000);
  }

  #notice(said, kind = "bad", ...more) {
    this.querySelector(".g-bench-notice")?.remove();
    if (!said) return;
    this.stage.prepend(make("div", { class: `g-notice g-bench-notice ${kind}`, role: kind === "bad" ? "alert" : "status" }, null, make("span", {}, said[0].toUpperCase() + said.slice(1)), ...more));
  }

  // Show what the server gave: {task, progress}.
  show({ task, progress }) {
    this.#progress = progress;
    this.#tellProgress();
    this.task = task;
    if (!task) {
      this.#state = "none";
      if (this.editor?.playing) player.pause();
      this.editor = null;
      const [title, line] = this.nothing(progress);
      const again = makeButton(text("Look again"), text("Look again"), () => this.#load(), { class: "g-small" });
      const undo = makeButton(text("Undo"), text("Undo"), () => this.undo(), { class: "g-small" });
      return this.stage.replaceChildren(make("div", { class: "g-empty g-bench-none" }, null, make("h3", {}, title), make("p", {}, line), make("div", { class: "g-bench-none-row" }, null, again, ...(progress.yours ? [undo] : []))));
    }
    this.#state = "item";
    this.#began = performance.now();
    const saved = drafts.read(task.key);
    this.draft = saved ?? this.fresh();
    this.#drawItem(Boolean(saved) && this.changed);
    this.#arriveAt();
  }

  // The item as proposed, without anything of ours.
  fresh() {
    const { question, answer, type, subtask, evidence } = this.task;
    return { question, answer, type, subtask, note: "", marks: evidence.map((one) => ({ ...one })) };
  }

  async #arriveAt() {
    // Read out and scrolled to; the clip plays unless the browser wants a click first.
    this.querySelector(".g-item-question")?.focus({ preventScroll: true });
    if (this.checkVisibility()) this.editor.play();
    this.#checks(this.task.key);
  }

  async #checks(key) {
    let found;
    try { ({ checks: found } = await asked(`checks/${encodeURIComponent(key)}`)); } catch { return; }  // they help, nothing waits for them
    if (this.task?.key !== key) return;
    const rows = found.map(({ name, passed, reason }) => make("li", { class: passed ? "" : "warn" }, null, make("i", { "aria-hidden": "true" }, passed ? "✓" : "!"),
      make("span", {}, null, make("span", { class: "g-unseen" }, passed ? text("passed:") : text("look at this:")), passed ? text(name) : `${text(name)}: ${reason}`)));
    for (const [place, row] of rows.entries()) row.title = found[place].reason;
    this.querySelector(".g-checks")?.replaceChildren(...(rows.length ? rows : [make("li", { class: "g-soft" }, text("Not checked: the meeting is not here."))]));
  }

  // --- drawing the item ----------------------------------------------------------------------------

  #drawItem(restored) {
    const { task } = this;
    this.words = make("div", { class: "g-words" });
    this.editor ??= make("grga-spans", { class: "g-span-editor" });
    this.iouRow = make("div", { class: "g-iou" });
    this.verdicts = make("div", { class: "g-panel g-verdicts", role: "group", "aria-label": text("Verdict") });
    const item = make("article", { class: "g-panel g-item", "data-key": task.key }, null, this.words, this.editor);
    const left = make("div", { class: "g-bench-left" }, null, item, this.verdicts);
    const side = make("aside", { class: "g-panel g-about-item", "aria-label": text("About this question") }, null, ...this.beside(task));
    this.stage.replaceChildren(...this.before(task), make("div", { class: "g-bench-grid" }, null, left, side));
    if (restored) this.#notice(text("Your changes to this question are still here."), "plain");
    this.editor.open({ meeting: task.meeting, marks: this.draft.marks, proposed: spansOf(task.evidence), layers: this.layers(task), meters: this.iouRow,
      change: (marks) => { this.draft.marks = marks.map((mark) => ({ ...mark })); this.#keep(); } });
    this.#drawWords();
    this.#drawVerdicts();
    this.#drawIou();
    scrollTo({ top: Math.min(scrollY, this.getBoundingClientRect().top + scrollY) });
  }

  #drawWords() {
    const { draft, task } = this;
    const type = make("span", { class: `g-type ${draft.type}` }, `${text(draft.type)} · ${text(draft.subtask)}`);
    const none = task.answerable ? [] : [make("p", { class: "g-soft g-unanswerable" }, text("The right answer is that the meeting does not say."))];
    this.words.replaceChildren(type, make("h2", { class: "g-item-question", tabindex: "-1" }, draft.question), make("p", { class: "g-item-answer" }, draft.answer), ...none);
    if (draft.note) this.words.append(make("p", { class: "g-soft g-item-note" }, text("Note: {note}", { note: draft.note })));
  }

  // E: the words as fields; the last state is kept with every key.
  async edit(field = "question") {
    if (this.#state !== "item") return;
    let types;
    try { ({ types } = await readSetup()); } catch (error) { return this.#notice(error.message, "warn"); }
    const area = (name, label, rows) => {
      const node = make("textarea", { class: "g-field", rows, maxlength: name === "question" ? 2000 : 8000, id: `${this.localName}-${name}` });
      node.value = this.draft[name];
      node.addEventListener("input", () => { this.draft[name] = node.value; this.#keep(); });
      return [make("label", { for: node.id }, label), node];
    };
    const kind = make("select", { class: "g-field", id: `${this.localName}-type` }, null, ...Object.keys(types).map((one) => make("option", { value: one }, text(one))));
    const subtask = make("select", { class: "g-field", id: `${this.localName}-subtask` });
    const fill = () => {
      subtask.replaceChildren(...types[kind.value].map((one) => make("option", { value: one }, text(one))));
      if (types[kind.value].includes(this.draft.subtask)) subtask.value = this.draft.subtask;
      Object.assign(this.draft, { type: kind.value, subtask: subtask.value });
    };
    kind.value = this.draft.type;
    fill();
    kind.addEventListener("change", () => { fill(); this.#keep(); });
    subtask.addEventListener("change", () => { this.draft.subtask = subtask.value; this.#keep(); });
    const done = makeButton(text("Done"), text("Done"), () => this.#closeEdit(), { class: "g-small" });
    const reset = makeButton(text("As proposed"), text("As proposed"), () => { this.#reset(); this.#closeEdit(); }, { class: "g-small" });
    const form = make("div", { class: "g-edit" }, null, ...area("question", text("Question"), 2), ...area("answer", text("Answer"), 3),
      make("div", { class: "g-edit-row" }, null, make("label", {}, null, text("Type"), kind), make("label", {}, null, text("Subtask"), subtask)),
      ...area("note", text("Note"), 1), make("div", { class: "g-edit-row" }, null, done, reset, make("span", { class: "g-soft g-hint" }, text("Escape: done. Ctrl+Enter: send."))));
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { event.stopPropagation(); this.#closeEdit(); }
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); this.#closeEdit(); this.accept(); }
    });
    this.words.replaceChildren(form);
    form.querySelector(`#${this.localName}-${field}`).focus();
  }

  #closeEdit() {
    this.#drawWords();
    this.#drawVerdicts();
    this.querySelector(".g-item-question")?.focus({ preventScroll: true });
  }

  // The draft has other words than are shown.
  redraw() {
    this.#drawWords();
    this.#keep();
  }

  #reset() {
    const proposed = this.fresh();
    this.draft = proposed;
    this.editor.marks = proposed.marks;
    drafts.write(this.task.key, null);
    this.#notice("");
  }

  #keep() {
    drafts.write(this.task.key, this.draft);
    this.#drawIou();
    this.#drawVerdicts();
  }

  #drawIou() {
    const meters = this.ious(spansOf(this.draft.marks)).map(([label, iou]) => this.#meter(label, iou));
    this.iouRow.replaceChildren(...meters, make("span", { class: "g-soft" }, text("needs more than 0.90")),
      make("span", { class: "g-key-hints g-soft", "aria-hidden": "true" }, null, make("kbd", {}, "["), text("start"), make("kbd", {}, "]"), text("end"), make("kbd", {}, "←"), make("kbd", {}, "→"), text("0.1 s"), make("kbd", {}, text("Space")), text("play")));
  }

  #meter(label, iou) {
    const good = iou > LEAST;
    return make("span", { class: `g-meter ${good ? "ok" : "warn"}` }, null, label, " ", make("b", { class: "g-num" }, iouText(iou)),
      make("span", { class: "g-meter-bar", "aria-hidden": "true" }, null, make("i", { style: `width:${100 * iou}%` }), make("s")));
  }

  // --- verdicts ------------------------------------------------------------------------------------

  get changed() { return this.wordsChanged || this.marksChanged; }
  get wordsChanged() { return WORDS.some((name) => this.draft[name] !== this.task[name]); }
  get marksChanged() {
    const own = (marks) => JSON.stringify(marks.map(({ utt_id, start, end }) => [utt_id, start, end]));
    return own(this.draft.marks) !== own(this.task.evidence);
  }

  #drawVerdicts() {
    const button = (label, key, act, name = "") => {
      const node = make("button", { type: "button", class: name }, label, make("kbd", { "aria-hidden": "true" }, key));
      node.setAttribute("aria-keyshortcuts", key);
      node.disabled = this.#state === "sending";
      node.addEventListener("click", act);
      return node;
    };
    this.verdicts.classList.remove("reasons");
    this.verdicts.replaceChildren(
      button(this.wordsChanged ? text("Accept with changes") : this.acceptLabel, "A", () => this.accept(), "yes"),
      button(text("Edit"), "E", () => this.edit()),
      button(text("Reject"), "R", () => this.#askReason(), "no"),
      ...(this.canFlag ? [button(text("Flag"), "F", () => this.give("flag"))] : []),
      button(text("Skip"), "S", () => this.give("skip")),
      button(text("Undo"), "U", () => this.undo()),
    );
  }

  #askReason() {
    if (this.#state !== "item") return;
    const rows = REASONS.map((reason, place) => {
      const node = make("button", { type: "button", class: "no" }, text(reason), make("kbd", { "aria-hidden": "true" }, String(place + 1)));
      node.addEventListener("click", () => this.give("reject", reason));
      return node;
    });
    const back = make("button", { type: "button" }, text("Not after all"), make("kbd", { "aria-hidden": "true" }, "Esc"));
    back.addEventListener("click", () => this.#drawVerdicts());
    this.verdicts.classList.add("reasons");
    this.verdicts.replaceChildren(make("span", { class: "g-reasons-title" }, text("Why?")), ...rows, back);
    rows[0].focus();
  }

  accept() { this.give(this.wordsChanged ? "edit" : "accept"); }

  give(kind, reason = null) {
    if (this.#state !== "item") return;
    const { task, draft } = this, edits = kind === "edit" || kind === "accept";
    const seconds = Math.round(performance.now() - this.#began) / 1000;
    const verdict = { kind, reason, note: draft.note.trim(), seconds };
    if (kind === "edit") for (const name of WORDS) if (draft[name] !== task[name]) verdict[name] = draft[name];
    if (edits && this.marksChanged) verdict.marks = draft.marks.map(({ utt_id, start, end }) => ({ utt_id, start, end }));
    if (this.editor.playing) player.pause();
    this.#state = "sending";
    this.#sent = Date.now();
    this.#notice("");
    this.#drawVerdicts();
    outbox.send(this.paths.send, this.#body({ key: task.key, verdict }), (reply) => {
      this.#last = task.key;
      this.#progress = reply.progress;
      this.#load();
    }, (error) => {
      this.#state = "item";
      this.#drawVerdicts();
      // It may be settled or somebody else's by now: there is always a way on.
      this.#notice(error.message, "bad", makeButton(text("Next question"), text("Next question"), () => this.#load(), { class: "g-small" }));
    });
  }

  async undo() {
    if (this.#state === "sending" || this.#state === "loading") return;
    if (outbox.size) return;
    try {
      const reply = await asked("undo", this.#body({ key: this.#last, role: this.paths.role }));
      if (!reply.task) return this.#notice(text("There is nothing to take back."), "plain");
      this.#last = "";
      this.show(reply);
      this.#notice(text("Your last verdict is taken back: judge it again."), "plain");
    } catch (error) {
      this.#notice(error.message, error instanceof Refused ? "bad" : "warn");
    }
  }

  // --- keys ----------------------------------------------------------------------------------------

  #key(event) {
    if (!this.checkVisibility() || !shortcuts.on && event.key !== "?") return;
    const key = keyOf(event);
    if (key === null) return;
    if (key === "?") showKeys(this.keyRows);
    else if ((key === "U" || key === "Z") && ["item", "none"].includes(this.#state)) this.undo();
    else if (this.#state !== "item" || !this.#itemKey(key, event)) return;
    event.preventDefault();
  }

  #itemKey(key, event) {
    const asking = this.verdicts.classList.contains("reasons"), step = event.shiftKey ? 10 * NUDGE : NUDGE;
    if (asking && REASONS[Number(key) - 1]) return this.give("reject", REASONS[Number(key) - 1]), true;
    if (asking && key === "Escape") return this.#drawVerdicts(), true;
    const act = {
      A: () => this.accept(), E: () => this.edit(), R: () => this.#askReason(), S: () => this.give("skip"),
      N: () => this.edit("note"), " ": () => this.editor.toggle(), P: () => this.editor.play(true),
      "[": () => this.editor.setHere("start"), "]": () => this.editor.setHere("end"),
      ArrowLeft: () => this.editor.nudge(-step), ArrowRight: () => this.editor.nudge(step),
      ",": () => this.editor.nudge(-step), ".": () => this.editor.nudge(step),
      "+": () => this.editor.zoom(0.5), "-": () => this.editor.zoom(2),
      ...(this.canFlag ? { F: () => this.give("flag") } : {}), ...this.keys,
    }[key];
    act?.();
    return Boolean(act);
  }

  get keyRows() {
    return [
      [["A"], text("accept, with your changes")], [["E"], text("edit the words")], [["R", "1–6"], text("reject, for a reason")],
      ...(this.canFlag ? [[["F"], text("flag for an adjudicator")]] : []), [["S"], text("skip")], [["U"], text("undo the last verdict")], [["N"], text("write a note")],
      ...this.rows,
      [[text("Space")], text("play or pause")], [["P"], text("play the chosen piece")], [["[", "]"], text("start or end of the evidence here")],
      [["←", "→"], text("move the chosen end by 0.1 s, with Shift by 1 s")], [["Tab"], text("go through the ends and the lines")], [["+", "−"], text("show less or more time")],
      [["Ctrl+Enter"], text("send the edit")], [["?"], text("this list")],
    ];
  }

  // --- what subclasses say -------------------------------------------------------------------------

  before() { return []; }
  layers() { return []; }
  rows = [];
  keys = {};
  canFlag = true;
}

const sideHeading = (said) => make("h3", {}, said);
const sideLine = (...content) => make("div", { class: "g-side-line g-soft" }, null, ...content);
