// Moves the boards of a page turn by turn. It knows no rules: it draws what the arena sends.

const SVG = "http://www.w3.org/2000/svg";
const LOOKS = {
  black: ["0.42", "#161616", "#f3ead2"], white: ["0.42", "#ffffff", "#161616"],
  mark: ["0.33", "none", ""], left: ["0.12", "none", "#161616"],
};
const RENEW = { least: 500, spread: 2500, empty: 10000, away: 2000 };
const page = document.querySelector("main");
let source = null;
let renewal = 0;
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

function drawBoard(board, { stones, placed, left, about }) {
  // The server draws a board that takes taps, with the stones of the turn that is being made.
  if (board.querySelector("a")) return;
  board.querySelector("title").textContent = about;
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

// Adds what the engine of the last turn expects; on the chart both are chances of who opened.
function drawChance(chart, { turn, said }) {
  if (!chart || said === null || turn === 0) return;
  const player = (turn - 1) % 2;
  const line = chart.querySelector(`.of-${player}`);
  const points = (line.getAttribute("points") || "").split(" ").filter(Boolean);
  if (points.some((point) => point.startsWith(`${turn},`))) return;
  const chance = player === 0 ? said : 1 - said;
  line.setAttribute("points", [...points, `${turn},${(100 * (1 - chance)).toFixed(1)}`].join(" "));
  chart.setAttribute("viewBox", `0 0 ${Math.max(10, turn)} 100`);
}

// Adds what has been played to the list, marks the last turn, and lets the pager lead to those before it.
function drawTurns(list, [start, back], change) {
  const known = list.children.length;
  // Who connects again gets all turns, others the last one.
  const added = change.texts ? change.texts.slice(known) : change.turn === known + 1 ? [change.text] : [];
  for (const text of added) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `?turn=${list.children.length + 1}`;
    link.textContent = text;
    item.append(link);
    list.append(item);
  }
  if (change.turn === 0) return;
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  list.children[change.turn - 1]?.firstElementChild.setAttribute("aria-current", "true");
  start.href = "?turn=0";
  back.href = `?turn=${change.turn - 1}`;
}

function drawGame(place, change) {
  drawBoard(place.querySelector(".board"), change);
  place.querySelector(".line").textContent = change.line;
  for (const seat of place.querySelectorAll("[data-seat]")) {
    const index = Number(seat.dataset.seat);
    seat.classList.toggle("to-move", index === change.mover);
    seat.querySelector(".stone").className = `stone ${change.colours[index]}`;
    seat.querySelector(".groups").textContent = change.counts[index];
    seat.querySelector(".expects").textContent = change.expects[index];
  }
  drawChance(place.querySelector("svg.chances"), change);
  const list = place.querySelector(".turns");
  if (list) drawTurns(list, place.querySelectorAll(".pager a"), change);
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

// What the arena shows at this address now; null while it is away, when a proxy may answer in its place.
async function fetchMain() {
  try {
    const answer = await fetch(location.href);
    const text = await answer.text();
    if (!answer.ok) return null;
    // A visitor's game that is over has the address of every game, and its links go from there.
    if (answer.redirected) history.replaceState(null, "", answer.url);
    return new DOMParser().parseFromString(text, "text/html").querySelector("main");
  } catch {
    return null;
  }
}

function statusIn(node) {
  return [...node.children].find((each) => each.matches("[role=status]") || each.querySelector("[role=status]"));
}

// Makes a node like a fresh one. Screen readers tell what changes in a status that stays, so that one is not replaced.
function become(node, fresh) {
  for (const name of node.getAttributeNames()) if (!fresh.hasAttribute(name)) node.removeAttribute(name);
  for (const { name, value } of fresh.attributes) node.setAttribute(name, value);
  const [stays, comes] = [statusIn(node), statusIn(fresh)];
  if (!stays || !comes) {
    node.replaceChildren(...fresh.childNodes);
    return;
  }
  const children = [...fresh.childNodes];
  const at = children.indexOf(comes);
  for (const old of [...node.childNodes]) if (old !== stays) old.remove();
  stays.before(...children.slice(0, at));
  stays.after(...children.slice(at + 1));
  become(stays, comes);
}

function gameOf(node) {
  return node.closest("[data-game]")?.dataset.game;
}

// Takes the page anew, as the server draws it now: a game is over, or another one is on air.
async function renew() {
  clearTimeout(renewal);
  source.close();
  clocks.clear();
  const fresh = await fetchMain();
  if (!fresh) {
    renewSoon(RENEW.away);
    return;
  }
  const focused = document.activeElement;
  const game = gameOf(focused);
  become(page, fresh);
  // The focus stays at the same link or button of the same game.
  if (!focused.isConnected)
    [...page.querySelectorAll("a, button")].find((each) => gameOf(each) === game && each.isEqualNode(focused))
      ?.focus({ preventScroll: true });
  watch();
}

// Not all spectators at the same moment.
function renewSoon(least) {
  clearTimeout(renewal);
  renewal = setTimeout(renew, least + RENEW.spread * Math.random());
}

function watch() {
  const games = [...page.querySelectorAll("[data-game]")];
  if (!page.dataset.live) return;
  // A page that goes on with its game leaves the turn of its address behind.
  if (location.search && page.querySelector(".turns")) history.replaceState(null, "", location.pathname);
  source = new EventSource(page.dataset.live);
  if (!games.length) renewSoon(RENEW.empty);
  let isOver = false;
  source.addEventListener("message", (event) => {
    const change = JSON.parse(event.data);
    const place = games.find((each) => each.dataset.game === change.id);
    if (!place) return;
    if (change.over) {
      if (!isOver) renewSoon(RENEW.least);
      isOver = true;
    } else if ("own" in page.dataset && String(change.turn) !== place.dataset.turn) {
      // The server draws a visitor's own page for each turn; the taps were those of another one.
      history.replaceState(null, "", "seat");
      renew();
    } else drawGame(place, change);
  });
  source.addEventListener("error", () => {
    // No clock of an arena that is away runs.
    clocks.clear();
    // After an answer that is no stream, the browser does not connect again.
    if (source.readyState === EventSource.CLOSED) renewSoon(RENEW.away);
  });
}

watch();
