// <grga-timeline data-model="…">: who spoke when, one lane per speaker, with found and cited moments.
// <grga-marks data-marks="…">: hands the moments of an answer to the timeline in the same tab.
// Texts reach the page only through textContent and setAttribute, never as markup.

const SVG = "http://www.w3.org/2000/svg";
const RATES = [1, 1.25, 1.5, 2, 0.75];
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];
const AXIS = 16, GAP = 7, WAVE = 30, PIN = 18;

const clock = (seconds) => {
  const s = Math.max(0, Math.floor(seconds)), h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
  const rest = String(s % 60).padStart(2, "0");
  return h ? `${h}:${String(m).padStart(2, "0")}:${rest}` : `${m}:${rest}`;
};

const make = (name, attributes = {}, text = null, ...children) => {
  const node = name.startsWith("svg:")
    ? document.createElementNS(SVG, name.slice(4)) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== null) node.textContent = text;
  node.append(...children);
  return node;
};

// Move points (sorted by x) as little as possible until neighbours are `room` apart: `at` is the new place.
// Crowded neighbours become one group around their common middle, groups that meet become one.
const spread = (points, room, low, high) => {
  const groups = [];
  for (const point of points) {
    let group = { points: [point], sum: point.x };
    const width = () => (group.points.length - 1) * room;
    const start = () => Math.min(Math.max(group.sum / group.points.length - width() / 2, low), Math.max(high - width(), low));
    group.start = start();
    while (groups.length && groups.at(-1).end + room > group.start) {
      const before = groups.pop();
      group.points = [...before.points, ...group.points];
      group.sum += before.sum;
      group.start = start();
    }
    group.end = group.start + width();
    groups.push(group);
  }
  for (const group of groups) group.points.forEach((point, i) => { point.at = group.start + i * room; });
};

const panelOf = (node) => node.closest('[role="tabpanel"]') ?? document.body;

const STYLE = `
:host { display: block; font: 13px/1.4 var(--g-font); color: var(--g-ink); }
button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
:focus-visible { outline: 2px solid var(--g-accent); outline-offset: 2px; border-radius: 6px; }
.bar { display: flex; align-items: center; gap: 12px; margin-bottom: 10px; min-height: 40px; flex-wrap: wrap; }
.play { width: 40px; height: 40px; border-radius: 50%; background: var(--g-ink); color: var(--g-bg); display: grid; place-items: center; }
.play svg { width: 14px; height: 14px; fill: currentColor; display: block; }
.time { font-size: 15px; font-variant-numeric: tabular-nums; } .time b { font-weight: 600; }
.soft { color: var(--g-soft); font-variant-numeric: tabular-nums; }
.space { flex: 1; }
.tools { display: flex; align-items: center; gap: 8px; color: var(--g-soft); }
.tools button { min-width: 30px; height: 30px; padding: 0 9px; border: 1px solid var(--g-line); border-radius: 8px; background: var(--g-panel); }
.tools button:hover { background: var(--g-hover); color: var(--g-ink); }
.tools button[aria-pressed="true"] { background: var(--g-accent-soft); color: var(--g-accent); border-color: transparent; }
.rate { min-width: 40px; height: 30px; padding: 0 8px; border-radius: 8px; color: var(--g-soft); font-variant-numeric: tabular-nums; }
.rate:hover { background: var(--g-hover); }
.body { display: grid; grid-template-columns: var(--names) minmax(0, 1fr); max-height: 340px; overflow-y: auto; }
.name { display: flex; align-items: center; gap: 7px; min-width: 0; padding-right: 10px; }
.name i { flex: none; display: grid; place-items: center; width: 18px; height: 18px; border-radius: 5px; font: 600 11px/1 var(--g-font); color: var(--g-on-speaker); }
.name span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--g-soft); }
.scroll { overflow-x: auto; overflow-y: hidden; position: relative; scrollbar-width: thin; scrollbar-color: var(--g-line) transparent; touch-action: pan-x pan-y; }
.stage { position: relative; cursor: pointer; }
svg.map { display: block; }
svg text { font: 11px var(--g-font); fill: var(--g-soft); font-variant-numeric: tabular-nums; }
.lane { fill: var(--g-hover); } .wave { fill: var(--g-line); }
.said { opacity: .45; }
.only .said { opacity: .12; } .only .found { display: none; }
.found { fill: var(--g-panel); fill-opacity: .35; stroke: var(--g-accent); stroke-width: 1.5; }
.cite { cursor: pointer; outline-offset: 1px; }
.cite .span, .cite .pin { fill: var(--g-accent); }
.cite .stem { stroke: var(--g-accent); stroke-width: 1; opacity: .55; }
.cite text { fill: var(--g-on-accent); font-weight: 600; text-anchor: middle; }
.cite.selected .span { stroke: var(--g-ink); stroke-width: 2; } .cite.selected .pin { fill: var(--g-ink); }
.cite.selected text { fill: var(--g-bg); } .cite.selected .stem { stroke: var(--g-ink); opacity: 1; }
.cite:hover .stem { opacity: 1; }
.head { position: absolute; top: 0; bottom: 0; width: 11px; margin-left: -5px; cursor: ew-resize; background: linear-gradient(var(--g-ink), var(--g-ink)) center / 1.5px 100% no-repeat; }
.head::before { content: ""; position: absolute; top: 12px; left: 1px; border: 4.5px solid transparent; border-top-color: var(--g-ink); }
.legend { display: flex; gap: 6px 16px; flex-wrap: wrap; font-size: 12.5px; color: var(--g-soft); padding-top: 8px; }
.legend span { display: inline-flex; align-items: center; gap: 6px; }
.legend span::before { content: ""; width: 14px; height: 9px; border-radius: 2.5px; box-sizing: border-box; background: var(--k); border: 1.5px solid var(--b, transparent); }
.legend .cited-key, .legend .found-key, .tools .only-button { display: none; }
.marked .cited-key, .marked .found-key { display: inline-flex; } .marked .only-button { display: inline-block; }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.tip { position: absolute; pointer-events: none; padding: 2px 7px; border-radius: 6px; background: var(--g-ink); color: var(--g-bg); font-size: 12px; white-space: nowrap; display: none; z-index: 2; font-variant-numeric: tabular-nums; }
.word { display: inline; } @media (max-width: 640px) { .word { display: none; } .name span { display: none; } .name { padding-right: 6px; } .bar { gap: 6px; } .tools { gap: 5px; } .tools button { padding: 0 7px; } .rate { min-width: 34px; padding: 0 4px; } .legend { font-size: 12px; gap: 6px 12px; } }
`;

const ICON = { play: "M2 1v14l12-7z", pause: "M2 1h4v14H2zM10 1h4v14h-4z" };

class Timeline extends HTMLElement {
  static observedAttributes = ["data-model"];
  #model = null;
  #marks = { cited: [], found: [] };
  #zoom = 1;
  #at = 0;
  #selected = null;
  #onTime = () => this.#tick();
  #onError = () => this.#broken();
  #size = new ResizeObserver(() => this.#draw());

  constructor() {
    super();
    this.attachShadow({ mode: "open" }).addEventListener("keydown", (event) => this.#key(event));
  }

  connectedCallback() {
    player.addEventListener("time", this.#onTime);
    player.addEventListener("error", this.#onError);
    const marks = panelOf(this).querySelector("grga-marks");
    if (marks) this.mark(marks.marks);
  }

  disconnectedCallback() {
    player.removeEventListener("time", this.#onTime);
    player.removeEventListener("error", this.#onError);
    this.#size.disconnect();
    if (this.#model && player.holds(this.#model.audio)) player.pause();
  }

  attributeChangedCallback(_name, before, after) {
    if (before === after || !after) return;
    this.#model = JSON.parse(after);
    this.#zoom = 1;
    this.#at = 0;
    this.#marks = { cited: [], found: [] };
    this.#build();
  }

  get model() { return this.#model; }

  // Show the moments of an answer: cited [number, utterance, start, end, lane], found [utterance, start, end, lane].
  mark(marks) {
    this.#marks = marks;
    this.#selected = null;
    this.#draw();
    this.#summarise();
    if (marks.cited.length) this.#reveal(marks.cited[0][2]);
  }

  // Play from `start` and stop at `end` (null: play on). Without a recording only the playhead moves.
  play(start, end = null) {
    this.#at = start;
    if (this.#model.audio) player.play(this.#model.audio, start, end);
    this.#reveal(start);
    this.#tick();
  }

  select(number) {
    this.#selected = number;
    for (const group of this.shadowRoot.querySelectorAll(".cite"))
      group.classList.toggle("selected", group.dataset.number === String(number));
    const cited = this.#marks.cited.find((mark) => mark[0] === number);
    if (cited) this.#reveal(cited[2]);
  }

  #build() {
    const { duration, speakers, audio } = this.#model;
    const root = this.shadowRoot;
    const button = (label, text, act, extra = {}) => {
      const node = make("button", { type: "button", "aria-label": label, title: label, ...extra }, text);
      node.addEventListener("click", act);
      return node;
    };
    this.playButton = button("Play", null, () => this.#toggle(), { class: "play" });
    this.playButton.append(make("svg:svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, null, make("svg:path", { d: ICON.play })));
    this.clockNode = make("b");
    this.rateButton = button("Playback speed", "1×", () => {
      player.rate = RATES[(RATES.indexOf(player.rate) + 1) % RATES.length];
    }, { class: "rate" });
    this.onlyButton = button("Show cited moments only (C)", "Cited", () => this.#only(), { class: "only-button", "aria-pressed": "false" });
    this.onlyButton.append(make("span", { class: "word" }, " only"));
    this.note = make("span", { class: "soft", role: "status" }, audio ? "" : "no recording, transcript only");
    const bar = make("div", { class: "bar" }, null,
      ...(audio ? [this.playButton] : []),
      make("span", { class: "time" }, null, this.clockNode, make("span", { class: "soft" }, ` / ${clock(duration)}`)),
      ...(audio ? [this.rateButton] : []), this.note, make("span", { class: "space" }),
      make("span", { class: "tools" }, null, this.onlyButton, make("span", { class: "word" }, "Zoom"),
        button("Zoom out (−)", "−", () => this.#scale(0.5)), button("Zoom in (+)", "+", () => this.#scale(2))));
    this.names = make("div", { class: "names" });
    this.stage = make("div", { class: "stage" });
    this.head = make("div", { class: "head", role: "slider", tabindex: "0", "aria-label": "Position in the meeting",
      "aria-valuemin": "0", "aria-valuemax": Math.round(duration) });
    this.tip = make("div", { class: "tip" });
    this.scroller = make("div", { class: "scroll" }, null, this.stage);
    this.summary = make("p", { class: "sr" });
    const key = (name, text, fill, edge) => make("span", { class: name, style: `--k:${fill};--b:${edge}` }, text);
    this.box = make("div", { class: "box" }, null, bar, this.summary,
      make("div", { class: "body" }, null, this.names, this.scroller),
      make("div", { class: "legend" }, null,
        key("cited-key", "cited in the answer", "var(--g-accent)", "transparent"),
        key("found-key", "found, not cited", "transparent", "var(--g-accent)"),
        ...(this.#model.peaks.length ? [key("wave-key", "loudness", "var(--g-line)", "transparent")] : [])));
    root.replaceChildren(make("style", {}, STYLE), this.box);
    this.stage.addEventListener("click", (event) => this.#click(event));
    this.stage.addEventListener("pointermove", (event) => this.#hover(event));
    this.stage.addEventListener("pointerleave", () => { this.tip.style.display = "none"; });
    this.scroller.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.#scale(event.deltaY < 0 ? 1.25 : 0.8, this.#timeAt(event));
    }, { passive: false });
    this.#size.disconnect();
    this.#size.observe(this.scroller);
    if (audio && !player.playing) player.open(audio);
    this.#draw();
    this.#summarise();
    this.#tick();
  }

  #names() {
    this.names.replaceChildren(make("div", { style: `height:${this.#top}px` }),
      ...this.#model.speakers.map((speaker) => make("div",
        { class: "name", style: `height:${this.#lane}px;margin-bottom:${GAP}px`, title: speaker.name }, null,
        make("i", { style: `background:var(--g-s${speaker.hue})` }, speaker.letter), make("span", {}, speaker.name))));
  }

  get #narrow() { return this.scroller.clientWidth < 600; }
  get #lane() { return 26; }
  // A row for the numbers of citations, where there can be any.
  get #top() { return AXIS + (panelOf(this).querySelector("grga-marks") ? 22 : 5); }
  // A narrow screen keeps some breadth and scrolls instead of squeezing an hour into a thumb's width.
  get #width() { return Math.max(this.scroller.clientWidth, this.#narrow ? 640 : 0) * this.#zoom; }
  #x(time) { return (time / Math.max(this.#model.duration, 0.001)) * (this.#width - 2 * 8) + 8; }
  #y(lane) { return this.#top + lane * (this.#lane + GAP); }
  #timeAt(event) {
    const x = event.clientX - this.stage.getBoundingClientRect().left;
    return Math.min(Math.max((x - 8) / (this.#width - 16), 0), 1) * this.#model.duration;
  }

  #draw() {
    if (!this.#model || !this.scroller?.clientWidth) return;
    this.box.style.setProperty("--names", this.#narrow ? "26px" : "112px");
    this.#names();
    const { speakers, lanes, peaks, duration } = this.#model;
    const width = this.#width, bottom = this.#y(speakers.length), height = bottom + (peaks.length ? WAVE : 0);
    const map = make("svg:svg", { class: "map", width, height, "aria-hidden": "true" });
    const step = STEPS.find((s) => (s / duration) * width >= 78) ?? 7200;
    for (let t = 0; t < duration; t += step) {
      const x = this.#x(t);
      map.append(make("svg:text", { x, y: 11, "text-anchor": t ? (x > width - 24 ? "end" : "middle") : "start" }, clock(t)));
    }
    lanes.forEach((spans, lane) => {
      const y = this.#y(lane);
      map.append(make("svg:rect", { class: "lane", x: 0, y, width, height: this.#lane, rx: 5 }));
      // One path per speaker: thousands of utterances stay one node.
      let path = "";
      for (const [start, end] of spans) {
        const x = this.#x(start), w = Math.max(this.#x(end) - x - (this.#zoom > 4 ? 1 : 0), 1.5);
        path += `M${x.toFixed(1)} ${y + 4}h${w.toFixed(1)}v${this.#lane - 8}h-${w.toFixed(1)}z`;
      }
      map.append(make("svg:path", { class: "said", d: path, style: `fill:var(--g-s${speakers[lane].hue})` }));
    });
    if (peaks.length) {
      let path = `M${this.#x(0)} ${height}`;
      peaks.forEach((peak, i) => { path += `L${this.#x((i / peaks.length) * duration).toFixed(1)} ${(height - 2 - peak * (WAVE - 6)).toFixed(1)}`; });
      map.append(make("svg:path", { class: "wave", d: `${path}L${this.#x(duration)} ${height}Z` }));
    }
    const layer = make("svg:svg", { class: "map", width, height, style: "position:absolute;inset:0", role: "group", "aria-label": "Moments of the answer" });
    for (const [, start, end, lane] of this.#marks.found) layer.append(this.#rect("found", start, end, lane, 1));
    layer.append(...this.#citations(width));
    this.stage.style.width = `${width}px`;
    this.stage.replaceChildren(map, layer, this.head, this.tip);
    this.box.classList.toggle("marked", this.#marks.cited.length + this.#marks.found.length > 0);
    if (this.#selected !== null) this.select(this.#selected);
    this.#tick();
  }

  #rect(name, start, end, lane, inset) {
    const x = this.#x(start), w = Math.max(this.#x(end) - x, 7);
    return make("svg:rect", { class: name, x: x - (w === 7 ? 1 : 0), y: this.#y(lane) + inset, width: w, height: this.#lane - 2 * inset, rx: 4 });
  }

  // Numbers sit in a row of their own and step aside, so that neighbours never collide.
  #citations(width) {
    const pins = this.#marks.cited.map(([number, , start, end, lane]) =>
      ({ number, start, end, lane, x: (this.#x(start) + Math.max(this.#x(end), this.#x(start) + 7)) / 2 })).sort((a, b) => a.x - b.x);
    spread(pins, PIN + 3, PIN / 2, width - PIN / 2);
    return pins.map((pin) => {
      const name = this.#model.speakers[pin.lane].name, top = AXIS + 1, foot = this.#y(pin.lane);
      const group = make("svg:g", { class: "cite", tabindex: "0", role: "button", "data-number": pin.number, "data-start": pin.start, "data-end": pin.end,
        "aria-label": `Citation ${pin.number}, ${name}, ${clock(pin.start)}` });
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
    this.play(this.#timeAt(event));
  }

  #cite(group) {
    select(panelOf(this), Number(group.dataset.number));
    this.play(Number(group.dataset.start), Number(group.dataset.end));
  }

  #hover(event) {
    const time = this.#timeAt(event), y = event.clientY - this.stage.getBoundingClientRect().top;
    const lane = Math.floor((y - this.#top) / (this.#lane + GAP));
    const said = this.#model.lanes[lane]?.some(([start, end]) => start <= time && time <= end);
    this.tip.textContent = said ? `${this.#model.speakers[lane].name} · ${clock(time)}` : clock(time);
    this.tip.style.display = "block";
    const x = this.#x(time), room = this.scroller.scrollLeft + this.scroller.clientWidth;
    this.tip.style.left = `${Math.min(x + 10, room - this.tip.offsetWidth - 4)}px`;
    this.tip.style.top = `${Math.max(y - 26, 0)}px`;
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
    const x = this.#x(time), left = this.scroller.scrollLeft, room = this.scroller.clientWidth;
    if (x < left + 20 || x > left + room - 20) this.scroller.scrollLeft = x - room / 3;
  }

  #tick() {
    if (!this.#model || !this.head) return;
    const mine = player.holds(this.#model.audio), playing = mine && player.playing;
    if (mine) this.#at = player.time;
    this.head.style.left = `${this.#x(this.#at)}px`;
    const text = clock(this.#at);
    if (this.clockNode.textContent !== text) {
      this.clockNode.textContent = text;
      this.head.setAttribute("aria-valuenow", Math.round(this.#at));
      this.head.setAttribute("aria-valuetext", `${text} of ${clock(this.#model.duration)}`);
    }
    if (playing) this.#reveal(this.#at);
    this.rateButton.textContent = `${player.rate}×`;
    if (this.playButton.classList.toggle("on", playing) !== (this.playButton.getAttribute("aria-label") === "Pause")) {
      this.playButton.setAttribute("aria-label", playing ? "Pause" : "Play");
      this.playButton.title = playing ? "Pause" : "Play";
      this.playButton.querySelector("path").setAttribute("d", playing ? ICON.pause : ICON.play);
    }
    follow(panelOf(this), this.#at, playing);
  }

  #broken() {
    if (player.holds(this.#model?.audio)) this.note.textContent = "this recording cannot be played here";
  }

  #summarise() {
    if (!this.summary) return;
    const { speakers, duration } = this.#model;
    const shares = speakers.map((s) => `${s.name} ${Math.round(100 * s.share)} %`).join(", ");
    const cited = this.#marks.cited.map(([n, , start, , lane]) => `${n}: ${speakers[lane].name} at ${clock(start)}`).join("; ");
    this.summary.textContent = `A meeting of ${clock(duration)}. Share of talk: ${shares}.` + (cited ? ` Cited moments: ${cited}.` : "");
  }
}

class Marks extends HTMLElement {
  static observedAttributes = ["data-marks"];
  get marks() { return JSON.parse(this.dataset.marks || '{"cited":[],"found":[]}'); }
  connectedCallback() { this.#hand(); }
  attributeChangedCallback() { if (this.isConnected) this.#hand(); }
  #hand() { panelOf(this).querySelector("grga-timeline")?.mark(this.marks); }
}

// One citation is selected everywhere at once: timeline, answer and evidence.
function select(panel, number) {
  for (const node of panel.querySelectorAll("[data-cite]"))
    node.classList.toggle("selected", node.dataset.cite === String(number));
  panel.querySelector("grga-timeline")?.select(number);
  const evidence = panel.querySelector(`.g-evidence [data-cite="${number}"]`);
  const column = evidence?.closest(".g-evidence");
  if (column && column.scrollHeight > column.clientHeight)
    column.scrollTo({ top: evidence.offsetTop - column.clientHeight / 3, behavior: "smooth" });
}

// Mark the line being heard, and keep it in sight unless the reader has just scrolled.
let lastScroll = 0;
addEventListener("wheel", () => { lastScroll = performance.now(); }, { passive: true });
addEventListener("touchmove", () => { lastScroll = performance.now(); }, { passive: true });

function follow(panel, time, playing) {
  const list = panel.querySelector(".g-transcript");
  if (!list) return;
  const lines = list.children;
  let low = 0, high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (Number(lines[middle].dataset.start) <= time + 0.05) low = middle; else high = middle - 1;
  }
  const line = lines[low], before = list.querySelector(".now");
  if (!line || line === before || Number(line.dataset.start) > time + 0.05) return;
  before?.classList.remove("now");
  line.classList.add("now");
  if (playing && performance.now() - lastScroll > 4000) {
    const top = line.offsetTop - list.offsetTop;
    if (top < list.scrollTop || top + line.offsetHeight > list.scrollTop + list.clientHeight)
      list.scrollTo({ top: top - list.clientHeight / 3, behavior: "smooth" });
  }
}

// Anything with data-start plays when clicked; data-end stops it; data-cite selects it.
document.addEventListener("click", (event) => {
  const node = event.target.closest?.("[data-start]");
  if (!node || !getSelection().isCollapsed) return;
  const panel = panelOf(node), timeline = panel.querySelector("grga-timeline");
  if (!timeline) return;
  if (node.dataset.cite) select(panel, Number(node.dataset.cite));
  timeline.play(Number(node.dataset.start), node.dataset.end ? Number(node.dataset.end) : null);
});

customElements.define("grga-timeline", Timeline);
customElements.define("grga-marks", Marks);
