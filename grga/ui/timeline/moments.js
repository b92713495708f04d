// <grga-marks data-marks="…">: hands the moments of an answer to the timeline of its meeting in the same tab.
// And what every tab shares: a click on anything with data-start plays it.

class Marks extends HTMLElement {
  static observedAttributes = ["data-marks"];
  get marks() { return JSON.parse(this.dataset.marks || '{"cited":[],"found":[]}'); }
  connectedCallback() { this.#hand(); }
  attributeChangedCallback() { if (this.isConnected) this.#hand(); }
  #hand() { timelineOf(this)?.mark(this.marks); }
}

// One citation is selected everywhere at once: timeline, answer and evidence.
function select(panel, number) {
  for (const node of panel.querySelectorAll("[data-cite]"))
    node.classList.toggle("selected", node.dataset.cite === String(number));
  for (const timeline of panel.querySelectorAll("grga-timeline")) timeline.select(number);
  const evidence = panel.querySelector(`.g-evidence [data-cite="${number}"]`);
  const column = evidence?.closest(".g-evidence");
  if (column && column.scrollHeight > column.clientHeight)
    column.scrollTo({ top: evidence.offsetTop - column.clientHeight / 3, behavior: "smooth" });
}

// data-start plays, data-end stops it, data-cite selects it, data-meeting (around it) says whose timeline.
document.addEventListener("click", (event) => {
  const node = event.target.closest?.("[data-start]");
  if (!node || event.defaultPrevented || !getSelection().isCollapsed) return;
  const timeline = timelineOf(node);
  if (!timeline) return;
  if (node.dataset.cite) select(panelOf(node), Number(node.dataset.cite));
  timeline.play(Number(node.dataset.start), node.dataset.end ? Number(node.dataset.end) : null);
});

customElements.define("grga-timeline", Timeline);
customElements.define("grga-marks", Marks);
