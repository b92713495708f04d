// <grga-items>: every item, filtered; one of them opened with its history; files out and in.

const STATES = ["proposed", "in_review", "adjudication", "accepted", "rejected", "failed"];
const STATE_NAMES = { proposed: text("proposed"), in_review: text("in review"), adjudication: text("disputed"), accepted: text("accepted"), rejected: text("rejected"), failed: text("failed") };
const EXPORTS = [["jsonl", "JSONL"], ["csv", "CSV"], ["parquet", "Parquet"], ["dataset", text("Data set with sound")]];

class Items extends HTMLElement {
  #filter = { status: "", type: "", meeting: "", batch: "", words: "", gold: "" };
  #first = 0;
  #open = "";
  #typing = null;
  #seen = new IntersectionObserver(([entry]) => { if (entry.isIntersecting) this.refresh(); });

  connectedCallback() {
    if (!this.children.length) this.#frame();
    this.#seen.observe(this);
  }

  disconnectedCallback() { this.#seen.disconnect(); }

  #frame() {
    this.filters = make("div", { class: "g-item-filters" });
    this.files = make("div", { class: "g-item-files" });
    this.said = make("div", { class: "g-item-said", role: "status" });
    this.list = make("ul", { class: "g-item-list" });
    this.pages = make("div", { class: "g-item-pages" });
    this.replaceChildren(make("section", { class: "g-panel g-items" }, null, this.filters, this.list, this.pages),
      make("section", { class: "g-panel g-files" }, null, make("div", { class: "g-title" }, text("Files")), this.files, this.said));
  }

  async refresh() {
    try {
      const setup = await asked("setup.json");
      this.#drawFilters(setup);
      this.#drawFiles();
      await this.#load();
    } catch (error) {
      this.#say([error.message], "bad");
    }
  }

  get #query() { return new URLSearchParams(Object.entries(this.#filter).filter(([, value]) => value)).toString(); }

  #set(name, value) {
    this.#filter[name] = value;
    this.#first = 0;
    this.#drawFiles();
    return this.#load().catch((error) => this.#say([error.message], "bad"));
  }

  #drawFilters({ types, meetings, batches }) {
    if (this.filters.contains(document.activeElement)) return;  // never under somebody's fingers
    const select = (label, name, options) => {
      const node = make("select", { class: "g-field", "aria-label": label }, null, make("option", { value: "" }, label), ...options.map(([value, shown]) => make("option", { value }, shown)));
      node.value = this.#filter[name];
      node.addEventListener("change", () => this.#set(name, node.value));
      return node;
    };
    const words = make("input", { type: "search", class: "g-field", placeholder: text("Find words"), "aria-label": text("Find words") });
    words.value = this.#filter.words;
    words.addEventListener("input", () => { clearTimeout(this.#typing); this.#typing = setTimeout(() => this.#set("words", words.value.trim()), 250); });
    const gold = make("input", { type: "checkbox" });
    gold.checked = this.#filter.gold === "1";
    gold.addEventListener("change", () => this.#set("gold", gold.checked ? "1" : ""));
    this.filters.replaceChildren(words, select(text("Any status"), "status", STATES.map((one) => [one, STATE_NAMES[one]])),
      select(text("Any type"), "type", Object.keys(types).map((one) => [one, text(one)])),
      select(text("All meetings"), "meeting", meetings.map(({ id, title }) => [id, title])), select(text("All batches"), "batch", batches.map(({ name }) => [name, name])),
      make("label", { class: "g-gold-switch", title: text("They measure annotators, so they are not in the list otherwise.") }, null, gold, text("Gold items")));
  }

  async #load() {
    const { total, items } = await asked(`items.json?${this.#query}${this.#query ? "&" : ""}first=${this.#first}`);
    if (!items.length) {
      const none = Object.values(this.#filter).some(Boolean) ? text("No question fits.") : text("No questions yet: generate some, write one, or import a file.");
      this.list.replaceChildren(make("li", { class: "g-none" }, none));
    } else this.list.replaceChildren(...items.map((one) => this.#row(one)));
    const page = 50, step = (to, label) => makeButton(label, label, () => { this.#first = to; this.#load(); }, { class: "g-small" });
    this.pages.replaceChildren(make("span", { class: "g-soft g-num" }, total === 1 ? text("1 question") : text("{n} questions", { n: total })),
      ...(this.#first > 0 ? [step(Math.max(0, this.#first - page), text("Before"))] : []), ...(this.#first + items.length < total ? [step(this.#first + page, text("Next"))] : []));
  }

  #row(one) {
    const opened = one.key === this.#open;
    const head = make("button", { type: "button", class: "g-item-row", "aria-expanded": String(opened) }, null,
      make("span", { class: `g-state-mark ${one.status}` }, STATE_NAMES[one.status]), make("b", {}, one.question),
      make("span", { class: "g-soft g-item-facts" }, [text(one.type), text(one.subtask), one.title, one.batch, one.generator].filter(Boolean).join(" · ")));
    const row = make("li", { "data-key": one.key }, null, head);
    head.addEventListener("click", () => this.#toggle(row, head, one.key));
    if (opened) this.#fill(row, one.key);
    return row;
  }

  #toggle(row, head, key) {
    const more = row.querySelector(".g-item-more");
    head.setAttribute("aria-expanded", String(!more));
    this.#open = more ? "" : key;
    if (more) more.remove(); else this.#fill(row, key);
  }

  async #fill(row, key) {
    const box = make("div", { class: "g-item-more" }, text("Loading…"));
    row.append(box);
    try { this.#draw(box, await asked(`items/${encodeURIComponent(key)}`)); } catch (error) { box.textContent = error.message; }
  }

  #draw(box, item) {
    const facts = [item.prompt, text("{n} hops", { n: item.hops }), item.seconds ? text("{n} s", { n: item.seconds.toFixed(1) }) : "", item.tokens ? text("{n} tokens", { n: item.tokens }) : "", item.verifier ? text("settled by {name}", { name: item.verifier }) : ""];
    const failed = item.status === "failed";
    const evidence = item.evidence.map((one) => make("li", {}, null, make("span", { class: "g-num g-soft" }, `${fineClock(one.start)}–${fineClock(one.end)} `), make("b", {}, one.speaker), ` ${one.text}`));
    const checks = item.checks.filter((one) => !one.passed).map((one) => make("li", { class: "g-warn" }, `${text(one.name)}: ${one.reason}`));
    const history = item.history.map((one) => this.#entry(one));
    box.replaceChildren(
      ...(failed ? [] : [make("p", { class: "g-item-answer" }, item.answer)]),
      make("p", { class: "g-soft g-num" }, facts.filter(Boolean).join(" · ")),
      ...(evidence.length ? [make("ul", { class: "g-item-evidence" }, null, ...evidence)] : []),
      ...(checks.length ? [make("ul", { class: "g-item-checks" }, null, ...checks)] : []),
      ...(item.reasoning ? [make(failed ? "div" : "details", { class: "g-item-reasoning" }, null, ...(failed ? [make("b", {}, text("Why it failed, and what was written"))] : [make("summary", {}, text("As the generator tells it"))]), make("pre", {}, item.reasoning))] : []),
      make("div", { class: "g-title" }, text("History")),
      make("ol", { class: "g-item-history" }, null, ...history, ...(item.held_back ? [make("li", { class: "g-soft" }, text("What was said about it is shown when it is settled."))] : [])),
      ...(failed ? [] : [this.#gold(item)]));
  }

  #entry({ at, by, action, note, changes }) {
    const said = Object.entries(changes).filter(([name]) => name !== "verifier").map(([name, [before, after]]) => make("li", {}, `${text(name)}: ${brief(before)} → ${brief(after)}`));
    return make("li", {}, null, make("span", { class: "g-num g-soft" }, new Date(at).toLocaleString()), ` ${by}: `, make("b", {}, text(action)), ...(note ? [` (${note})`] : []), ...(said.length ? [make("ul", {}, null, ...said)] : []));
  }

  #gold(item) {
    const act = (accept) => async () => {
      const name = kept.read("name", "");
      if (!name) return this.#say([text("Say who you are under Verify first.")], "warn");
      try {
        await asked("gold", { name, key: item.key, accept });
        await this.#load();
      } catch (error) { this.#say([error.message], "bad"); }
    };
    const choices = item.gold ? [[text("No longer gold"), null]] : [[text("Gold: right is accept"), true], [text("Gold: right is reject"), false]];
    return make("div", { class: "g-item-gold" }, null, make("span", { class: "g-soft" }, item.gold ? text("A gold item: it measures annotators.") : text("Let it measure annotators?")),
      ...choices.map(([label, accept]) => makeButton(label, label, act(accept), { class: "g-small" })));
  }

  // --- files ---------------------------------------------------------------------------------------

  #drawFiles() {
    if (this.files.contains(document.activeElement)) return;
    const links = EXPORTS.map(([format, label]) => make("a", { class: "g-small", href: `grga/annotate/export/${format}${this.#query ? `?${this.#query}` : ""}`, download: "" }, label));
    const field = make("input", { type: "file", accept: ".jsonl,.csv,.parquet", class: "g-file", id: "g-import" });
    const update = make("input", { type: "checkbox" });
    field.addEventListener("change", () => { const [file] = field.files; field.value = ""; if (file) this.#import(file, update.checked); });
    this.files.replaceChildren(
      make("p", { class: "g-soft" }, text("Take out what the list shows. The data set holds accepted questions alone, split by meeting.")), make("div", { class: "g-file-links" }, null, ...links),
      make("label", { for: field.id, class: "g-file-label" }, text("Bring in a JSONL, CSV or Parquet file")), field,
      make("label", { class: "g-update" }, null, update, text("Replace questions that are here already")));
  }

  async #import(file, update) {
    const name = kept.read("name", "") || "import";
    this.#say([text("Reading {file}…", { file: file.name })], "plain");
    try {
      const reply = await fetch(`grga/annotate/import?${new URLSearchParams({ file: file.name, name, ...(update ? { update: "1" } : {}) })}`,
        { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });
      if (!reply.ok) throw new Error(await sentenceOf(reply));
      const { added, updated, unchanged, problems, notes } = await reply.json();
      const lines = [text("{added} added, {updated} replaced, {unchanged} here already.", { added, updated, unchanged }), ...notes, ...problems];
      this.#say(lines, problems.length ? "warn" : "ok");
      await this.refresh();
    } catch (error) { this.#say([error.message], "bad"); }
  }

  #say(lines, kind) {
    this.said.replaceChildren(make("div", { class: `g-notice ${kind}` }, null, ...lines.slice(0, 50).map((line) => make("p", {}, line))));
  }
}

const brief = (value) => {
  const plain = typeof value === "string" ? value : Array.isArray(value) && value[0]?.utt_id !== undefined
    ? value.map((one) => `${fineClock(one.start)}–${fineClock(one.end)}`).join(", ") : JSON.stringify(value);
  return plain.length > 160 ? `${plain.slice(0, 159)}…` : plain;
};

customElements.define("grga-items", Items);
