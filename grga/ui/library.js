// The library in the browser: search as you type, order, tags, and a choice of meetings that goes to Ask.
// The list comes from the server whole; what a visitor typed and ticked is kept here while it is replaced.

{  // a block of its own: its names are nobody else's

const page = { query: "", order: "newest", only: "", chosen: new Set(), tagging: "", focus: null };
const plain = (words) => words.normalize("NFKC").toLowerCase();

const ORDERS = {
  newest: (a, b) => b.dataset.created - a.dataset.created,
  longest: (a, b) => b.dataset.duration - a.dataset.duration,
  title: (a, b) => a.dataset.title.localeCompare(b.dataset.title, undefined, { numeric: true }),
};

// Tell the server: a click on a node with data-action is what it hears.
const send = (host, values) => {
  const node = make("button", { type: "button", hidden: "" });
  Object.assign(node.dataset, values);
  host.append(node);
  node.click();
  node.remove();
};

// Bring a form that the server is about to show into view, for on a phone it stands below the list.
const lead = (selector) => {
  const watch = new MutationObserver(() => {
    const form = document.querySelector(selector);
    if (!form?.offsetParent) return;
    watch.disconnect();
    form.scrollIntoView({ block: "nearest", behavior: "smooth" });
  });
  watch.observe(document.body, { childList: true, subtree: true, attributes: true });
};

// --- what is found and in which order -------------------------------------------------------------

class Library extends HTMLElement {
  connectedCallback() {
    this.list = this.querySelector("ul");
    this.tools = () => panelOf(this).querySelector("grga-library-tools");
    if (this.list) {
      const ids = new Set(this.rows.map((row) => row.dataset.id));
      page.chosen = new Set([...page.chosen].filter((id) => ids.has(id)));
      if (page.only && !this.querySelector(`[data-only="${CSS.escape(page.only)}"]`)) page.only = "";
      for (const box of this.querySelectorAll("input[type=checkbox]"))
        box.checked = page.chosen.has(box.closest("li").dataset.id);
      this.addEventListener("change", (event) => this.tick(event.target));
      this.addEventListener("click", (event) => this.click(event.target));
      this.addEventListener("keydown", (event) => this.key(event));
      const open = page.tagging && this.querySelector(`[data-new="${CSS.escape(page.tagging)}"]`);
      if (open) this.tag(open);
    }
    this.fit();
    keepFocus(this);
  }

  get rows() { return [...this.list?.children ?? []]; }

  // Show the rows that hold every word of the search, in the order asked for.
  fit() {
    const words = plain(page.query).split(/\s+/).filter(Boolean);
    const found = this.rows.filter((row) => {
      const tagged = !page.only || row.dataset.tags.split("\n").includes(page.only);
      row.hidden = !(tagged && words.every((word) => row.dataset.words.includes(word)));
      return !row.hidden;
    });
    const ordered = this.rows.sort(ORDERS[page.order]);
    if (ordered.some((row, place) => row !== this.list.children[place])) this.list.append(...ordered);
    for (const button of this.querySelectorAll("[data-only]"))
      button.setAttribute("aria-pressed", String(button.dataset.only === page.only));
    const unfit = this.querySelector(".g-unfit");
    if (unfit) {
      unfit.hidden = found.length > 0;
      unfit.querySelector("p").textContent = page.query.trim()
        ? text("No meeting fits “{query}”.", { query: page.query.trim() }) : text("No meeting has this tag.");
    }
    this.tools()?.show(found.length, this.rows.length);
  }

  tick(box) {
    if (box.type !== "checkbox") return;
    page.chosen[box.checked ? "add" : "delete"](box.closest("li").dataset.id);
    this.fit();
  }

  click(node) {
    const only = node.closest("[data-only]"), fresh = node.closest("[data-new]");
    if (only) page.only = page.only === only.dataset.only ? "" : only.dataset.only;
    else if (node.closest("[data-all]")) { page.only = ""; this.tools()?.search(""); }
    else if (fresh) return this.tag(fresh);
    else if (node.closest('[data-action="rerun"]')) return lead("#rerun");
    else return;
    this.fit();
  }

  // Up and down go from row to row; the search stands above the first one.
  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !event.target.matches(".g-row")) return;
    const rows = this.rows.filter((row) => !row.hidden).map((row) => row.querySelector(".g-row")).filter(Boolean);
    const next = rows.indexOf(event.target) + step;
    event.preventDefault();
    if (next < 0) this.tools()?.focus(); else rows[next]?.focus();
  }

  first() { this.rows.find((row) => !row.hidden)?.querySelector(".g-row")?.focus(); }

  // A small form in the place of "+ tag"; Enter saves, Escape leaves.
  tag(button) {
    page.tagging = button.dataset.new;
    const label = text("New tag for {title}", { title: button.dataset.title });
    const field = make("input", { type: "text", maxlength: "40", "aria-label": label, placeholder: text("tag"), list: "grga-tags" });
    const known = make("datalist", { id: "grga-tags" });
    for (const one of this.querySelectorAll("[data-only]")) known.append(make("option", { value: one.dataset.only }));
    const form = make("form", { class: "g-newtag" }, null, field, known, make("button", { type: "submit", class: "g-small" }, text("Add")));
    const leave = () => { page.tagging = ""; form.replaceWith(button); };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const tag = field.value.trim();
      leave();
      if (tag) send(this, { action: "tag", id: button.dataset.new, tag });
    });
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { leave(); button.focus(); }
    });
    button.replaceWith(form);
    field.focus();
  }
}

class LibraryTools extends HTMLElement {
  connectedCallback() {
    this.field = this.querySelector("input");
    this.list = () => panelOf(this).querySelector("grga-library");
    this.field.value = page.query;
    this.querySelector("select").value = page.order;
    this.field.addEventListener("input", () => this.search(this.field.value));
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") { event.preventDefault(); this.list()?.first(); }
      if (event.key === "Escape" && page.query) { event.preventDefault(); this.search(""); }
    });
    this.querySelector("select").addEventListener("change", (event) => {
      page.order = event.target.value;
      this.list()?.fit();
    });
    this.querySelector("[data-clear]").addEventListener("click", () => {
      page.chosen.clear();
      for (const box of this.list()?.querySelectorAll("input[type=checkbox]") ?? []) box.checked = false;
      this.list()?.fit();
    });
    this.list()?.fit?.();
  }

  focus() { this.field.focus(); }

  search(query) {
    page.query = query;
    if (this.field.value !== query) this.field.value = query;
    this.list()?.fit();
  }

  show(found, all) {
    this.hidden = all === 0;
    this.querySelector(".g-shown").textContent = found === all ? String(all) : text("{n} of {all}", { n: found, all });
    const number = page.chosen.size;
    this.querySelector(".g-chosen").hidden = number === 0;
    this.querySelector(".g-number").textContent = text("{n} chosen", { n: number });
    this.querySelector('[data-action="ask"]').dataset.ids = [...page.chosen].join(" ");
  }
}

// --- focus survives a list that is replaced --------------------------------------------------------

class Jobs extends HTMLElement {
  connectedCallback() { keepFocus(this); }
}

const NAMED = ["action", "id", "tag", "stage"];

function keepFocus(element) {
  const wanted = page.focus;
  if (!wanted || wanted.tag !== element.localName || document.activeElement !== document.body) return;
  const same = [...element.querySelectorAll("[data-action]")]
    .find((node) => NAMED.every((name) => node.dataset[name] === wanted.data[name]));
  same?.focus({ preventScroll: true });
}

document.addEventListener("focusin", ({ target }) => {
  const host = target.closest("grga-library, grga-jobs"), node = target.closest("[data-action]");
  page.focus = host && node ? { tag: host.localName, data: { ...node.dataset } } : null;
});
document.addEventListener("pointerdown", () => { page.focus = null; });

customElements.define("grga-library-tools", LibraryTools);
customElements.define("grga-library", Library);
customElements.define("grga-jobs", Jobs);

}
