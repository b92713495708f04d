// Stretches of time [start, end] in seconds, and times as people read and type them.

// The same moments as stretches that are in order and do not touch.
const merged = (spans) => {
  const found = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = found.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end); else found.push([start, end]);
  }
  return found;
};

// Seconds in both over seconds in either, as the server counts them (annotation/spans.py).
const temporalIoU = (first, second) => {
  const ours = merged(first), theirs = merged(second);
  if (JSON.stringify(ours) === JSON.stringify(theirs)) return 1;
  const length = (spans) => spans.reduce((sum, [start, end]) => sum + end - start, 0);
  let shared = 0;
  for (const [a, b] of ours)
    for (const [c, d] of theirs) shared += Math.max(0, Math.min(b, d) - Math.max(a, c));
  const union = length(ours) + length(theirs) - shared;
  return union > 0 ? Math.min(1, shared / union) : 0;
};

const spansOf = (marks) => marks.map(({ start, end }) => [start, end]);

// 1150.4 → "19:10.4"
const fineClock = (seconds) => {
  const tenths = Math.round(seconds * 10);
  return `${clock(Math.floor(tenths / 10))}.${tenths % 10}`;
};

// "19:10.4", "1:19:10" or "1150.4" → seconds; null when it is no time.
const readClock = (typed) => {
  const parts = typed.trim().replace(",", ".").split(":");
  if (parts.length > 3 || parts.some((part) => !/^\d+(\.\d+)?$/.test(part))) return null;
  return parts.reduce((sum, part) => 60 * sum + Number(part), 0);
};

// As the server rounds it, but never so that a value on one side of the line (or below 1) reads as the other.
const iouText = (iou) => {
  const rounded = iou.toFixed(2);
  return (rounded === "0.90" && iou > 0.9) || (rounded === "1.00" && iou < 1) ? iou.toFixed(4) : rounded;
};
