// <grga-timeline data-model="…" data-source="…">: who spoke when, one lane per speaker, with found and cited
// moments. It draws the part that is scrolled into view, so that hours stay light; `data-source` is where the
// model is asked for again.

const RATES = [1, 1.25, 1.5, 2, 0.75];
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];
const AXIS = 16, GAP = 7, WAVE = 30, SOUND = 17, PIN = 18, EDGE = 8, LANE = 26;
const MOST_LETTERS = 150;
const ICON = { play: "M2 1v14l12-7z", pause: "M2 1h4v14H2zM10 1h4v14h-4z" };

class Timeline extends HTMLElement {
  static observedAttributes = ["data-model"];
  #model = null;
  #lanes = [];
  #marks = { cited: [], found: [] };
  #fine = null;  // peaks at full resolution, once they are needed
  #zoom = 1;
  #at = 0;
  #selected = null;
  #live = null;
  #onTime = () => this.#tick();
  #onError = () => this.#broken();
  #size = new ResizeObserver(() => this.#draw());
  #drawSoon = oncePerFrame(() => this.#drawWindow());

  constructor() {
    super();
    this.attachShadow({ mode: "open" }).addEventListener("keydown", (event) => this.#key(event));
  }

  connectedCallback() {
    player.addEventListener("time", this.#onTime);
    player.addEventListener("error", this.#onError);
    const marks = panelOf(this).querySelector("grga-marks");
    if (marks) this.mark(marks.marks);
    if (this.dataset.source) {
      this.#live = Live.of(this.dataset.source);
      this.#live.watch(this, (model) => this.#follow(model));
    }
  }

  disconnectedCallback() {
    player.removeEventListener("time", this.#onTime);
    player.removeEventListener("error", this.#onError);
    this.#size.disconnect();
    this.#live?.leave(this);
    if (this.#model && player.holds(this.#model.audio)) player.pause();
  }

  attributeChangedCallback(_name, before, after) {
    if (before === after || !after) return;
    this.#take(JSON.parse(after));
    this.#zoom = 1;
    this.#at = 0;
    this.#fine = null;
    this.#marks = { cited: [], found: [] };
    this.#build();
  }

  get model() { return this.#model; }
  get time() { return this.#at; }

  // Show the moments of an answer: cited [number, utterance, start, end, lane], found [utterance, start, end, lane].
  mark(marks) {
    this.#marks = marks;
    this.#selected = null;
    this.#draw();
    this.#summarise();
    if (marks.cited.length) this.#reveal(marks.cited[0][2]);
  }

  // Play from `start` and stop at `end` (null: play on). Without a recording only the playhead moves.
  play(start, end = null) { this.playAll([[start, end]]); }

  // Play spans [start, end] one after another.
  playAll(spans) {
    this.#at = spans[0][0];
    if (this.#model.audio) player.playAll(this.#model.audio, spans);
    this.#reveal(this.#at);
    this.#tick();
  }

  select(number) {
    this.#selected = number;
    for (const group of this.shadowRoot.querySelectorAll(".cite"))
      group.classList.toggle("selected", group.dataset.number === String(number));
    const cited = this.#marks.cited.find((mark) => mark[0] === number);
    if (cited) this.#reveal(cited[2]);
  }

  #take(model) {
    this.#model = model;
    this.#lanes = model.lanes.map((spans) => new Lane(spans));
    findOverlaps(this.#lanes);
  }

  // The meeting was edited: other names, other lanes, the same place and zoom.
  #follow(next) {
    const model = { ...next, title: this.#model?.title ?? "" };
    if (model.id !== this.#model?.id || JSON.stringify(model) === JSON.stringify(this.#model)) return;
    this.#take(model);
    const laneOf = (start, end, lane) => {
      const found = this.#lanes.findIndex((one) => one.spans.some((span) => span[0] === start && span[1] === end));
      return found < 0 ? Math.min(lane, this.#lanes.length - 1) : found;
    };
    for (const mark of [...this.#marks.cited, ...this.#marks.found])
      mark.splice(-1, 1, laneOf(...mark.slice(-3)));
    this.#draw();
    this.#summarise();
  }

  #build() {
    const { duration, audio, title } = this.#model;
    this.playButton = makeButton(text("Play"), null, () => this.#toggle(), { class: "play" });
    this.playButton.append(make("svg:svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, null, make("svg:path", { d: ICON.play })));
    this.clockNode = make("b");
    this.rateButton = makeButton(text("Playback speed"), "1×", () => {
      player.rate = RATES[(RATES.indexOf(player.rate) + 1) % RATES.length];
    }, { class: "rate" });
    this.onlyButton = makeButton(text("Show cited moments only (C)"), text("Cited only"), () => this.#only(), { class: "only-button", "aria-pressed": "false" });
    this.outButton = makeButton(text("Zoom out (−)"), "−", () => this.#scale(0.5));
    this.note = make("span", { class: "soft", role: "status" }, audio ? "" : text("no recording, transcript only"));
    const bar = make("div", { class: "bar" }, null,
      ...(audio ? [this.playButton] : []),
      make("span", { class: "time" }, null, this.clockNode, make("span", { class: "soft" }, ` / ${clock(duration)}`)),
      ...(audio ? [this.rateButton] : []), ...(title ? [make("span", { class: "of" }, title)] : []), this.note, make("span", { class: "space" }),
      make("span", { class: "tools" }, null, this.onlyButton, make("span", { class: "word" }, text("Zoom")),
        this.outButton, makeButton(text("Zoom in (+)"), "+", () => this.#scale(2))));
    this.names = make("div", { class: "names" });
    this.map = make("svg:svg", { class: "map" });
    this.picture = make("svg:g", { "aria-hidden": "true" });
    this.moments = make("svg:g", { role: "group", "aria-label": text("Moments of the answer") });
    this.map.append(this.picture, this.moments);
    this.head = make("div", { class: "head", role: "slider", tabindex: "0", "aria-label": text("Position in the meeting"),
      "aria-valuemin": "0", "aria-valuemax": Math.round(duration) });
    this.tip = make("div", { class: "tip" });
    this.stage = make("div", { class: "stage" }, null, this.map, this.head, this.tip);
    this.scroller = make("div", { class: "scroll" }, null, this.stage);
    this.summary = make("p", { class: "sr" });
    const key = (name, label, fill, edge = "transparent") => make("span", { class: name, style: `--k:${fill};--b:${edge}` }, label);
    this.box = make("div", { class: "box" }, null, bar, this.summary,
      make("div", { class: "body" }, null, this.names, this.scroller),
      make("div", { class: "legend" }, null,
        key("cited-key", text("cited in the answer"), "var(--g-accent)"),
        key("found-key", text("found, not cited"), "transparent", "var(--g-accent)"),
        ...(this.#lanes.some((lane) => lane.shared.length) ? [key("both-key", text("two speak at once"), "var(--g-soft)")] : []),
        ...(this.#model.sounds.length ? [key("sound-key", text("laughter, applause or crying"), "var(--g-ink)")] : []),
        ...(this.#model.peaks.length ? [key("wave-key", text("loudness"), "color-mix(in srgb, var(--g-soft) 32%, var(--g-panel))")] : [])));
    this.shadowRoot.replaceChildren(make("style", {}, TIMELINE_STYLE), this.box);
    this.stage.addEventListener("click", (event) => this.#click(event));
    this.stage.addEventListener("pointermove", (event) => this.#hover(event));
    this.stage.addEventListener("pointerleave", () => { this.tip.style.display = "none"; });
    this.scroller.addEventListener("scroll", this.#drawSoon, { passive: true });
    this.scroller.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.#scale(event.deltaY < 0 ? 1.25 : 0.8, this.#timeAt(event.clientX));
    }, { passive: false });
    panning(this.stage, this.scroller);
    pinching(this.scroller, (factor, x) => this.#scale(factor, this.#timeAt(x)));
    scrubbing(this.head, (x) => this.#move(this.#timeAt(x)));
    this.#size.disconnect();
    this.#size.observe(this.scroller);
    if (audio && !player.playing) player.open(audio);
    this.#draw();
    this.#summarise();
    this.#tick();
  }

  #nameLanes() {
    this.names.replaceChildren(make("div", { style: `height:${this.#top}px` }),
      ...this.#model.speakers.map((speaker) => make("div",
        { class: "name", style: `height:${LANE}px;margin-bottom:${GAP}px`, title: speaker.name }, null,
        make("i", { style: `background:var(--g-s${speaker.hue})` }, speaker.letter), make("span", {}, speaker.name))));
  }

  get #narrow() { return this.scroller.clientWidth < 600; }
  // A row for the numbers of citations, where there can be any.
  get #top() { return AXIS + (panelOf(this).querySelector("grga-marks") ? 22 : 5); }
  // A narrow screen keeps some breadth and scrolls instead of squeezing an hour into a thumb's width.
  get #width() { return Math.max(this.scroller.clientWidth, this.#narrow ? 640 : 0) * this.#zoom; }
  #x(time) { return (time / Math.max(this.#model.duration, 0.001)) * (this.#width - 2 * EDGE) + EDGE; }
  #time(x) { return Math.min(Math.max((x - EDGE) / (this.#width - 2 * EDGE), 0), 1) * this.#model.duration; }
  // Where the lanes and the row of sounds end.
  get #foot() { return this.#y(this.#lanes.length) + (this.#model.sounds.length ? SOUND : 0); }
  #y(lane) { return this.#top + lane * (LANE + GAP); }
  #timeAt(clientX) { return this.#time(clientX - this.stage.getBoundingClientRect().left); }

  // Everything whose place depends on zoom, size or model; what depends on scrolling is #drawWindow.
  #draw() {
    if (!this.#model || !this.scroller?.clientWidth) return;
    this.box.style.setProperty("--names", this.#narrow ? "26px" : "112px");
    this.#nameLanes();
    const width = this.#width;
    const height = this.#foot + (this.#model.peaks.length ? WAVE : 0);
    this.stage.style.width = `${width}px`;
    this.map.setAttribute("width", this.scroller.clientWidth);
    this.map.setAttribute("height", height);
    this.moments.replaceChildren(...this.#marks.found.map(([, start, end, lane]) => this.#rect("found", start, end, lane, 1)),
      ...this.#citations(width));
    this.box.classList.toggle("marked", this.#marks.cited.length + this.#marks.found.length > 0);
    this.outButton.disabled = this.#zoom <= 1;
    if (this.#selected !== null) this.select(this.#selected);
    this.#drawWindow();
    this.#tick();
  }

  #drawWindow() {
    if (!this.#model || !this.scroller?.clientWidth) return;
    const left = this.scroller.scrollLeft, room = this.scroller.clientWidth;
    const from = this.#time(left), to = this.#time(left + room);
    const x = (time) => this.#x(time) - left;
    this.moments.setAttribute("transform", `translate(${-left} 0)`);
    this.picture.replaceChildren(...this.#axis(from, to, x), ...this.#said(from, to, x, room), ...this.#sounds(x, room), ...this.#wave(from, to, x));
    const start = Math.max(-left, -10), end = Math.min(this.#width - left, room + 10);
    this.picture.prepend(...this.#lanes.map((_, lane) =>
      make("svg:rect", { class: "lane", x: start, y: this.#y(lane), width: end - start, height: LANE, rx: 5 })));
  }

  #axis(from, to, x) {
    const { duration } = this.#model, step = STEPS.find((s) => (s / duration) * this.#width >= 78) ?? 7200;
    const found = [];
    for (let t = Math.max(0, Math.floor(from / step) - 1) * step; t < Math.min(duration, to + step); t += step) {
      const near = this.#x(t) > this.#width - 24 ? "end" : "middle";
      found.push(make("svg:text", { x: x(t), y: 11, "text-anchor": t ? near : "start" }, clock(t)));
    }
    return found;
  }

  // One path per speaker and kind: thousands of utterances stay a handful of nodes.
  #said(from, to, x, room) {
    const found = [], gap = this.#zoom > 4 ? 1 : 0;
    let letters = 0;
    this.#lanes.forEach((lane, number) => {
      const { hue, letter } = this.#model.speakers[number], y = this.#y(number) + 4, deep = LANE - 8;
      const path = (spans) => spans.map(([a, b]) => `M${a.toFixed(1)} ${y}h${(b - a).toFixed(1)}v${deep}h-${(b - a).toFixed(1)}z`).join("");
      const blocks = runs(lane.between(from, to), x, 1.5, gap);
      const shared = runs(lane.shared.filter(([a, b]) => b >= from && a <= to), x, 1, 0);
      found.push(make("svg:path", { class: "said", d: path(blocks), style: `fill:var(--g-s${hue})` }));
      if (shared.length) found.push(make("svg:path", { class: "both", d: path(shared), style: `fill:var(--g-s${hue})` }));
      for (const [a, b] of blocks) {
        const middle = (Math.max(a, 0) + Math.min(b, room)) / 2;
        if (this.#zoom > 1 && b - a > 22 && letters++ < MOST_LETTERS)
          found.push(make("svg:text", { class: "inside", x: middle, y: y + 13 }, letter));
      }
    });
    return found;
  }

  // A sign for every sound, and its name where the next one leaves room.
  #sounds(x, room) {
    const top = this.#y(this.#lanes.length), found = [];
    const places = this.#model.sounds.map(([start, name]) => [x(start), text(name)]);
    places.forEach(([left, name], i) => {
      if (left < -80 || left > room + 4) return;
      found.push(make("svg:path", { class: "sound", d: `M${left.toFixed(1)} ${top - 2}l4 7h-8z` }));
      const wide = [...name].reduce((sum, sign) => sum + (sign > "\u2e80" ? 11 : 6), 0), next = places[i + 1]?.[0] ?? Infinity;
      if (left + 8 + wide < Math.min(next - 6, room)) found.push(make("svg:text", { x: left + 7, y: top + 6 }, name));
    });
    return found;
  }

  #wave(from, to, x) {
    const { peaks, duration } = this.#model;
    if (!peaks.length) return [];
    const left = Math.max(x(from), 0), right = Math.max(x(to), left + 1), width = Math.ceil(right - left);
    const coarse = peaks.length / duration < width / Math.max(to - from, 0.001);
    if (coarse && !this.#fine) this.#fetchPeaks();
    const high = columns(coarse && this.#fine?.length ? this.#fine : peaks, duration, from, to, width);
    const bottom = this.#foot + WAVE;
    let path = `M${left.toFixed(1)} ${bottom}`;
    high.forEach((value, column) => { path += `L${(left + column + 0.5).toFixed(1)} ${(bottom - 2 - value * (WAVE - 6)).toFixed(1)}`; });
    return [make("svg:path", { class: "wave", d: `${path}L${right.toFixed(1)} ${bottom}Z` })];
  }

  async #fetchPeaks() {
    this.#fine = [];  // asked for once; without an answer the coarse ones stay
    const model = this.#model;
    if (!this.dataset.source) return;
    const reply = await fetch(this.dataset.source.replace(/[^/]+$/, "peaks"));
    if (!reply.ok || this.#model.id !== model.id) return;
    this.#fine = Float32Array.from(new Uint8Array(await reply.arrayBuffer()), (value) => value / 255);
    this.#drawSoon();
  }

  #rect(name, start, end, lane, inset) {
    const x = this.#x(start), w = Math.max(this.#x(end) - x, 7);
    return make("svg:rect", { class: name, x: x - (w === 7 ? 1 : 0), y: this.#y(lane) + inset, width: w, height: LANE - 2 * inset, rx: 4 });
  }

  // Numbers sit in a row of their own and step aside, so that neighbours never collide.
  #citations(width) {
    const pins = this.#marks.cited.map(([number, , start, end, lane]) =>
      ({ number, start, end, lane, x: (this.#x(start) + Math.max(this.#x(end), this.#x(start) + 7)) / 2 })).sort((a, b) => a.x - b.x);
    spread(pins, PIN + 3, PIN / 2, width - PIN / 2);
    return pins.map((pin) => {
      const name = this.#model.speakers[pin.lane].name, top = AXIS + 1, foot = this.#y(pin.lane);
      const group = make("svg:g", { class: "cite", tabindex: "0", role: "button", "data-number": pin.number, "data-start": pin.start, "data-end": pin.end,
        "aria-label": text("Citation {n}, {name}, {time}", { n: pin.number, name, time: clock(pin.start) }) });
      group.append(make("svg:path", { class: "stem", fill: "none", d: `M${pin.at} ${top + PIN}L${pin.x} ${this.#top}V${foot}` }),
        this.#rect("span", pin.start, pin.end, pin.lane, 0),
        make("svg:rect", { class: "pin", x: pin.at - PIN / 2, y: top, width: PIN, height: PIN, rx: 5 }),
        make("svg:text", { x: pin.at, y: top + 13 }, pin.number));
      return group;
    });
  }

  #click(event) {
    const cite = event.target.closest?.(".cite");
    if (cite) return this.#cite(cite);
    this.play(this.#timeAt(event.clientX));
  }

  #cite(group) {
    select(panelOf(this), Number(group.dataset.number));
    this.play(Number(group.dataset.start), Number(group.dataset.end));
  }

  #hover(event) {
    const time = this.#timeAt(event.clientX), y = event.clientY - this.stage.getBoundingClientRect().top;
    const lane = Math.floor((y - this.#top) / (LANE + GAP)), reach = this.#time(this.#x(time) + 8) - time;
    const sound = lane === this.#lanes.length ? this.#model.sounds.find(([start]) => Math.abs(start - time) <= reach) : null;
    this.tip.textContent = sound ? `${text(sound[1])} · ${clock(sound[0])}` : this.#lanes[lane]?.at(time) ? `${this.#model.speakers[lane].name} · ${clock(time)}` : clock(time);
    this.tip.style.display = "block";
    const x = this.#x(time), room = this.scroller.scrollLeft + this.scroller.clientWidth;
    this.tip.style.transform = `translate(${Math.min(x + 10, room - this.tip.offsetWidth - 4)}px, ${Math.max(y - 26, 0)}px)`;
  }

  #toggle() {
    if (player.holds(this.#model.audio) && player.playing) player.pause();
    else if (player.holds(this.#model.audio)) player.resume();
    else this.play(this.#at);
  }

  #move(time) {
    this.#at = Math.min(Math.max(time, 0), this.#model.duration);
    if (this.#model.audio) { player.open(this.#model.audio); player.seek(this.#at); }
    this.#reveal(this.#at);
    this.#tick();
  }

  #only() {
    const on = this.box.classList.toggle("only");
    this.onlyButton.setAttribute("aria-pressed", String(on));
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const target = event.target, step = event.shiftKey ? 30 : 5;
    if ((event.key === " " || event.key === "Enter") && target.matches(".cite")) this.#cite(target);
    else if (event.key === " " && target.tagName !== "BUTTON" && this.#model.audio) this.#toggle();
    else if (event.key === "ArrowRight") this.#move(this.#at + step);
    else if (event.key === "ArrowLeft") this.#move(this.#at - step);
    else if (event.key === "Home") this.#move(0);
    else if (event.key === "End") this.#move(this.#model.duration);
    else if (event.key === "+" || event.key === "=") this.#scale(2);
    else if (event.key === "-") this.#scale(0.5);
    else if (event.key.toLowerCase() === "c" && this.box.classList.contains("marked")) this.#only();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #scale(factor, around = this.#at) {
    const before = this.#x(around) - this.scroller.scrollLeft;
    const most = Math.max(1, (this.#model.duration * 60) / this.scroller.clientWidth);
    this.#zoom = Math.min(Math.max(this.#zoom * factor, 1), most);
    this.#draw();
    this.scroller.scrollLeft = this.#x(around) - Math.min(Math.max(before, 40), this.scroller.clientWidth - 40);
  }

  #reveal(time) {
    if (!this.scroller?.clientWidth) return;
    const x = this.#x(time), left = this.scroller.scrollLeft, room = this.scroller.clientWidth;
    if (x < left + 20 || x > left + room - 20) this.scroller.scrollLeft = x - room / 3;
  }

  #tick() {
    if (!this.#model || !this.head) return;
    const mine = player.holds(this.#model.audio), playing = mine && player.playing;
    if (mine) this.#at = player.time;
    this.head.style.transform = `translateX(${this.#x(this.#at)}px)`;
    const now = clock(this.#at);
    if (this.clockNode.textContent !== now) {
      this.clockNode.textContent = now;
      this.head.setAttribute("aria-valuenow", Math.round(this.#at));
      this.head.setAttribute("aria-valuetext", text("{time} of {whole}", { time: now, whole: clock(this.#model.duration) }));
    }
    if (playing) this.#reveal(this.#at);
    this.rateButton.textContent = `${player.rate}×`;
    if (this.playButton.classList.contains("on") !== playing) {
      this.playButton.classList.toggle("on", playing);
      this.playButton.setAttribute("aria-label", playing ? text("Pause") : text("Play"));
      this.playButton.title = playing ? text("Pause") : text("Play");
      this.playButton.querySelector("path").setAttribute("d", playing ? ICON.pause : ICON.play);
    }
    panelOf(this).querySelector("grga-transcript")?.hear?.(this.#at, playing);
  }

  #broken() {
    if (player.holds(this.#model?.audio)) this.note.textContent = text("this recording cannot be played here");
  }

  #summarise() {
    if (!this.summary) return;
    const { speakers, duration } = this.#model;
    const shares = speakers.map((s) => `${s.name} ${Math.round(100 * s.share)} %`).join(", ");
    const sounds = this.#model.sounds.map(([start, name]) => `${text(name)} ${clock(start)}`).join("; ");
    const cited = this.#marks.cited.map(([n, , start, , lane]) => `${n}: ${speakers[lane].name} ${clock(start)}`).join("; ");
    this.summary.textContent = text("A meeting of {time}. Share of talk: {shares}.", { time: clock(duration), shares })
      + (sounds ? ` ${text("Heard beside speech: {list}.", { list: sounds })}` : "")
      + (cited ? ` ${text("Cited moments: {list}.", { list: cited })}` : "");
  }
}
