// Small tools that every element of the page uses. Texts reach the page only through textContent and
// setAttribute, never as markup.

const SVG = "http://www.w3.org/2000/svg";

const clock = (seconds) => {
  const s = Math.max(0, Math.floor(seconds)), h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
  const rest = String(s % 60).padStart(2, "0");
  return h ? `${h}:${String(m).padStart(2, "0")}:${rest}` : `${m}:${rest}`;
};

// A node with attributes, text and children; "svg:…" makes an SVG node.
const make = (name, attributes = {}, content = null, ...children) => {
  const node = name.startsWith("svg:")
    ? document.createElementNS(SVG, name.slice(4)) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (content !== null) node.textContent = content;
  node.append(...children);
  return node;
};

const ICONS = {
  edit: "M3 13l.6-2.6L10.8 3.2a1.2 1.2 0 0 1 1.7 0l.3.3a1.2 1.2 0 0 1 0 1.7L5.6 12.4z",
  who: "M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3.5 13.5c.4-2.6 2.2-3.8 4.5-3.8s4.1 1.2 4.5 3.8",
  graph: "M4 6.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM12 9.7a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM5 13.7a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM5.6 5.2l4.8 2M6.6 11.3l4-2.4",
  merge: "M3 3.5c3 0 3 4.5 6.5 4.5H13M3 12.5c3 0 3-4.5 6.5-4.5M10.5 5.5L13 8l-2.5 2.5",
  hear: "M5 3.5v9l7-4.5z",
  undo: "M6 3.5L3 6.5l3 3M3.2 6.5H9.5a3.3 3.3 0 0 1 0 6.6H7",
  redo: "M10 3.5l3 3-3 3M12.8 6.5H6.5a3.3 3.3 0 0 0 0 6.6H9",
  close: "M4 4l8 8M12 4l-8 8",
  before: "M10 3.5L5.5 8l4.5 4.5",
  after: "M6 3.5L10.5 8 6 12.5",
};

const icon = (name) => make("svg:svg", { class: "g-icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, null, make("svg:path", { d: ICONS[name] }));

// A button with an icon; `label` is its name for those who do not see it, and its tooltip.
const iconButton = (label, name, act, attributes = {}) => {
  const node = makeButton(label, null, act, attributes);
  node.append(icon(name));
  return node;
};

// A button with a letter or word; `label` is its name for those who do not see it, and its tooltip.
const makeButton = (label, content, act, attributes = {}) => {
  const node = make("button", { type: "button", "aria-label": label, title: label, ...attributes }, content);
  node.addEventListener("click", act);
  return node;
};

// A speaker's letter and name, as render.chip makes it.
const chip = (speaker) => make("span", { class: "g-speaker" }, null,
  make("i", { style: `--c:var(--g-s${speaker.hue})`, "aria-hidden": "true" }, speaker.letter),
  document.createTextNode(speaker.name));

const panelOf = (node) => node.closest('[role="tabpanel"]') ?? document.body;

// The timeline that belongs to a node: that of its meeting (data-meeting), else the first of its tab.
const timelineOf = (node) => {
  const meeting = node.closest("[data-meeting]")?.dataset.meeting;
  const all = [...panelOf(node).querySelectorAll("grga-timeline")];
  return all.find((one) => meeting && one.model?.id === meeting) ?? all[0] ?? null;
};

// The first index whose value is not below `wanted`; `valueAt` must not fall.
const lowerBound = (length, valueAt, wanted) => {
  let low = 0, high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (valueAt(middle) < wanted) low = middle + 1; else high = middle;
  }
  return low;
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

// At most one call per frame, however often it is asked for.
const oncePerFrame = (act) => {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; act(); });
  };
};
