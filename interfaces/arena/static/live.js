// Moves the boards of a page turn by turn. It knows no rules: it draws what the arena sends.

const SVG = "http://www.w3.org/2000/svg";
const LOOKS = {
  black: ["0.42", "#161616", "#f3ead2"], white: ["0.42", "#ffffff", "#161616"],
  mark: ["0.33", "none", ""], left: ["0.12", "none", "#161616"],
};
const page = document.querySelector("main");
const clocks = new Map();

function circle(group, kind, edge) {
  const points = [...group.querySelector("polygon").points];
  const middle = (axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const made = document.createElementNS(SVG, "circle");
  const [radius, fill, stroke] = LOOKS[kind];
  const look = { class: kind, cx: middle("x"), cy: middle("y"), r: radius, fill, stroke: edge || stroke, "stroke-width": "0.05" };
  for (const [name, value] of Object.entries(look)) made.setAttribute(name, value);
  group.append(made);
}

function drawBoard(board, { stones, placed, left }) {
  const groups = new Map([...board.querySelectorAll("g[data-vertex]")].map((each) => [each.dataset.vertex, each]));
  for (const old of board.querySelectorAll(".mark, .left")) old.remove();
  for (const [vertex, stone] of Object.entries(stones)) {
    const group = groups.get(vertex);
    for (const old of group.querySelectorAll("circle")) old.remove();
    if (stone) circle(group, stone);
  }
  for (const vertex of placed) circle(groups.get(vertex), "mark", groups.get(vertex).querySelector(".black") ? "#ffffff" : "#161616");
  for (const vertex of left) circle(groups.get(vertex), "left");
}

function clockText(seconds) {
  const left = Math.max(0, seconds);
  if (left < 20) return `${left.toFixed(1)} s`;
  return `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}`;
}

function drawGame(place, change) {
  drawBoard(place.querySelector(".board"), change);
  place.querySelector(".line").textContent = change.line;
  for (const seat of place.querySelectorAll("[data-seat]")) {
    const index = Number(seat.dataset.seat);
    seat.classList.toggle("to-move", index === change.mover);
    seat.querySelector(".stone").className = `stone ${change.colours[index]}`;
    seat.querySelector(".groups").textContent = change.counts[index];
    const expects = change.expects[index];
    seat.querySelector(".expects").textContent = expects === null ? "" : `expects ${Math.round(100 * expects)} %`;
  }
  const list = place.querySelector(".turns");
  if (list && change.turn === list.children.length + 1) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `?turn=${change.turn}`;
    link.textContent = change.text;
    item.append(link);
    list.append(item);
  }
  place.dataset.turn = change.turn;
  clocks.set(place, { ...change, at: performance.now() });
}

setInterval(() => {
  for (const [place, { clocks: left, mover, at }] of clocks)
    for (const seat of place.querySelectorAll("[data-seat]")) {
      const index = Number(seat.dataset.seat);
      seat.querySelector(".clock").textContent = clockText(left[index] - (index === mover ? (performance.now() - at) / 1000 : 0));
    }
}, 200);

const source = new EventSource(page.dataset.live);
source.addEventListener("message", (event) => {
  const change = JSON.parse(event.data);
  const place = [...document.querySelectorAll("[data-game]")].find((each) => each.dataset.game === change.id);
  if (!place) return;
  if (change.over) {
    source.close();
    // Not all spectators at the same moment.
    setTimeout(() => location.reload(), 500 + 2500 * Math.random());
  } else drawGame(place, change);
});
