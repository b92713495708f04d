// <grga-spans>: the evidence on a strip of the recording. Its ends are dragged, nudged by arrow keys, set at the
// playhead or typed; below it are the lines, of which more can be marked.

const STRIP = 78, RULE = 16, LAYER = 16, HANDLE = 11;
const STEPS_OF_TIME = [0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800];
const SHORTEST = 0.05, AROUND = 2, WIDE_ENOUGH = 45;

class SpanEditor extends HTMLElement {
  #state = null;      // see open()
  #lines = null;
  #peaks = null;
  #window = [0, 10];
  #around = AROUND;
  #selected = 0;
  #edge = "start";
  #at = 0;
  #whole = [];        // what is being played
  #onTime = () => this.#tick();
  #size = new ResizeObserver(() => this.#draw());

  connectedCallback() {
    player.addEventListener("time", this.#onTime);
    this.#size.observe(this);
  }

  disconnectedCallback() {
    player.removeEventListener("time", this.#onTime);
    this.#size.disconnect();
    if (this.#state && player.holds(this.#state.meeting.audio)) player.pause();
  }

  // Show `marks` ({utt_id, start, end, speaker, text}) of `meeting`, with the `proposed` spans dashed behind them
  // and `layers` ({letter, spans}) of others above. `change(marks)` is called after every change; `meters` is a
  // node that stands between the strip and the lines.
  open({ meeting, marks, proposed, layers = [], meters, change }) {
    this.#state = { meeting, marks: marks.map((mark) => ({ ...mark })), proposed, layers, meters, change };
    [this.#lines, this.#peaks, this.#selected, this.#edge, this.#around] = [null, null, 0, "start", AROUND];
    this.#at = marks[0]?.start ?? proposed[0]?.[0] ?? 0;
    this.#build();
    this.#look();
    this.#fetch(this.#state);
  }

  get marks() { return this.#state.marks; }
  set marks(value) {
    this.#state.marks = value.map((mark) => ({ ...mark }));
    this.#selected = Math.min(this.#selected, Math.max(value.length - 1, 0));
    this.#changed();
    this.#look();
  }

  async #fetch(state) {
    if (!state.meeting.here) return this.#note(text("The meeting is not here, so nothing can be heard or marked."));
    const [lines, peaks] = await Promise.allSettled([material.lines(state.meeting.id), material.peaks(state.meeting.id)]);
    if (state !== this.#state) return;
    if (lines.status === "fulfilled") this.#lines = lines.value;
    else this.#note(lines.reason.message);
    if (peaks.status === "fulfilled" && peaks.value.length) this.#peaks = peaks.value;
    this.#drawLines();
    this.#draw();
  }

  // --- sound ---------------------------------------------------------------------------------------

  get audio() { return this.#state?.meeting.audio ?? null; }
  get playing() { return this.audio !== null && player.holds(this.audio) && player.playing; }

  // Play all the evidence, or only the selected piece.
  play(only = false) {
    const { marks, proposed } = this.#state;
    const spans = marks.length ? spansOf(only ? [marks[this.#selected]] : marks) : proposed;
    if (this.audio && spans.length) this.playSpans(spans);
  }

  playSpans(spans) {
    this.#whole = spans;
    player.playAll(this.audio, spans);
  }

  // Space: pause, go on, or once more from the beginning when all was heard.
  toggle() {
    if (!this.audio) return;
    if (this.playing) return player.pause();
    const end = this.#whole.at(-1)?.[1];
    if (!player.holds(this.audio) || end === undefined || Math.abs(player.time - end) < 0.15) this.play();
    else player.resume();
  }

  seek(time) {
    this.#at = Math.min(Math.max(time, 0), this.#state.meeting.duration);
    this.#whole = [[0, Infinity]];
    if (this.audio) { player.open(this.audio); player.seek(this.#at); }
    this.#tick();
  }

  // --- changing ------------------------------------------------------------------------------------

  select(place, edge = this.#edge) {
    if (place < 0 || place >= this.marks.length) return;
    [this.#selected, this.#edge] = [place, edge];
    this.#show();
    this.#drawLines();
    this.#draw();
  }

  // Move the edge that was touched last.
  nudge(seconds) {
    const mark = this.marks[this.#selected];
    if (mark) this.#put(this.#selected, this.#edge, mark[this.#edge] + seconds);
  }

  // "[" and "]": set that edge where the playhead is.
  setHere(edge) {
    if (this.marks.length) this.#put(this.#selected, edge, this.#at);
  }

  // Mark the utterance or, when it is marked, leave it out.
  mark(utt_id) {
    const place = this.marks.findIndex((mark) => mark.utt_id === utt_id);
    if (place >= 0) this.marks.splice(place, 1);
    else {
      const { start, end, speaker, text: said } = this.#lines[utt_id];
      this.marks.push({ utt_id, start, end, speaker: speaker.name, text: said });
    }
    this.marks.sort((a, b) => a.start - b.start || a.end - b.end || a.utt_id - b.utt_id);
    const now = this.marks.findIndex((mark) => mark.utt_id === utt_id);
    this.#selected = now >= 0 ? now : Math.max(0, Math.min(this.#selected, this.marks.length - 1));
    this.#changed();
    this.#show();
    this.#draw();
    this.querySelector(`[data-line="${utt_id}"] .g-mark-line`)?.focus();
  }

  #put(place, edge, value) {
    const mark = this.marks[place], line = this.#lines?.[mark.utt_id];
    const low = 0, high = this.#state.meeting.duration || Infinity;
    let time = Math.round(Math.min(Math.max(value, low), high) * 1000) / 1000;
    if (edge === "start") time = Math.min(time, mark.end - SHORTEST, line ? line.end : Infinity);
    else time = Math.max(time, mark.start + SHORTEST, line ? line.start : -Infinity);
    mark[edge] = Math.round(time * 1000) / 1000;
    [this.#selected, this.#edge] = [place, edge];
    this.#changed();
    this.#draw();
  }

  #changed() {
    this.#state.change(this.marks);
    this.#drawLines();
  }

  // --- the window ----------------------------------------------------------------------------------

  // Show all the evidence when it is close together, else the selected piece.
  #look() {
    const spans = [...spansOf(this.marks), ...this.#state.proposed, ...this.#state.layers.flatMap((one) => one.spans)];
    const [first, last] = [Math.min(...spans.map((s) => s[0])), Math.max(...spans.map((s) => s[1]))];
    if (!spans.length) this.#window = this.#inside(0, Math.min(30, this.#state.meeting.duration || 30));
    else if (last - first <= WIDE_ENOUGH) this.#window = this.#padded(first, last);
    else this.#show();
    this.#draw();
  }

  // Bring the selected piece into the window.
  #show() {
    const mark = this.marks[this.#selected];
    if (!mark || (mark.start >= this.#window[0] && mark.end <= this.#window[1] && this.#window[1] - this.#window[0] < 4 * WIDE_ENOUGH)) return;
    this.#window = this.#padded(mark.start, mark.end);
  }

  #padded(start, end) {
    const room = Math.max(3, (end - start) * 0.4);
    return this.#inside(start - room, end + room);
  }

  #inside(start, end) {
    const whole = this.#state.meeting.duration || Infinity, low = Math.max(0, start);
    return [low, Math.max(Math.min(end, whole), low + 1)];
  }

  zoom(factor) {
    const [from, to] = this.#window, mark = this.marks[this.#selected];
    const centre = mark ? (mark.start + mark.end) / 2 : (from + to) / 2;
    const half = Math.min(Math.max(((to - from) * factor) / 2, 1), (this.#state.meeting.duration || 3600) / 2);
    this.#window = this.#inside(centre - half, centre + half);
    this.#draw();
  }

  // --- drawing -------------------------------------------------------------------------------------

  #build() {
    const heard = this.audio !== null;
    this.strip = make("div", { class: "g-strip" });
    this.playButton = makeButton(text("Play"), null, () => this.toggle(), { class: "g-sign g-hear g-strip-play" });
    this.playButton.append(icon("hear"));
    this.playButton.hidden = !heard;
    this.now = make("span", { class: "g-num g-soft" }, "");
    const tools = make("div", { class: "g-strip-tools" }, null, this.playButton, this.now, make("span", { class: "g-space" }),
      makeButton(text("Show less time"), "+", () => this.zoom(0.5), { class: "g-small g-square" }),
      makeButton(text("Show more time"), "−", () => this.zoom(2), { class: "g-small g-square" }));
    this.said = make("p", { class: "g-soft g-strip-note", role: "status" });
    this.list = make("ol", { class: "g-evidence-lines" });
    this.replaceChildren(this.strip, tools, this.said, this.#state.meters, this.list);
    this.#drawLines();
  }

  #note(sentence) { this.said.textContent = sentence; }

  #x(time) {
    const [from, to] = this.#window;
    return ((time - from) / (to - from)) * this.strip.clientWidth;
  }

  #time(clientX) {
    const box = this.strip.getBoundingClientRect(), [from, to] = this.#window;
    return from + ((clientX - box.left) / box.width) * (to - from);
  }

  #draw() {
    if (!this.#state || !this.strip?.clientWidth) return;
    const focused = this.contains(document.activeElement) ? document.activeElement.dataset.handle : null;
    const width = this.strip.clientWidth, layers = this.#state.layers.length * LAYER, bottom = layers + STRIP;
    const svg = make("svg:svg", { width, height: bottom + RULE, viewBox: `0 0 ${width} ${bottom + RULE}`, role: "group", "aria-label": text("Evidence on the timeline") });
    for (const { start, end } of this.marks) svg.append(this.#box(start, end, layers + 6, STRIP - 6, "g-marked"));
    svg.append(this.#wave(width, bottom));
    for (const [start, end] of this.#state.proposed) svg.append(this.#box(start, end, layers + 6, STRIP - 6, "g-proposed"));
    this.#state.layers.forEach((layer, place) => svg.append(...this.#layer(layer, place, width)));
    svg.append(...this.#ruler(bottom));
    this.head = make("svg:line", { class: "g-playhead", y1: 0, y2: bottom });
    svg.append(this.head);
    this.marks.forEach((mark, place) => { for (const edge of ["start", "end"]) svg.append(this.#handle(mark, place, edge, layers)); });
    svg.addEventListener("pointerdown", (event) => { if (!event.target.closest(".g-handle")) this.seek(this.#time(event.clientX)); });
    this.strip.replaceChildren(svg);
    if (focused) this.strip.querySelector(`[data-handle="${focused}"]`)?.focus({ preventScroll: true });
    this.#tick();
  }

  #box(start, end, y, height, name) {
    const left = this.#x(start);
    return make("svg:rect", { class: name, x: left, y, width: Math.max(this.#x(end) - left, 1), height: Math.max(height, 1), rx: 5 });
  }

  #wave(width, bottom) {
    const [from, to] = this.#window, room = STRIP - 26;
    if (!this.#peaks) return make("svg:line", { class: "g-quiet", x1: 0, x2: width, y1: bottom - 1, y2: bottom - 1 });
    // Ten values a second are few for a short stretch: points between them, so that it reads as a curve.
    const points = Math.max(2, Math.min(Math.floor(width / 2), Math.ceil((to - from) * 10)));
    const found = columns(this.#peaks, this.#peaks.length / 10, from, to, points);
    const path = [...found].map((value, place) => `L${((place / (points - 1)) * width).toFixed(1)} ${(bottom - 3 - Math.sqrt(value / 255) * room).toFixed(1)}`);
    return make("svg:path", { class: "g-loudness", d: `M0 ${bottom} ${path.join(" ")} L${width} ${bottom}Z` });
  }

  *#layer({ letter, spans }, place, width) {
    const y = place * LAYER;
    yield make("svg:line", { class: "g-quiet", x1: 0, x2: width, y1: y + LAYER / 2, y2: y + LAYER / 2 });
    for (const [start, end] of spans) yield this.#box(start, end, y + 3, LAYER - 6, "g-layer");
    yield make("svg:text", { class: "g-layer-name", x: 2, y: y + 12 }, letter);
  }

  *#ruler(bottom) {
    const [from, to] = this.#window, most = Math.max(2, Math.floor(this.strip.clientWidth / 90));
    const step = STEPS_OF_TIME.find((one) => (to - from) / one <= most) ?? 3600;
    for (let time = Math.ceil(from / step) * step; time < to; time += step) {
      const x = this.#x(time);
      if (x < 16 || x > this.strip.clientWidth - 16) continue;
      yield make("svg:line", { class: "g-quiet", x1: x, x2: x, y1: bottom, y2: bottom + 3 });
      yield make("svg:text", { class: "g-rule", x, y: bottom + 14 }, step < 1 ? fineClock(time) : clock(time));
    }
  }

  #handle(mark, place, edge, layers) {
    const x = this.#x(mark[edge]), chosen = place === this.#selected;
    const name = edge === "start" ? text("Start of the evidence of {name}", { name: mark.speaker }) : text("End of the evidence of {name}", { name: mark.speaker });
    const node = make("svg:g", { class: `g-handle ${edge}${chosen ? " chosen" : ""}${chosen && edge === this.#edge ? " touched" : ""}`, transform: `translate(${x} 0)`,
      role: "slider", tabindex: "0", "data-handle": `${place}-${edge}`, "aria-label": name, "aria-orientation": "horizontal", "aria-valuemin": "0",
      "aria-valuemax": String(this.#state.meeting.duration), "aria-valuenow": mark[edge].toFixed(2), "aria-valuetext": fineClock(mark[edge]) }, null,
      make("svg:rect", { class: "g-grip", x: edge === "start" ? -HANDLE : 0, y: layers, width: HANDLE, height: STRIP }),
      make("svg:line", { y1: layers, y2: layers + STRIP }),
      make("svg:rect", { class: "g-knob", x: -3, y: layers + STRIP / 2 - 9, width: 6, height: 18, rx: 3 }));
    node.addEventListener("pointerdown", (event) => {
      event.stopPropagation();
      event.preventDefault();
      this.#drag(place, edge, event);
    });
    node.addEventListener("focus", () => { if (this.#selected !== place || this.#edge !== edge) this.select(place, edge); });
    return node;
  }

  // The strip is drawn anew while dragging, so the pointer belongs to the strip, not to the handle.
  #drag(place, edge, { pointerId, clientX }) {
    const offset = this.marks[place][edge] - this.#time(clientX);
    const move = (event) => { if (event.pointerId === pointerId) this.#put(place, edge, this.#time(event.clientX) + offset); };
    const stop = (event) => {
      if (event.pointerId !== pointerId) return;
      for (const [name, act] of [["pointermove", move], ["pointerup", stop], ["pointercancel", stop]]) this.strip.removeEventListener(name, act);
      this.strip.querySelector(`[data-handle="${place}-${edge}"]`)?.focus({ preventScroll: true });
    };
    this.strip.setPointerCapture(pointerId);
    for (const [name, act] of [["pointermove", move], ["pointerup", stop], ["pointercancel", stop]]) this.strip.addEventListener(name, act);
    this.select(place, edge);
  }

  #tick() {
    if (!this.head) return;
    if (this.audio && player.holds(this.audio)) this.#at = player.time;
    const x = this.#x(this.#at), seen = x >= 0 && x <= this.strip.clientWidth;
    this.head.setAttribute("transform", `translate(${x} 0)`);
    this.head.style.visibility = seen ? "visible" : "hidden";
    const now = fineClock(this.#at);
    if (this.now.textContent !== now) this.now.textContent = now;
    const on = this.playing;
    if (this.playButton.classList.contains("on") !== on) {
      this.playButton.classList.toggle("on", on);
      const label = on ? text("Pause") : text("Play");
      this.playButton.setAttribute("aria-label", label);
      this.playButton.title = label;
      this.playButton.querySelector("path").setAttribute("d", on ? "M4.5 3h2.5v10h-2.5zM9 3h2.5v10h-2.5z" : ICONS.hear);
    }
    const running = on ? this.#lines?.find((line) => line.start <= this.#at && line.end > this.#at)?.utt_id : undefined;
    for (const node of this.list.children) node.classList.toggle("now", running !== undefined && node.dataset.line === String(running));
  }

  // --- the lines below -----------------------------------------------------------------------------

  #drawLines() {
    if (!this.list) return;
    const focused = this.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
    if (this.contains(document.activeElement) && document.activeElement.matches("input")) return this.#fillTimes();
    const marked = new Map(this.marks.map((mark, place) => [mark.utt_id, place]));
    const rows = [];
    let before = null;
    for (const id of this.#shown()) {
      if (before !== null && id > before + 1) rows.push(make("li", { class: "g-gap", "aria-hidden": "true" }, "⋯"));
      rows.push(this.#row(id, marked.get(id)));
      before = id;
    }
    const more = makeButton(text("More lines"), text("More lines"), () => { this.#around += 4; this.#drawLines(); }, { class: "g-small", "data-focus": "more" });
    this.list.replaceChildren(...rows, ...(this.#lines ? [make("li", { class: "g-more" }, null, more)] : []));
    if (focused) this.list.querySelector(`[data-focus="${focused}"]`)?.focus({ preventScroll: true });
  }

  // Ids of the lines to show: the evidence, proposed or marked, and some around it.
  #shown() {
    if (!this.#lines) return this.marks.map((mark) => mark.utt_id);
    const inside = (spans) => this.#lines.filter((line) => spans.some(([start, end]) => line.start < end && line.end > start)).map((line) => line.utt_id);
    const middle = new Set([...this.marks.map((mark) => mark.utt_id), ...inside([...this.#state.proposed, ...this.#state.layers.flatMap((one) => one.spans)])]);
    if (!middle.size) middle.add(0);
    const found = new Set();
    for (const id of middle)
      for (let near = Math.max(0, id - this.#around); near <= Math.min(this.#lines.length - 1, id + this.#around); near++) found.add(near);
    return [...found].sort((a, b) => a - b);
  }

  #row(id, place) {
    const line = this.#lines?.[id], mark = place === undefined ? null : this.marks[place];
    const { start, end } = mark ?? line, said = mark?.text ?? line.text, who = line ? chip(line.speaker) : make("b", {}, mark.speaker);
    const hear = make("button", { type: "button", class: "g-line-time g-num", "data-focus": `hear-${id}`, title: text("Play from here"), "aria-label": text("Play from {time}", { time: clock(start) }) }, clock(start));
    hear.addEventListener("click", () => { if (this.audio) this.playSpans([[start, end]]); else this.seek(start); });
    const toggle = this.#lines ? makeButton(mark ? text("No evidence") : text("Mark as evidence"), mark ? "×" : "+", () => this.mark(id), { class: "g-sign g-mark-line", "data-focus": `mark-${id}` }) : "";
    const row = make("li", { "data-line": id, class: mark ? `on${place === this.#selected ? " chosen" : ""}` : "" }, null, hear,
      make("div", { class: "g-line-words" }, null, who, make("span", {}, said), ...(mark ? [this.#times(mark, place)] : [])), toggle);
    if (mark) row.addEventListener("click", (event) => { if (!event.target.closest("button, input")) this.select(place); });
    return row;
  }

  #times(mark, place) {
    const fields = ["start", "end"].map((edge) => {
      const field = make("input", { type: "text", inputmode: "decimal", autocomplete: "off", class: "g-time-field g-num", "data-focus": `${edge}-${mark.utt_id}`, "data-edge": edge, "data-place": place,
        "aria-label": edge === "start" ? text("Start of line {n}", { n: mark.utt_id + 1 }) : text("End of line {n}", { n: mark.utt_id + 1 }) });
      field.value = fineClock(mark[edge]);
      field.addEventListener("focus", () => { if (this.#selected !== place) { [this.#selected, this.#edge] = [place, edge]; this.#show(); this.#draw(); } });
      field.addEventListener("change", () => {
        const value = readClock(field.value);
        // What is shown is rounded; an unchanged number must not move the edge.
        if (value !== null && fineClock(mark[edge]) !== field.value.trim()) this.#put(place, edge, value);
        field.value = fineClock(mark[edge]);
      });
      field.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === "Escape") field.blur(); });
      return field;
    });
    return make("span", { class: "g-times g-num" }, null, fields[0], "–", fields[1], make("span", { class: "g-soft" }, `${(mark.end - mark.start).toFixed(1)} s`));
  }

  #fillTimes() {
    for (const field of this.list.querySelectorAll("input"))
      if (field !== document.activeElement && this.marks[field.dataset.place]) field.value = fineClock(this.marks[field.dataset.place][field.dataset.edge]);
  }
}

customElements.define("grga-spans", SpanEditor);
