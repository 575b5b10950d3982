// The games that are embedded in the report, one at a time in the viewer.

import { Board } from "./board.js";
import { element, plural } from "./dom.js";
import { framesOf } from "./frames.js";
import { dropAddress, showAddress } from "./shown-address.js";
import { GameViewer } from "./viewer.js";

const find = (id) => document.getElementById(id);
const data = JSON.parse(find("games").textContent);
const boards = new Map();
let shown = null;
/** Whether the page is there: the first game that it shows is not in its address. */
let isOpen = false;

/** A recorded game on a board that is only looked at. */
class Replay extends GameViewer {
  constructor(game) {
    super(game);
    this.withRates = Boolean(game.rates);
    const { geometry, start } = data.boards[game.board];
    const vertices = geometry.cells.map(({ vertex }) => vertex);
    this.place(framesOf(vertices, start, game.turns).map((frame, index) => ({
      ...frame, lead: game.leads[index], sentence: data.sentences[game.says[index]],
    })));
    this.board = boardOf(game.board);
    this.statement = element("p", { class: "counts" });
    find("viewer").replaceChildren(element("div", { class: "beside-board" },
      element("div", {}, element("div", { class: "board-place" }, this.board.svg), this.moves, this.slider, this.graphPlace),
      element("section", { class: "panel", "aria-label": "Game" },
        this.players, this.said, this.statement, this.verdict, this.treePlace,
        element("p", { class: "note keys" }, "Keys: \u2190 \u2192 one turn, Home and End."))));
    this.leave = this.listen(isMeant);
  }

  show(node) {
    this.board.show(node.frame);
    this.statement.textContent = node.frame.sentence;
    if (isOpen) showAddress(`#replay=${encodeURIComponent(this.game.id)}/${node.depth}`);
  }
}

/** Whether a key is meant for the game: the focus is beside it, or nowhere while the game is on the screen. */
function isMeant({ target }) {
  const { top, bottom } = find("viewer").getBoundingClientRect();
  return target === document.body ? top < innerHeight && bottom > 0 : find("replays").contains(target);
}

function boardOf(number) {
  if (!boards.has(number)) {
    const { title, geometry } = data.boards[number];
    boards.set(number, new Board(geometry, { label: title }));
  }
  return boards.get(number);
}

function open(number, turn) {
  shown?.leave();
  shown = new Replay(data.games[number]);
  const line = shown.tree.line();
  shown.go(line[Math.min(turn, line.length - 1)]);
}

/** List the games that fit both filters, and return their numbers. */
function list() {
  const [board, engine] = [find("of-board").value, find("of-engine").value];
  const chosen = [...data.games.entries()].filter(([, game]) =>
    (board === "" || game.board === Number(board)) && (engine === "" || game.players.includes(engine)));
  find("which").replaceChildren(...chosen.map(([number, game]) => element("option", { value: number },
    `${game.players[0]} \u2013 ${game.players[1]}: ${game.score}, ${game.ending}, ${plural(game.turns.length, "turn")}, `
    + data.boards[game.board].title)));
  find("which").disabled = chosen.length === 0;
  return chosen.map(([number]) => number);
}

function openFirst() {
  const [first] = list();
  if (first !== undefined) open(first, data.games[first].turns.length);
}

/** Open the game that the address names, and return whether there is one. */
function openNamed() {
  const found = /^#replay=([^/]+)\/(\d+)$/.exec(location.hash);
  const number = found ? data.games.findIndex((game) => encodeURIComponent(game.id) === found[1]) : -1;
  if (number < 0) return false;
  find("of-board").value = find("of-engine").value = "";
  list();
  find("which").value = number;
  open(number, Number(found[2]));
  find("replays").scrollIntoView();
  return true;
}

data.boards.forEach(({ title }, number) => find("of-board").append(element("option", { value: number }, title)));
const engines = new Set(data.games.flatMap(({ players }) => players));
find("of-engine").append(...[...engines].sort().map((name) => element("option", { value: name }, name)));
find("of-board").addEventListener("change", openFirst);
find("of-engine").addEventListener("change", openFirst);
find("which").addEventListener("change", () => {
  const number = Number(find("which").value);
  open(number, data.games[number].turns.length);
});
addEventListener("hashchange", () => {
  dropAddress();
  openNamed();
});
find("player").hidden = false;
if (!openNamed()) openFirst();
isOpen = true;
