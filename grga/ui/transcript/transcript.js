// <grga-transcript data-source="…/transcript.json">: every line of a meeting to read, hear, find and correct.

const SPEEDS = [0.75, 1, 1.25, 1.5, 1.75, 2];

class Transcript extends HTMLElement {
  #live = null;
  #meeting = null;
  #lines = [];
  #find = new Find();
  #active = 0;   // the line that the keyboard is on
  #heard = -1;   // the line being heard
  #following = true;
  #paused = false;  // the reader has scrolled away from the voice
  #editing = null;
  #drafts = null;
  #onDraft = () => this.#drafted();
  #onKey = (event) => this.#globalKey(event);
  #onTime = () => { this.speed.value = String(player.rate); };

  connectedCallback() {
    if (!this.rows) this.#build();
    this.#drafts = Drafts.of(this.closest("[data-meeting]").dataset.meeting);
    this.#drafts.addEventListener("change", this.#onDraft);
    document.addEventListener("keydown", this.#onKey);
    player.addEventListener("time", this.#onTime);
    this.#live = Live.of(this.dataset.source);
    this.#live.watch(this, (meeting) => this.#take(meeting));
    this.#live.refresh().catch((error) => this.tell(error.message, "bad"));
  }

  disconnectedCallback() {
    this.#drafts?.flushAll();
    this.#drafts?.removeEventListener("change", this.#onDraft);
    document.removeEventListener("keydown", this.#onKey);
    player.removeEventListener("time", this.#onTime);
    this.#live?.leave(this);
  }

  // Say something about saving, visibly and to screen readers.
  tell(sentence, kind = "") {
    if (this.state.textContent !== sentence) this.state.textContent = sentence;
    this.state.className = `g-saved ${kind}`;
  }

  // The playhead is at `time`: mark the line being heard and keep it in sight.
  hear(time, playing) {
    if (!this.#lines.length) return;
    const heard = Math.max(lowerBound(this.#lines.length, (i) => this.#lines[i].start, time + 0.05) - 1, -1);
    if (heard === this.#heard) return;
    this.rows.node(this.#heard)?.classList.remove("now");
    this.#heard = heard;
    this.rows.node(heard)?.classList.add("now");
    if (playing && this.#following && !this.#paused) this.#keepInSight();
  }

  // --- structure --------------------------------------------------------------------------------

  #build() {
    this.query = make("input", { type: "search", class: "g-find", placeholder: text("Find in the transcript"), "aria-label": text("Find in the transcript") });
    this.found = make("span", { class: "g-num g-soft g-found", role: "status" });
    this.speed = make("select", { class: "g-speed", "aria-label": text("Playback speed"), title: text("Playback speed") }, null,
      ...SPEEDS.map((rate) => make("option", { value: rate }, `${rate}×`)));
    this.#onTime();
    this.follow = makeButton(text("Keep the line being heard in view"), text("Follow"), () => this.#setFollowing(!this.#following), { class: "g-small", "aria-pressed": "true" });
    this.undoButton = iconButton(text("Undo"), "undo", () => this.#step("undo"), { class: "g-small g-square", disabled: "" });
    this.redoButton = iconButton(text("Redo"), "redo", () => this.#step("redo"), { class: "g-small g-square", disabled: "" });
    this.state = make("span", { class: "g-saved", role: "status" });
    this.back = make("button", { type: "button", class: "g-back-to-voice", hidden: "" }, text("Back to the voice"));
    const step = (label, sign, by) => iconButton(label, sign, () => this.#goFound(by), { class: "g-small g-square" });
    const bar = make("div", { class: "g-lines-bar" }, null,
      make("div", { class: "g-find-box" }, null, this.query, this.found, step(text("Previous match"), "before", -1), step(text("Next match"), "after", 1)),
      make("span", { class: "g-space" }), this.state, this.undoButton, this.redoButton, this.speed, this.follow);
    this.list = make("ol", { class: "g-transcript", "aria-label": text("Transcript") });
    this.scroller = make("div", { class: "g-lines" }, null, this.list);
    this.replaceChildren(bar, this.scroller, this.back);
    this.rows = new Rows(this.scroller, this.list, {
      make: (i) => this.#makeLine(i), update: (node, i) => this.#updateLine(node, i), guess: (i) => this.#guess(i),
      // The Tab key must find the line that the keyboard is on, wherever the page is scrolled to.
      stays: (i) => i === this.#active || i === this.#editing?.line || this.rows.node(i)?.contains(document.activeElement),
    });
    this.#wire();
  }

  #wire() {
    this.query.addEventListener("input", () => {
      this.#find.search(this.query.value, this.#firstSeen());
      this.#showFound();
    });
    this.query.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter") this.#goFound(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") {
        this.query.value = "";
        this.#find.search("");
        this.#showFound();
        this.#focusLine();
      }
    });
    this.speed.addEventListener("change", () => { player.rate = Number(this.speed.value); });
    this.back.addEventListener("click", () => { this.#paused = false; this.#keepInSight(); });
    for (const name of ["wheel", "touchmove"]) this.scroller.addEventListener(name, () => this.#scrolledAway(), { passive: true });
    this.list.addEventListener("click", (event) => this.#click(event));
    this.list.addEventListener("keydown", (event) => this.#key(event));
    this.list.addEventListener("focusin", (event) => {
      const node = event.target.closest("li");
      if (node && Number(node.dataset.line) !== this.#active) this.#activate(Number(node.dataset.line), false);
    });
    this.#setFollowing(true);
  }

  #take(meeting) {
    const first = this.#meeting === null;
    this.#meeting = meeting;
    this.#lines = meeting.lines.map(readLine);
    this.#active = Math.min(this.#active, Math.max(this.#lines.length - 1, 0));  // run again, it may have fewer lines
    for (const [button, name, sentence] of [[this.undoButton, text("Undo"), meeting.undo], [this.redoButton, text("Redo"), meeting.redo]]) {
      button.disabled = sentence === null;
      button.title = sentence === null ? name : `${name}: ${sentence}`;
    }
    this.style.setProperty("--g-time", meeting.duration < 3600 ? "40px" : "56px");
    this.follow.hidden = this.speed.hidden = !meeting.audio;
    this.#find.take(this.#lines.map((line) => line.said), this.#lines.map((line) => heardIn(line, meeting.speakers)));
    this.rows.resize(this.#lines.length);
    this.rows.render();
    this.#countFound();
    if (first) {
      this.toggleAttribute("data-ready", true);
      if (!this.#lines.length) this.scroller.replaceChildren(make("p", { class: "g-none" }, text("No speech was found in this recording.")));
      if (this.#drafts.recover((line) => this.#lines[line]?.said)) this.tell(text("Unsaved text from your last visit was found"), "warn");
      const timeline = timelineOf(this);
      if (timeline) this.hear(timeline.time, false);
    }
  }

  #makeLine(i) {
    return make("li", { "data-line": i, "data-start": this.#lines[i].start.toFixed(3), "aria-posinset": i + 1 });
  }

  #updateLine(node, i) {
    const line = this.#lines[i], begins = i === 0 || this.#lines[i - 1].who !== line.who;
    node.classList.toggle("now", i === this.#heard);
    node.setAttribute("aria-setsize", this.#lines.length);
    node.tabIndex = i === this.#active ? 0 : -1;
    if (this.#editing?.line === i) return;
    const speaker = this.#meeting.speakers[line.who], draft = this.#drafts.get(i);
    const look = JSON.stringify([line.start, line.said, line.edited, heardIn(line, this.#meeting.speakers), begins, speaker.name, speaker.letter, speaker.hue, this.#find.stateOf(i), draft?.value]);
    if (node.look === look) return;
    node.look = look;
    node.dataset.start = line.start.toFixed(3);
    fillLine(node, line, { speaker, speakers: this.#meeting.speakers, begins, find: this.#find, draft });
  }

  // Chinese signs are about twice as wide as letters.
  #guess(i) {
    const said = this.#lines[i].said, wide = (said.match(/[\u2e80-\uffff]/g) ?? []).length;
    const perLine = Math.max((this.list.clientWidth - 140) / 7.3, 10);
    const begins = i === 0 || this.#lines[i - 1].who !== this.#lines[i].who;
    const heard = kindsOfHeard(this.#lines[i]).length ? 21 : 0;
    return heard + 10 + 24 * Math.max(1, Math.ceil((said.length + wide) / perLine)) + (begins ? 30 : 0);
  }

  // --- follow -----------------------------------------------------------------------------------

  #setFollowing(on) {
    this.#following = on;
    this.#paused = false;
    this.follow.setAttribute("aria-pressed", String(on));
    this.back.hidden = true;
    if (on && player.playing && this.#lines.length) this.#keepInSight();
  }

  #keepInSight() {
    this.back.hidden = true;
    if (this.#heard >= 0 && !this.rows.sees(this.#heard) && !this.#editing) this.rows.reveal(this.#heard, "third");
  }

  #scrolledAway() {
    if (!this.#following || !player.playing || !player.holds(timelineOf(this)?.model?.audio ?? null)) return;
    this.#paused = true;
    this.back.hidden = false;
  }

  // --- pointing and keys ------------------------------------------------------------------------

  #firstSeen() {
    const top = this.scroller.getBoundingClientRect().top;
    const seen = [...this.list.children].find((node) => node.getBoundingClientRect().bottom > top + 4);
    return seen ? Number(seen.dataset.line) : 0;
  }

  #click(event) {
    const node = event.target.closest("li");
    if (!node || event.target.closest("textarea")) return;
    const index = Number(node.dataset.line), tool = event.target.closest("[data-tool]");
    event.preventDefault();  // the page's own click-to-play has nothing left to do
    if (!getSelection().isCollapsed && !tool) return;
    this.#activate(index, false);
    if (!tool || tool.dataset.tool === "play") {
      const said = tool ? null : event.target.closest("p"), at = said ? characterAt(said, event.clientX, event.clientY) : null;
      const line = this.#lines[index];
      this.#play(at === null ? line.start : timeOfWord(line, at));
    } else this.#use(tool.dataset.tool, index, tool);
  }

  #use(tool, index, anchor) {
    if (tool === "edit") this.#edit(index);
    if (tool === "who") this.#chooseSpeaker(index, anchor ?? this.rows.node(index).querySelector("[data-tool=who]"));
    if (tool === "graph") panelOf(this).querySelector("grga-graph")?.show([index]);
  }

  #play(time) {
    this.#paused = false;
    this.back.hidden = true;
    timelineOf(this)?.play(time);
  }

  #key(event) {
    if (event.target.tagName === "TEXTAREA" || event.altKey || event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(this.list.children.length / 3)), last = this.#lines.length - 1;
    const to = { ArrowDown: this.#active + 1, ArrowUp: this.#active - 1, PageDown: this.#active + page, PageUp: this.#active - page, Home: 0, End: last }[event.key];
    const tool = { e: "edit", s: "who", c: "graph" }[event.key.toLowerCase()];
    if (to !== undefined) {
      this.#scrolledAway();
      this.#activate(Math.min(Math.max(to, 0), last), true);
    } else if (event.key === "Enter" && event.target.tagName === "LI") this.#play(this.#lines[this.#active].start);
    else if (tool) this.#use(tool, this.#active);
    else return;
    event.preventDefault();
  }

  #globalKey(event) {
    if (!this.checkVisibility() || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase(), typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    const box = this.getBoundingClientRect(), seen = box.top < innerHeight && box.bottom > 0;
    if (key === "f" && !event.shiftKey && seen && document.activeElement !== this.query) {
      this.query.focus();
      this.query.select();
    } else if (key === "z" && !typing) this.#step(event.shiftKey ? "redo" : "undo");
    else if (key === "y" && !typing) this.#step("redo");
    else return;
    event.preventDefault();
  }

  #activate(index, focus) {
    const before = this.rows.node(this.#active);
    this.#active = index;
    if (before) before.tabIndex = -1;
    if (focus) this.#focusLine(); else this.rows.node(index)?.setAttribute("tabindex", "0");
  }

  #focusLine() {
    this.rows.reveal(this.#active);
    const node = this.rows.node(this.#active);
    node?.focus({ preventScroll: true });
    node?.scrollIntoView({ block: "nearest" });  // the box itself may reach below the window
    this.rows.render();
  }

  // --- find -------------------------------------------------------------------------------------

  #countFound() {
    const { at, matches, query } = this.#find;
    this.found.textContent = query ? (matches.length ? `${at + 1}/${matches.length}` : text("none")) : "";
  }

  #showFound() {
    this.#countFound();
    const { at, matches } = this.#find;
    this.rows.render();
    if (at < 0) return;
    this.rows.reveal(matches[at][0], this.rows.sees(matches[at][0]) ? "nearest" : "third");
    this.rows.node(matches[at][0])?.scrollIntoView({ block: "nearest" });
  }

  #goFound(step) {
    if (this.#find.move(step) === null) return;
    this.#scrolledAway();
    this.#showFound();
  }

  // --- edits ------------------------------------------------------------------------------------

  #edit(index) {
    if (this.#editing) this.#finish(true);
    this.rows.reveal(index);
    const node = this.rows.node(index), line = this.#lines[index], before = line.said;
    const field = make("textarea", { class: "g-line-field", "aria-label": text("Text of the line at {time}", { time: clock(line.start) }), maxlength: 2000, rows: 1 });
    field.value = this.#drafts.get(index)?.value ?? before;
    this.#editing = { line: index, field, before };
    node.classList.add("editing");
    const paragraph = node.querySelector("p");
    paragraph.replaceWith(field);
    const fit = () => {
      field.style.height = "auto";
      field.style.height = `${field.scrollHeight + 2}px`;
      this.rows.render();
    };
    field.addEventListener("input", () => { this.#drafts.put(index, field.value, before); fit(); });
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.isComposing) return;
      if (event.key === "Enter" && !event.shiftKey) this.#finish(true);
      else if (event.key === "Escape") this.#finish(false);
      else return;
      event.preventDefault();
      this.#focusLine();
    });
    field.addEventListener("blur", () => {
      if (document.hasFocus()) this.#finish(true); else this.#drafts.flush(index);
    });
    fit();
    field.focus({ preventScroll: true });
    field.setSelectionRange(field.value.length, field.value.length);
  }

  #finish(keep) {
    const editing = this.#editing;
    if (!editing) return;
    this.#editing = null;
    const { line, before } = editing, node = this.rows.node(line);
    if (keep) this.#drafts.flush(line);
    else if (this.#drafts.get(line) || this.#lines[line].said !== before) this.#drafts.restore(line, this.#lines[line].said, before);
    node?.classList.remove("editing");
    if (node) node.look = null;
    this.rows.render();
  }

  #drafted() {
    const state = this.#drafts.state;
    const said = { "": text("Saved"), typing: text("Not saved yet"), saving: text("Saving…"), waiting: text("Not saved: trying again") }[state];
    this.tell(said ?? text("Not saved: {why}", { why: state }), { "": "ok", typing: "", saving: "", waiting: "warn" }[state] ?? "bad");
    this.rows.render();
  }

  #chooseSpeaker(index, anchor) {
    const line = this.#lines[index], speakers = this.#meeting.speakers, now = speakers[line.who];
    const following = this.#lines.filter((one) => one.number >= index && one.who === line.who).map((one) => one.number);
    let onward = false;
    const reassign = (speaker) => sendChange(this, { kind: "reassign", utterances: onward ? following : [index], speaker });
    const scope = (value) => (node, menu) => {
      onward = value;
      for (const one of menu.querySelectorAll("[data-scope]")) one.setAttribute("aria-checked", String(one === node));
    };
    const menu = openMenu(anchor, text("Who says this?"), [
      text("Who says this?"),
      ...speakers.map((speaker) => ({ content: chip(speaker), checked: speaker === now, act: () => { if (speaker !== now) reassign(speaker.id); } })),
      { content: text("Somebody new"), act: () => reassign(null) },
      ...(following.length > 1 ? [text("Which lines?"),
        { content: text("This line only"), checked: true, stays: true, act: scope(false) },
        { content: text("This and all that follow of {name} ({n})", { name: now.name, n: following.length }), checked: false, stays: true, act: scope(true) }] : []),
    ]);
    for (const one of [...menu.querySelectorAll("[role=menuitemradio]")].slice(speakers.length)) one.dataset.scope = "";
  }

  async #step(kind) {
    await this.#drafts.flushAll();
    await sendChange(this, { kind });
  }
}

// Send an edit that is no typing, and say how it went in the transcript's line of state.
const sendChange = async (node, body) => {
  const meeting = node.closest("[data-meeting]").dataset.meeting;
  const transcript = panelOf(node).querySelector("grga-transcript");
  transcript?.tell(text("Saving…"));
  try {
    const { record } = await sendEdit(meeting, body);
    const said = { undo: text("Undone: {what}", { what: record?.summary }), redo: text("Done again: {what}", { what: record?.summary }) }[body.kind];
    transcript?.tell(record ? said ?? text("Saved") : text("Nothing to change"), "ok");
    return record;
  } catch (error) {
    const why = error instanceof Refused ? error.message : text("the connection is lost");
    transcript?.tell(text("Not saved: {why}", { why }), "bad");
    return null;
  }
};

customElements.define("grga-transcript", Transcript);
