// What of a long meeting can be seen: spans [start, end] in seconds, sorted by start, and what they cover.

class Lane {
  constructor(spans) {
    this.spans = spans;
    this.longest = spans.reduce((most, [start, end]) => Math.max(most, end - start), 0);
    this.shared = [];  // where somebody else speaks too
  }

  // The spans that touch from..to.
  *between(from, to) {
    const { spans } = this;
    for (let i = lowerBound(spans.length, (n) => spans[n][0], from - this.longest); i < spans.length && spans[i][0] <= to; i++)
      if (spans[i][1] >= from) yield spans[i];
  }

  at(time) {
    for (const span of this.between(time, time)) return span;
    return null;
  }
}

// Note on every lane where two speak at once.
const findOverlaps = (lanes) => {
  const all = lanes.flatMap((lane) => lane.spans.map(([start, end]) => ({ lane, start, end }))).sort((a, b) => a.start - b.start);
  let open = [];
  for (const one of all) {
    open = open.filter((other) => other.end > one.start);
    for (const other of open) {
      if (other.lane === one.lane) continue;
      const span = [one.start, Math.min(one.end, other.end)];
      one.lane.shared.push(span);
      other.lane.shared.push(span);
    }
    open.push(one);
  }
  for (const lane of lanes) lane.shared.sort((a, b) => a[0] - b[0]);
};

// Pixel runs [left, right] of the spans; runs closer than a pixel become one, so that a narrow picture
// of five thousand spans has no more runs than pixels.
const runs = (spans, x, least, gap) => {
  const found = [];
  for (const [start, end] of spans) {
    const left = x(start), right = Math.max(x(end) - gap, left + least), last = found.at(-1);
    if (last && left <= last[1] + 0.5) last[1] = Math.max(last[1], right); else found.push([left, right]);
  }
  return found;
};

// The loudest value of each pixel column: `values` are evenly spaced over `duration` seconds.
const columns = (values, duration, from, to, width) => {
  const perSecond = values.length / duration, found = new Float32Array(width);
  for (let column = 0; column < width; column++) {
    const begin = Math.floor((from + ((to - from) * column) / width) * perSecond);
    const end = Math.max(begin + 1, Math.ceil((from + ((to - from) * (column + 1)) / width) * perSecond));
    for (let i = Math.max(begin, 0); i < Math.min(end, values.length); i++)
      if (values[i] > found[column]) found[column] = values[i];
  }
  return found;
};
