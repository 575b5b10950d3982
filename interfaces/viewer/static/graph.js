// How a game went: Black's win rate and Black's lead in groups, turn by turn.

import { drawing, plural } from "./dom.js";

const WIDTH = 640;
const LEFT = 46;
const RIGHT = 14;
const RATES = { top: 8, height: 96 };
const LEADS = { top: 124, height: 56 };
const HEIGHT = 184;

/** Return the graph of these points, each value null where it is unknown.
 *
 * `rate` was found by analysis; `recorded` is what the player of the turn, number `seat`, expected.
 * `rates` and `leads` tell which of the two is drawn.
 */
export function graph(points, at, go, { rates, leads }) {
  const last = Math.max(1, points.length - 1);
  const x = (index) => LEFT + (index / last) * (WIDTH - LEFT - RIGHT);
  const rateY = (rate) => RATES.top + (1 - rate) * RATES.height;
  const most = Math.max(1, ...points.map(({ lead }) => Math.abs(lead ?? 0)));
  const leadY = (lead) => LEADS.top + LEADS.height / 2 - (lead / most) * (LEADS.height / 2);
  const text = (words, y, kind = "axis") => drawing("text", { class: kind, x: LEFT - 6, y: y + 4 }, words);
  const across = (y) => drawing("line", { class: "guide", x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y });
  const wide = (WIDTH - LEFT - RIGHT) / last;
  const top = rates ? 0 : LEADS.top - RATES.top;
  const bottom = leads ? HEIGHT : LEADS.top - RATES.top;
  const ground = ({ top: y, height }) => drawing("rect", { class: "ground", x: LEFT, y, width: WIDTH - LEFT - RIGHT + 9, height });
  const svg = drawing("svg", {
    class: "graph", viewBox: `0 ${top} ${WIDTH} ${bottom - top}`, role: "img", "aria-label": summary(points, rates),
  });
  if (rates) {
    svg.append(ground(RATES), across(rateY(0.5)),
      text("100 %", rateY(1) + 5), text("Black", rateY(0.5)), text("0 %", rateY(0) - 4));
  }
  if (leads) {
    svg.append(ground(LEADS), across(leadY(0)),
      text(`+${most}`, leadY(most) + 5), text("lead", leadY(0)), text(`\u2212${most}`, leadY(-most) - 4));
  }
  svg.append(...points.flatMap(({ lead }, index) => lead === null ? [] : [drawing("rect", {
    class: lead >= 0 ? "bar black" : "bar white",
    x: x(index) - Math.min(8, wide * 0.4), width: Math.min(16, wide * 0.8),
    y: Math.min(leadY(lead), leadY(0)), height: Math.abs(leadY(lead) - leadY(0)),
  })]));
  for (const [seat, kind] of ["first", "second"].entries()) {
    const seen = points.flatMap(({ recorded, seat: by }, index) => by === seat && recorded !== null && recorded !== undefined
      ? [`${x(index)},${rateY(recorded)}`] : []);
    if (seen.length) svg.append(drawing("polyline", { class: `recorded ${kind}`, points: seen.join(" ") }));
  }
  for (const run of runs(points)) {
    svg.append(drawing("polyline", { class: "rate", points: run.map(([index, rate]) => `${x(index)},${rateY(rate)}`).join(" ") }));
    if (run.length === 1) svg.append(drawing("circle", { class: "point", cx: x(run[0][0]), cy: rateY(run[0][1]), r: 3 }));
  }
  points.forEach(({ rate, recorded, mark }, index) => {
    const seen = rate ?? recorded ?? null;
    if (mark && seen !== null) svg.append(drawing("circle", { class: "error", cx: x(index), cy: rateY(seen), r: 5 }));
  });
  svg.append(drawing("line", { class: "here", x1: x(at), x2: x(at), y1: top + RATES.top, y2: bottom - 4 }));
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width) * WIDTH;
    go(Math.max(0, Math.min(points.length - 1, Math.round(((place - LEFT) / (WIDTH - LEFT - RIGHT)) * last))));
  });
  return svg;
}

/** The stretches of known rates, each as [index, rate]. */
function runs(points) {
  const found = [];
  let run = [];
  points.forEach(({ rate }, index) => {
    if (rate !== null) run.push([index, rate]);
    else if (run.length) found.push(run), run = [];
  });
  if (run.length) found.push(run);
  return found;
}

function summary(points, rates) {
  if (!rates) return "Black's lead in groups turn by turn";
  const known = points.map(({ rate, recorded }) => rate ?? recorded ?? null).filter((rate) => rate !== null);
  const errors = points.filter(({ mark }) => mark).length;
  if (!known.length) return "Black's win rate turn by turn, not analysed yet";
  return `Black's win rate goes from ${Math.round(100 * known[0])} to `
    + `${Math.round(100 * known.at(-1))} % over ${points.length - 1} turns, with ${plural(errors, "mistake")}`;
}
