// Find in all lines of a meeting, also in those that are not in the page (the browser's own find sees only those).

class Find {
  #lines = [];
  #asides = [];
  #byLine = new Map();
  query = "";
  matches = [];  // [line, character] in order
  at = -1;

  // Look in `lines` (texts), and after each in its `asides` (what is shown beside it: "laughter"); the match
  // that was current stays so if it is still there.
  take(lines, asides = []) {
    this.#lines = lines;
    this.#asides = asides;
    this.search(this.query, this.matches[this.at]?.[0] ?? 0);
  }

  // Find `query` whatever the case; the first match at or after `line` becomes the current one.
  search(query, line = 0) {
    this.query = query;
    this.matches = [];
    this.#byLine.clear();
    const wanted = query.toLowerCase();
    if (wanted) this.#lines.forEach((said, number) => {
      const low = [said, ...(this.#asides[number] ?? [])].join("\n").toLowerCase();
      for (let at = low.indexOf(wanted); at >= 0; at = low.indexOf(wanted, at + wanted.length)) {
        if (!this.#byLine.has(number)) this.#byLine.set(number, []);
        this.#byLine.get(number).push([at, this.matches.length]);
        this.matches.push([number, at]);
      }
    });
    const next = this.matches.findIndex(([number]) => number >= line);
    this.at = this.matches.length ? Math.max(next, 0) : -1;
  }

  // Go to the next match (or back with -1), around the end; return its line or null.
  move(step) {
    if (!this.matches.length) return null;
    this.at = (this.at + step + this.matches.length) % this.matches.length;
    return this.matches[this.at][0];
  }

  // The text of a line as nodes, its matches marked.
  marked(number, said) {
    const found = this.#byLine.get(number);
    if (!found) return [document.createTextNode(said)];
    const nodes = [], size = this.query.length;
    let done = 0;
    for (const [at, match] of found) {
      if (at >= said.length) continue;
      nodes.push(document.createTextNode(said.slice(done, at)),
        make("mark", match === this.at ? { class: "current" } : {}, said.slice(at, at + size)));
      done = at + size;
    }
    return [...nodes, document.createTextNode(said.slice(done))];
  }

  // How an aside of a line is marked: "found", "found current" or not at all.
  asideState(number, aside) {
    if (!this.query || !aside.toLowerCase().includes(this.query.toLowerCase())) return "";
    const said = this.#lines[number]?.length ?? 0;
    return (this.#byLine.get(number) ?? []).some(([at, match]) => at > said && match === this.at) ? "found current" : "found";
  }

  // What makes a line look different: its matches and which of them is current.
  stateOf(number) {
    const found = this.#byLine.get(number);
    return found ? `${this.query}·${found.some(([, match]) => match === this.at) ? this.at : ""}` : "";
  }
}
