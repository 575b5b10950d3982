// The outlines of groups: lines along the borders of their cells, a little inside of them.

const INSET = 0.065;
/** Neighbours' centres are 1 apart, and those of other cells farther than this. */
const NEAR = 1.1;

/** Return for each cell the index of the cell beyond each of its edges, -1 for none. */
export function neighboursOf(cells) {
  return cells.map(({ centre, polygon }) => {
    const found = polygon.map(() => -1);
    const middles = polygon.map((corner, edge) => {
      const next = polygon[(edge + 1) % polygon.length];
      return [(corner[0] + next[0]) / 2 - centre[0], (corner[1] + next[1]) / 2 - centre[1]];
    });
    cells.forEach((other, index) => {
      const [dx, dy] = [other.centre[0] - centre[0], other.centre[1] - centre[1]];
      if (Math.abs(dx) > NEAR || Math.abs(dy) > NEAR || Math.hypot(dx, dy) > NEAR || (!dx && !dy)) return;
      const along = middles.map(([x, y]) => x * dx + y * dy);
      found[along.indexOf(Math.max(...along))] = index;
    });
    return found;
  });
}

/** Return the outline of a group, which lists indices of cells, as the data of an SVG path. */
export function outline(group, cells, neighbours) {
  const inside = new Set(group);
  const seen = new Set();
  const isBorder = (cell, edge) => !inside.has(neighbours[cell][edge]);
  const loops = [];
  for (const cell of group) {
    for (let edge = 0; edge < neighbours[cell].length; edge += 1) {
      if (isBorder(cell, edge) && !seen.has(`${cell} ${edge}`)) loops.push(walk(cell, edge, neighbours, isBorder, seen));
    }
  }
  return loops.map((loop) => {
    const lines = loop.map(([cell, edge]) => inwards(cells[cell], edge));
    const corners = lines.map((line, index) => crossing(lines.at(index - 1), line));
    return `M${corners.map((corner) => corner.map((value) => value.toFixed(3)).join(",")).join("L")}Z`;
  }).join("");
}

/** Go once around along a border; the next edge is of the same cell, or of one beside it. */
function walk(cell, edge, neighbours, isBorder, seen) {
  const loop = [];
  while (!seen.has(`${cell} ${edge}`)) {
    seen.add(`${cell} ${edge}`);
    loop.push([cell, edge]);
    const sides = neighbours[cell].length;
    edge = (edge + 1) % sides;
    while (!isBorder(cell, edge)) [cell, edge] = [neighbours[cell][edge], (edge + sides / 2 + 1) % sides];
  }
  return loop;
}

/** Return an edge of a cell as a point and a direction, moved a little towards its centre. */
function inwards({ centre, polygon }, edge) {
  const [from, to] = [polygon[edge], polygon[(edge + 1) % polygon.length]];
  const away = [(from[0] + to[0]) / 2 - centre[0], (from[1] + to[1]) / 2 - centre[1]];
  const by = INSET / Math.hypot(...away);
  return { from: [from[0] - by * away[0], from[1] - by * away[1]], along: [to[0] - from[0], to[1] - from[1]] };
}

function crossing(one, other) {
  const across = one.along[0] * other.along[1] - one.along[1] * other.along[0];
  if (Math.abs(across) < 0.01) return other.from;
  const [dx, dy] = [other.from[0] - one.from[0], other.from[1] - one.from[1]];
  const far = (dx * other.along[1] - dy * other.along[0]) / across;
  return [one.from[0] + far * one.along[0], one.from[1] + far * one.along[1]];
}
