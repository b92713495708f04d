// <grga-graph data-source="…/graph.json" data-around="12" data-depth="1">: what is connected with these lines.
// A node plays when clicked; a double click or Enter puts it in the middle.

const RELATIONS = [
  // type, dashes, colour, name (as a function, since the language is known only when drawn)
  ["temporal", "", "var(--g-s6)", () => text("next in time")],
  ["reply_to", "8 3", "var(--g-s1)", () => text("replies to")],
  ["same_speaker", "2 3", "var(--g-s3)", () => text("same speaker")],
  ["entity", "10 3 2 3", "var(--g-s5)", () => text("same thing named")],
  ["semantic", "5 2", "var(--g-s4)", () => text("same meaning")],
];

class Graph extends HTMLElement {
  static observedAttributes = ["data-around"];
  #graph = null;
  #off = new Set();
  #asked = 0;
  #live = null;
  #size = new ResizeObserver(() => this.#draw());

  connectedCallback() {
    if (!this.picture) this.#build();
    this.#size.observe(this.scroller);
    this.#live = Live.of(this.dataset.source.replace(/[^/]+$/, "timeline.json"));
    this.#live.watch(this, () => this.#load());
    this.#load();
  }

  disconnectedCallback() {
    this.#size.disconnect();
    this.#live.leave(this);
  }

  attributeChangedCallback(_name, before, after) { if (this.isConnected && this.picture && before !== after) this.#load(); }

  // Show what is connected with these lines.
  show(lines) {
    this.dataset.around = lines.join();
    this.hidden = false;
    this.scrollIntoView({ block: "nearest" });
  }

  #build() {
    this.classList.add("g-panel", "g-graph");
    this.depth = make("select", { class: "g-speed", "aria-label": text("How far") }, null,
      make("option", { value: 1 }, text("1 step")), make("option", { value: 2 }, text("2 steps")));
    this.depth.value = this.dataset.depth ?? "1";
    this.depth.addEventListener("change", () => this.#load());
    this.keys = make("div", { class: "g-graph-keys", role: "group", "aria-label": text("Kinds of connection") }, null, ...RELATIONS.map((one) => this.#key(one)));
    this.said = make("p", { class: "g-graph-said", role: "status" });
    this.scroller = make("div", { class: "g-graph-scroll" });
    this.picture = make("svg:svg", { role: "group", "aria-label": text("Connected lines, from left to right in time") });
    this.scroller.append(this.picture);
    this.list = make("ul");
    this.count = make("span", { class: "g-num" });
    this.replaceChildren(
      make("div", { class: "g-title" }, null, make("span", {}, text("Connections")),
        make("span", { class: "g-graph-tools" }, null, this.depth, iconButton(text("Close"), "close", () => this.removeAttribute("data-around"), { class: "g-sign" }))),
      this.keys, this.scroller, this.said,
      make("details", { class: "g-graph-list" }, null, make("summary", {}, null, text("As a list"), " ", this.count), this.list));
    this.scroller.addEventListener("click", (event) => this.#click(event));
    this.scroller.addEventListener("dblclick", (event) => this.#centre(event.target.closest(".node")));
    this.scroller.addEventListener("keydown", (event) => this.#press(event));
    for (const name of ["pointerover", "focusin"]) this.scroller.addEventListener(name, (event) => this.#point(event.target.closest(".node, .edge")));
    for (const name of ["pointerleave", "focusout"]) this.scroller.addEventListener(name, () => this.#point(null));
  }

  #key([type, dashes, colour, name]) {
    const sample = make("svg:svg", { width: 30, height: 8, "aria-hidden": "true" }, null,
      make("svg:line", { x1: 1, x2: 29, y1: 4, y2: 4, "stroke-dasharray": dashes, style: `stroke:${colour}` }));
    const key = make("button", { type: "button", class: "g-graph-key", "aria-pressed": "true", "data-type": type }, null, sample, name());
    key.addEventListener("click", () => {
      if (!this.#off.delete(type)) this.#off.add(type);
      key.setAttribute("aria-pressed", String(!this.#off.has(type)));
      this.#load();
    });
    return key;
  }

  // Later answers win: a slow one must not cover what was asked for after it.
  async #load() {
    const around = this.dataset.around, mine = ++this.#asked;
    const types = RELATIONS.map(([type]) => type).filter((type) => !this.#off.has(type));
    this.hidden = !around;
    if (!around) return;
    if (!types.length) return this.#say(text("Choose at least one kind of connection."));
    const reply = await fetch(`${this.dataset.source}?around=${around}&depth=${this.depth.value}&types=${types.join(",")}`);
    if (mine !== this.#asked) return;
    if (!reply.ok) return this.#say(await sentenceOf(reply));
    this.#graph = await reply.json();
    this.#draw();
    this.#lookAtCentre();
    this.#tellList();
    this.#point(null);
  }

  #say(sentence) {
    this.picture.replaceChildren();
    this.said.textContent = sentence;
  }

  #draw() {
    if (!this.#graph?.nodes.length || !this.scroller.clientWidth) return;
    const { nodes, edges, speakers, around } = this.#graph;
    const focused = this.picture.querySelector(":focus")?.dataset.id;
    const room = this.scroller.clientWidth - 36, margin = room < 600 ? 30 : 118;
    const placed = placeNodes(nodes, room, margin), at = new Map(placed.nodes.map((node) => [node.id, node]));
    for (const [name, value] of Object.entries({ width: placed.width, height: placed.height })) this.picture.setAttribute(name, value);
    const lanes = placed.lanes.flatMap((lane, row) => this.#lane(speakers[lane], NODE.top + row * NODE.lane, placed.width, margin));
    const between = new Map();
    const lines = edges.map(([source, target, type, weight, label]) => {
      const pair = [Math.min(source, target), Math.max(source, target)].join();
      const bend = between.get(pair) ?? 0;
      between.set(pair, bend + 1);
      const [, dashes, colour] = RELATIONS.find(([name]) => name === type);
      return make("svg:path", { class: "edge", d: curve(at.get(source), at.get(target), bend), "data-source": source, "data-target": target,
        "data-type": type, "data-weight": weight, "data-label": label, "stroke-dasharray": dashes,
        style: `stroke:${colour};stroke-width:${(1 + 1.2 * weight).toFixed(2)}` });
    });
    const blocks = placed.nodes.map((node) => this.#node(node, speakers[node.speaker], around.includes(node.id)));
    this.picture.replaceChildren(...lanes, ...lines, ...blocks);
    if (focused) this.picture.querySelector(`[data-id="${focused}"]`)?.focus();
  }

  #lookAtCentre() {
    const node = this.picture.querySelector(".node.centre"), { scroller } = this;
    if (!node || scroller.scrollWidth <= scroller.clientWidth) return;
    scroller.scrollLeft += node.getBoundingClientRect().left - scroller.getBoundingClientRect().left - scroller.clientWidth / 2;
  }

  #lane(speaker, y, width, margin) {
    const line = make("svg:line", { class: "rail", x1: margin - 8, x2: width, y1: y, y2: y });
    const badge = make("svg:rect", { x: 2, y: y - 9, width: 18, height: 18, rx: 5, style: `fill:var(--g-s${speaker.hue})` });
    const letter = make("svg:text", { class: "letter", x: 11, y: y + 4 }, speaker.letter);
    const short = speaker.name.length > 13 ? `${speaker.name.slice(0, 12)}…` : speaker.name;
    return [line, badge, letter, ...(margin > 60 ? [make("svg:text", { class: "who", x: 27, y: y + 4 }, short)] : [])];
  }

  #node(node, speaker, centre) {
    const { width, height } = NODE;
    const group = make("svg:g", { class: centre ? "node centre" : "node", role: "button", tabindex: "0", "data-id": node.id,
      "aria-label": text("{name}, {time}: {said}", { name: speaker.name, time: clock(node.start), said: node.text }),
      transform: `translate(${(node.x - width / 2).toFixed(1)} ${node.y - height / 2})` });
    group.append(make("svg:rect", { class: "box", width, height, rx: 8, style: `stroke:var(--g-s${speaker.hue})` }),
      make("svg:text", { class: "own", x: 9, y: 17, style: `fill:var(--g-s${speaker.hue})` }, speaker.letter),
      make("svg:text", { x: 9 + 7 * speaker.letter.length + 6, y: 17 }, clock(node.start)));
    return group;
  }

  #tellList() {
    const { nodes, edges, speakers, more } = this.#graph, at = new Map(nodes.map((node) => [node.id, node]));
    const name = (id) => `${speakers[at.get(id).speaker].name} ${clock(at.get(id).start)}`;
    this.count.textContent = `(${edges.length})`;
    this.list.replaceChildren(...edges.map(([source, target, type, weight, label]) => {
      const relation = RELATIONS.find(([one]) => one === type)[3]();
      const hear = make("button", { type: "button", class: "g-time", "data-start": at.get(source).start, "data-end": at.get(source).end }, name(source));
      return make("li", {}, null, hear, ` ${relation}${label ? ` (${label})` : ""} `,
        make("button", { type: "button", class: "g-time", "data-start": at.get(target).start, "data-end": at.get(target).end }, name(target)),
        make("span", { class: "g-soft g-num" }, ` ${weight.toFixed(2)}`));
    }));
    this.more = more ? text("{n} more lines are connected less closely.", { n: more }) : "";
  }

  // Say what is under the pointer or has the focus, and let the rest step back.
  #point(part) {
    const id = part?.dataset.id ?? null;
    const mine = (edge) => edge === part || (id !== null && (edge.dataset.source === id || edge.dataset.target === id));
    this.picture.classList.toggle("pointing", part !== null);
    const near = new Set(id === null ? [] : [id]);
    for (const edge of this.picture.querySelectorAll(".edge")) {
      edge.classList.toggle("near", mine(edge));
      if (mine(edge)) near.add(edge.dataset.source).add(edge.dataset.target);
    }
    for (const node of this.picture.querySelectorAll(".node")) node.classList.toggle("near", near.has(node.dataset.id));
    if (!this.#graph) return;
    if (part === null) this.said.textContent = [text("Click a line to hear it; double click or Enter puts it in the middle."), this.more].filter(Boolean).join(" ");
    else if (id !== null) this.said.textContent = part.getAttribute("aria-label");
    else {
      const relation = RELATIONS.find(([type]) => type === part.dataset.type)[3](), { label, weight } = part.dataset;
      this.said.textContent = `${relation}${label ? ` (${label})` : ""} · ${text("weight {n}", { n: Number(weight).toFixed(2) })}`;
    }
  }

  #play(node) {
    const found = this.#graph.nodes.find((one) => one.id === Number(node.dataset.id));
    timelineOf(this)?.play(found.start, found.end);
  }

  #click(event) {
    const node = event.target.closest(".node");
    if (node) this.#play(node);
  }

  #press(event) {
    const node = event.target.closest(".node");
    if (!node || !["Enter", " "].includes(event.key)) return;
    event.preventDefault();
    if (event.key === " ") this.#play(node); else this.#centre(node);
  }

  #centre(node) { if (node) this.dataset.around = node.dataset.id; }
}

customElements.define("grga-graph", Graph);
