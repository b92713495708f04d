// The Ask tab in the browser: moments that play and stop, quotes in tooltips, links that are copied, and small
// helpers that keep what a visitor unfolded. Needs tools.js, player.js and moments.js of the timeline.

{  // a block of its own: its names are nobody else's

const LEAD_IN = 0.8;  // seconds of context before a cited moment

// --- moments ------------------------------------------------------------------------------------
// data-from and data-to play; data-meeting says whose recording; data-cite is the number shared by all.

let sounding = null;  // {panel, key}: what was started last and may still sound

const keyOf = (node) => [node.dataset.meeting, node.dataset.from, node.dataset.to].join(" ");

async function hear(node) {
  const panel = panelOf(node), key = keyOf(node);
  if (sounding?.key === key && player.playing) return player.pause();
  const timeline = await stage(panel, node.dataset.meeting);
  if (!timeline) return;
  if (node.dataset.cite) select(panel, Number(node.dataset.cite));
  sounding = { panel, key };
  timeline.play(Math.max(0, Number(node.dataset.from) - LEAD_IN), Number(node.dataset.to));
}

// Show the timeline of a meeting in the place of the one that is there; return it.
async function stage(panel, meeting) {
  const place = panel.querySelector(".g-timeline");
  if (!place) return null;
  const shown = place.querySelector("grga-timeline");
  if (!meeting || shown?.model?.id === meeting) return shown;
  const source = `grga/meetings/${encodeURIComponent(meeting)}/timeline.json`;
  const reply = await fetch(source);
  if (!reply.ok) return null;  // deleted since: its quotes remain to be read
  const title = panel.querySelector(`[data-stage="${CSS.escape(meeting)}"]`)?.textContent ?? "";
  const model = JSON.stringify({ ...await reply.json(), title });
  place.dataset.meeting = meeting;
  place.replaceChildren(make("grga-timeline", { "data-source": source, "data-model": model }));
  sync();
  return place.firstChild;
}

// <grga-show data-meeting data-turn>: which meeting's timeline is to be seen from now on.
class Show extends HTMLElement {
  static observedAttributes = ["data-meeting", "data-turn"];
  attributeChangedCallback() { queueMicrotask(() => { if (this.isConnected) stage(panelOf(this), this.dataset.meeting); }); }
}

// <grga-moments data-meeting data-marks> holds what a timeline marks, one per meeting of the answer: whenever
// marks or timeline have changed, they are brought together.
const handed = new WeakMap();
function handMarks() {
  for (const timeline of document.querySelectorAll("grga-timeline")) {
    const meeting = timeline.model?.id, panel = panelOf(timeline);
    const marks = meeting && panel.querySelector(`grga-moments[data-meeting="${CSS.escape(meeting)}"]`)?.dataset.marks;
    const before = handed.get(timeline), now = { model: timeline.dataset.model, marks };
    if (!marks || (before?.model === now.model && before.marks === marks)) continue;
    handed.set(timeline, now);
    timeline.mark(JSON.parse(marks));
  }
}

player.addEventListener("time", () => {
  const key = sounding && player.playing ? sounding.key : null;
  if (!key && !document.querySelector(".sounding")) return;
  for (const node of sounding.panel.querySelectorAll("[data-from]")) {
    const on = keyOf(node) === key;
    if (node.classList.contains("sounding") === on) continue;
    node.classList.toggle("sounding", on);
    const button = node.querySelector(".g-play");
    if (button) button.textContent = on ? "■" : "▶";
  }
});

document.addEventListener("click", (event) => {
  const target = event.target.closest?.("[data-from], [data-stage]");
  if (!target || event.defaultPrevented || !getSelection().isCollapsed) return;
  if (target.dataset.from) hear(target);
  else stage(panelOf(target), target.dataset.stage);
});

// --- tooltips -----------------------------------------------------------------------------------

const tip = make("div", { class: "g-tip", id: "g-tip", role: "tooltip", hidden: "" });
let tipped = null;

function showTip(node) {
  if (node === tipped) return;
  hideTip();
  const lines = node.dataset.tip ? [make("p", {}, node.dataset.tip)] : quoteOf(node);
  if (!lines) return;
  tipped = node;
  tip.replaceChildren(...lines);
  if (!tip.isConnected) (document.querySelector(".gradio-container") ?? document.body).append(tip);
  tip.hidden = false;
  node.setAttribute("aria-describedby", tip.id);
  const at = node.getBoundingClientRect(), below = at.top < tip.offsetHeight + 16;
  const left = Math.min(Math.max(at.left + at.width / 2 - tip.offsetWidth / 2, 8), innerWidth - tip.offsetWidth - 8);
  tip.style.left = `${left}px`;
  tip.style.top = `${below ? at.bottom + 8 : at.top - tip.offsetHeight - 8}px`;
  if (node.dataset.cite) light(node, Number(node.dataset.cite));
}

function hideTip() {
  if (!tipped) return;
  if (tipped.dataset.cite) light(tipped, Number(panelOf(tipped).querySelector(".selected[data-cite]")?.dataset.cite ?? 0));
  tipped.removeAttribute("aria-describedby");
  tipped = null;
  tip.hidden = true;
}

// Light one moment on the timeline, if it is there.
function light(node, number) {
  const timeline = panelOf(node).querySelector("grga-timeline");
  if (timeline && (!number || timeline.model?.id === node.dataset.meeting)) timeline.select(number || null);
}

// Speaker, time and words of a citation, from the list of evidence.
function quoteOf(node) {
  const evidence = panelOf(node).querySelector(`.g-evidence [data-cite="${node.dataset.cite}"]`);
  if (!evidence) return null;
  const who = make("p", { class: "g-tip-who" }, null, ...evidence.querySelector(".g-who").cloneNode(true).childNodes);
  return [who, make("p", {}, evidence.querySelector("blockquote").textContent)];
}

const TIPPED = "button.g-pill[data-cite], [data-tip]";
for (const [name, act] of [["pointerover", showTip], ["focusin", showTip]])
  document.addEventListener(name, (event) => {
    const node = event.target.closest?.(TIPPED);
    if (node && (name === "focusin" || event.pointerType !== "touch" || node.dataset.tip)) act(node);
    else if (name === "pointerover" && tipped !== document.activeElement) hideTip();
  });
document.addEventListener("focusout", hideTip);
addEventListener("scroll", hideTip, { passive: true, capture: true });
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });

// --- long quotes --------------------------------------------------------------------------------

// What is drawn anew by the server keeps its elements and loses what we changed in them, so ours live in shadow roots.

const QUOTE = `
:host { display: block; min-width: 0; } div { max-height: calc(3 * 1.5em); line-height: 1.5; overflow: hidden; } div.whole { max-height: none; }
button { font: inherit; font-size: 13px; color: var(--g-soft); background: none; border: 0; padding: 2px 0; cursor: pointer; text-decoration: underline; text-underline-offset: 3px; }
button:hover { color: var(--g-ink); } button:focus-visible { outline: 2px solid var(--g-accent); outline-offset: 2px; border-radius: 4px; }
`;

class Quote extends HTMLElement {
  constructor() {
    super();
    this.words = make("div", {}, null, make("slot"));
    this.more = make("button", { type: "button", "aria-expanded": "false", hidden: "" }, text("more"));
    this.more.addEventListener("click", (event) => {
      event.preventDefault();  // unfolding is not playing
      const whole = this.words.classList.toggle("whole");
      this.more.textContent = whole ? text("less") : text("more");
      this.more.setAttribute("aria-expanded", String(whole));
    });
    this.attachShadow({ mode: "open" }).append(make("style", {}, QUOTE), this.words, this.more);
    this.seen = new ResizeObserver(() => {
      if (!this.words.classList.contains("whole")) this.more.hidden = this.words.scrollHeight <= this.words.clientHeight + 2;
    });
  }

  connectedCallback() {
    this.seen.observe(this.words);
    const quote = this.querySelector("blockquote");
    if (quote) this.seen.observe(quote);
  }
  disconnectedCallback() { this.seen.disconnect(); }
}

// --- links, times, words for screen readers --------------------------------------------------------

class Address extends HTMLElement {
  static observedAttributes = ["data-answer", "data-meeting"];
  attributeChangedCallback() { queueMicrotask(() => this.#write()); }
  #write() {
    const address = new URL(location.href);
    for (const name of ["answer", "meeting"])
      if (this.dataset[name]) address.searchParams.set(name, this.dataset[name]); else address.searchParams.delete(name);
    if (address.href !== location.href) history.replaceState(history.state, "", address);
  }
}

class Time extends HTMLElement {
  static observedAttributes = ["data-at"];
  attributeChangedCallback() {
    const when = new Date(this.dataset.at), today = new Date().toDateString() === when.toDateString();
    const how = today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
    if (!this.shadowRoot) this.attachShadow({ mode: "open" });
    this.shadowRoot.textContent = new Intl.DateTimeFormat(navigator.language, how).format(when);
  }
}

const live = make("div", { class: "g-sr", role: "status", "aria-live": "polite" });
class Announce extends HTMLElement {
  static observedAttributes = ["data-text", "data-turn"];
  attributeChangedCallback() { queueMicrotask(() => say(this.dataset.text)); }
}
function say(words) {
  if (!live.isConnected) (document.querySelector("main") ?? document.body).append(live);
  live.textContent = words;
}

async function copy(button) {
  const link = new URL(button.dataset.copy, location.origin + location.pathname).href;
  try { await navigator.clipboard.writeText(link); } catch {
    const area = make("textarea", { class: "g-sr", "aria-hidden": "true" });
    document.body.append(area);
    area.value = link;
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) return prompt(text("Copy this link"), link);
  }
  const before = button.textContent;
  if (before === button.dataset.done) return;
  button.textContent = button.dataset.done;
  say(button.dataset.done);
  setTimeout(() => { button.textContent = before; }, 2000);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (button) copy(button);
  for (const menu of document.querySelectorAll(".g-menu[open]"))
    if (!menu.contains(event.target) || event.target.closest("a")) menu.open = false;
});

// --- forms and lists made in Python ------------------------------------------------------------------

// A button with data-collect hands on what its form holds, in data-form, before its own event is sent.
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-collect]"), form = button?.closest("form");
  if (!form) return;
  const values = {};
  for (const [name, value] of new FormData(form)) (values[name] ??= []).push(value);
  button.dataset.form = JSON.stringify(values);
}, true);
document.addEventListener("submit", (event) => {
  if (!event.target.matches(".g-feedback")) return;
  event.preventDefault();
  event.target.querySelector("[data-collect]").click();
}, true);

// A thumb shows at once what the server will say: pressed, or taken back.
document.addEventListener("click", (event) => {
  const thumb = event.target.closest?.('[data-action="rate"]');
  if (!thumb) return;
  const pressed = thumb.getAttribute("aria-pressed") === "true";
  for (const one of thumb.parentElement.querySelectorAll('[data-action="rate"]'))
    one.setAttribute("aria-pressed", String(one === thumb && !pressed));
});

// Narrow a list to the lines that hold all words typed.
function narrow(input) {
  const words = input.value.toLowerCase().split(/\s+/);
  for (const line of input.parentElement.querySelectorAll(input.dataset.filters))
    line.hidden = !words.every((word) => line.textContent.toLowerCase().includes(word));
}
document.addEventListener("input", (event) => { if (event.target.matches?.("[data-filters]")) narrow(event.target); });

// Ctrl/⌘+Enter asks from every field of the question, its limits too.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !event.target.closest?.("#question, #limits")) return;
  event.preventDefault();
  event.target.dispatchEvent(new Event("change", { bubbles: true }));
  document.querySelector("#ask")?.click();
});

// --- what the server draws anew -----------------------------------------------------------------------
// Gradio lets new HTML flow into the elements that are there. What the visitor did to them is done again.

const unfolded = new Map();
document.addEventListener("click", (event) => {
  const folder = event.target.closest?.("summary")?.parentElement;
  if (folder?.dataset.key) unfolded.set(folder.dataset.key, !folder.open);
});

function sync() {
  handMarks();
  for (const folder of document.querySelectorAll("details[data-key]"))
    if (unfolded.has(folder.dataset.key) && folder.open !== unfolded.get(folder.dataset.key))
      folder.open = unfolded.get(folder.dataset.key);
  for (const input of document.querySelectorAll("[data-filters]")) if (input.value) narrow(input);
  if (tipped && !tipped.isConnected) hideTip();
}
new MutationObserver(oncePerFrame(sync)).observe(document, {
  childList: true, subtree: true, attributes: true, attributeFilter: ["data-model", "data-marks", "open"],
});

customElements.define("grga-show", Show);
customElements.define("grga-quote", Quote);
customElements.define("grga-address", Address);
customElements.define("grga-time", Time);
customElements.define("grga-announce", Announce);

}
