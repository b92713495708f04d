// A long list of which only the rows in sight are in the page. Rows have heights of their own: guessed
// until a row has been seen, measured from then on, and what is read stays where it is when a guess was wrong.

const OVERSCAN = 500;

class Rows {
  #heights = [];
  #known = [];
  #tops = new Float64Array(1);
  #shown = new Map();
  // A row that grows or shrinks in sight (tools appear, a field is typed into) moves those below it.
  #sizes = new ResizeObserver(oncePerFrame(() => this.render()));

  // `make(i)` gives a row's node, `update(node, i)` brings it up to date, `guess(i)` its height in pixels,
  // `stays(i)` keeps a row in the page though it is out of sight (it has the focus, or is being edited).
  constructor(scroller, list, { make, update, guess, stays }) {
    Object.assign(this, { scroller, list, make, update, guess, stays });
    scroller.addEventListener("scroll", oncePerFrame(() => this.render()), { passive: true });
    let width = 0;
    new ResizeObserver(() => {
      const changed = list.clientWidth !== width;
      width = list.clientWidth;
      if (changed) this.forget(); else this.render();
    }).observe(scroller);
  }

  get length() { return this.#heights.length; }
  node(index) { return this.#shown.get(index) ?? null; }

  // There are `length` rows now; those that were measured keep their height.
  resize(length) {
    for (const [index, node] of this.#shown) if (index >= length) this.#drop(index, node);
    this.#known.length = length;
    this.#heights = Array.from({ length }, (_, i) => (this.#known[i] ? this.#heights[i] : this.guess(i)));
    this.#place();
  }

  // All heights are guesses again (the column has another width).
  forget() {
    const kept = this.#anchor();
    this.#known = Array(this.length).fill(false);
    this.#heights = this.#heights.map((_, i) => this.guess(i));
    this.#place();
    this.#restore(kept);
    this.render();
  }

  // Show what is in sight, measure it, and put right what the measuring moved.
  render() {
    if (!this.scroller.clientHeight) return;
    for (let round = 0; round < 4; round++) {
      this.#fill();
      if (!this.#measure()) return;
    }
  }

  // Bring a row into sight: at a third of the height ("third"), or moving as little as possible ("nearest").
  reveal(index, how = "nearest") {
    for (let round = 0; round < 3; round++) {
      const { scroller } = this, top = this.#tops[index], bottom = this.#tops[index + 1], room = scroller.clientHeight;
      const before = scroller.scrollTop;
      if (how === "third") scroller.scrollTop = top - room / 3;
      else if (top < scroller.scrollTop) scroller.scrollTop = top;
      else if (bottom > scroller.scrollTop + room) scroller.scrollTop = bottom - room;
      this.render();
      if (scroller.scrollTop === before) break;
    }
  }

  sees(index) {
    const top = this.scroller.scrollTop;
    return this.#tops[index] >= top - 1 && this.#tops[index + 1] <= top + this.scroller.clientHeight + 1;
  }

  #fill() {
    const top = this.scroller.scrollTop, from = top - OVERSCAN, to = top + this.scroller.clientHeight + OVERSCAN;
    const first = Math.max(0, lowerBound(this.length, (i) => this.#tops[i + 1], from));
    let last = first;
    while (last < this.length && this.#tops[last] <= to) last++;
    for (const [index, node] of this.#shown)
      if ((index < first || index >= last) && !this.stays(index)) this.#drop(index, node);
    for (let i = first; i < last; i++) this.#show(i);
    for (const [index, node] of this.#shown) {
      this.update(node, index);
      node.style.transform = `translateY(${this.#tops[index]}px)`;
    }
  }

  #show(index) {
    if (this.#shown.has(index)) return;
    const node = this.make(index);
    this.#shown.set(index, node);
    this.#sizes.observe(node);
    // In order, so that a reader of the page's text hears the lines in order.
    let next = null;
    for (const [other, shown] of this.#shown)
      if (other > index && (next === null || other < next[0])) next = [other, shown];
    this.list.insertBefore(node, next?.[1] ?? null);
  }

  #drop(index, node) {
    this.#shown.delete(index);
    this.#sizes.unobserve(node);
    node.remove();
  }

  #measure() {
    const kept = this.#anchor();
    let changed = false;
    for (const [index, node] of this.#shown) {
      const height = node.getBoundingClientRect().height;
      this.#known[index] = true;
      if (Math.abs(height - this.#heights[index]) < 0.5) continue;
      this.#heights[index] = height;
      changed = true;
    }
    if (changed) {
      this.#place();
      this.#restore(kept);
    }
    return changed;
  }

  #place() {
    const tops = new Float64Array(this.length + 1);
    for (let i = 0; i < this.length; i++) tops[i + 1] = tops[i] + this.#heights[i];
    this.#tops = tops;
    this.list.style.height = `${tops[this.length]}px`;
  }

  // The row at the upper edge, and how far it is scrolled out.
  #anchor() {
    const top = this.scroller.scrollTop;
    const index = Math.min(lowerBound(this.length, (i) => this.#tops[i + 1], top + 0.5), Math.max(this.length - 1, 0));
    return { index, top, past: top - (this.#tops[index] ?? 0) };
  }

  #restore({ index, top, past }) {
    if (!this.length || !top) return;
    const wanted = this.#tops[index] + past;
    if (Math.abs(wanted - this.scroller.scrollTop) >= 1) this.scroller.scrollTop = wanted;
  }
}
