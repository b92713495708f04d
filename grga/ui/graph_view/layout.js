// Where the nodes of a graph stand: time runs to the right, every speaker has a lane.

const NODE = { width: 66, height: 26, room: 78, lane: 62, top: 44 };

// Places nodes {id, start, speaker} in `width` pixels; returns {nodes, lanes, width, height}. Lanes are the
// speakers that occur, in their order. Nodes of one lane step aside until none covers another.
const placeNodes = (nodes, width, margin) => {
  const lanes = [...new Set(nodes.map((node) => node.speaker))].sort((a, b) => a - b);
  const crowd = Math.max(...lanes.map((lane) => nodes.filter((node) => node.speaker === lane).length), 1);
  const whole = Math.max(width, margin + crowd * NODE.room + NODE.width / 2);
  const first = nodes[0].start, span = Math.max(nodes.at(-1).start - first, 0.001);
  const low = margin + NODE.width / 2, high = whole - NODE.width / 2 - 4;
  const placed = nodes.map((node, place) => {
    // Half by the clock, half by order: neighbours in time stay readable, and far things stay far.
    const share = nodes.length === 1 ? 0.5 : ((node.start - first) / span + place / (nodes.length - 1)) / 2;
    return { ...node, x: low + share * (high - low), y: NODE.top + lanes.indexOf(node.speaker) * NODE.lane };
  });
  for (const lane of lanes) {
    const row = placed.filter((node) => node.speaker === lane);
    spread(row, NODE.room, low, high);
    for (const node of row) node.x = node.at;
  }
  return { nodes: placed, lanes, width: whole, height: NODE.top + (lanes.length - 1) * NODE.lane + NODE.height + 22 };
};

// The curve of an edge; `bend` keeps edges of several types between the same two nodes apart.
const curve = (a, b, bend) => {
  if (a.y === b.y) {
    const lift = a.y - NODE.height / 2 - 8 - 7 * bend - Math.min(Math.abs(b.x - a.x) / 14, 16);
    return `M${a.x} ${a.y - NODE.height / 2}C${a.x + (b.x - a.x) * 0.2} ${lift} ${a.x + (b.x - a.x) * 0.8} ${lift} ${b.x} ${b.y - NODE.height / 2}`;
  }
  const down = b.y > a.y ? 1 : -1, shift = 9 * bend;
  const from = { x: a.x + shift, y: a.y + (down * NODE.height) / 2 }, to = { x: b.x + shift, y: b.y - (down * NODE.height) / 2 };
  const half = (from.y + to.y) / 2;
  return `M${from.x} ${from.y}C${from.x} ${half} ${to.x} ${half} ${to.x} ${to.y}`;
};
