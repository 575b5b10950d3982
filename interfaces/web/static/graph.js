// How a game went: Black's win rate and Black's lead in groups, turn by turn.

import { drawing } from "./dom.js";

const WIDTH = 640;
const LEFT = 46;
const RIGHT = 8;
const RATES = { top: 8, height: 96 };
const LEADS = { top: 124, height: 56 };
const HEIGHT = 184;

/** Return the graph of these points: { rate, lead, mark }, each null where it is unknown. */
export function graph(points, at, go) {
  const last = Math.max(1, points.length - 1);
  const x = (index) => LEFT + (index / last) * (WIDTH - LEFT - RIGHT);
  const rateY = (rate) => RATES.top + (1 - rate) * RATES.height;
  const most = Math.max(1, ...points.map(({ lead }) => Math.abs(lead ?? 0)));
  const leadY = (lead) => LEADS.top + LEADS.height / 2 - (lead / most) * (LEADS.height / 2);
  const text = (words, y, kind = "axis") => drawing("text", { class: kind, x: LEFT - 6, y: y + 4 }, words);
  const across = (y) => drawing("line", { class: "guide", x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y });
  const wide = (WIDTH - LEFT - RIGHT) / last;
  const svg = drawing("svg", { class: "graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": summary(points) },
    drawing("rect", { class: "ground", x: LEFT, y: RATES.top, width: WIDTH - LEFT - RIGHT, height: RATES.height }),
    drawing("rect", { class: "ground", x: LEFT, y: LEADS.top, width: WIDTH - LEFT - RIGHT, height: LEADS.height }),
    across(rateY(0.5)), across(leadY(0)),
    text("100 %", rateY(1) + 5), text("Black", rateY(0.5)), text("0 %", rateY(0) - 4),
    text(`+${most}`, leadY(most) + 5), text("lead", leadY(0)), text(`\u2212${most}`, leadY(-most) - 4));
  svg.append(...points.flatMap(({ lead }, index) => lead === null ? [] : [drawing("rect", {
    class: lead >= 0 ? "bar black" : "bar white",
    x: x(index) - Math.min(8, wide * 0.4), width: Math.min(16, wide * 0.8),
    y: Math.min(leadY(lead), leadY(0)), height: Math.abs(leadY(lead) - leadY(0)),
  })]));
  for (const run of runs(points)) {
    svg.append(drawing("polyline", { class: "rate", points: run.map(([index, rate]) => `${x(index)},${rateY(rate)}`).join(" ") }));
    if (run.length === 1) svg.append(drawing("circle", { class: "point", cx: x(run[0][0]), cy: rateY(run[0][1]), r: 3 }));
  }
  points.forEach(({ rate, mark }, index) => {
    if (mark && rate !== null) svg.append(drawing("circle", { class: "error", cx: x(index), cy: rateY(rate), r: 5 }));
  });
  svg.append(drawing("line", { class: "here", x1: x(at), x2: x(at), y1: RATES.top, y2: LEADS.top + LEADS.height }));
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

function summary(points) {
  const known = points.filter(({ rate }) => rate !== null);
  const errors = points.filter(({ mark }) => mark).length;
  if (!known.length) return "Black's win rate and lead, not analysed yet";
  return `Black's win rate goes from ${Math.round(100 * known[0].rate)} to `
    + `${Math.round(100 * known.at(-1).rate)} % over ${points.length - 1} turns, with ${errors} mistakes`;
}
