// The line that an engine expects: drawn as numbered ghosts and arrows, and gone through turn by turn.

import { drawing, element, stone } from "./dom.js";

const COLOURS = { X: "black", O: "white" };
const OTHER = { black: "white", white: "black" };
const HEAD = 0.3;

/**
 * Return what the board shows after some turns of a line: `stones`, `ghosts` for the stones that come, and `arrows`
 * for pieces that move, as pairs of vertices. This knows how turns are written, and no rules.
 */
export function drawnLine(vertices, stones, turns) {
  const index = new Map(vertices.map((vertex, number) => [vertex, number]));
  const now = [...stones];
  const ghosts = {};
  const arrows = [];
  for (const [at, turn] of turns.entries()) {
    const [origin, destination] = turn.split("-");
    if (index.has(origin) && index.has(destination)) {
      const colour = ghosts[origin]?.colour || COLOURS[now[index.get(origin)]] || "black";
      now[index.get(origin)] = ".";
      delete ghosts[origin];
      ghosts[destination] = ghost(colour, at, `, moved from ${origin}`);
      arrows.push([origin, destination]);
    } else {
      for (const [, letter, vertex] of turn.matchAll(/([BW])([a-z]\d+)/g)) {
        if (index.has(vertex)) ghosts[vertex] = ghost(letter === "B" ? "black" : "white", at, "");
      }
    }
  }
  return { stones: now.join(""), ghosts, arrows };
}

/** Return the position in which the turn of a view began: without the stones of a turn that is half done. */
export function turnStart({ stones, tentative, origin, to_move: mover }, { cells }) {
  const begun = new Set(tentative);
  const symbol = mover === "black" ? "X" : "O";
  const now = [...stones].map((each, index) => begun.has(cells[index].vertex) ? "."
    : cells[index].vertex === origin ? symbol : each);
  return { stones: now.join(""), to_move: mover };
}

function ghost(colour, at, how) {
  return { colour, text: String(at + 1), label: `${colour} in turn ${at + 1} of the line${how}` };
}

/** Return who plays each turn of a line, which a swap does not change. */
function movers(turns, first) {
  let colour = first;
  return turns.map((turn) => {
    const mover = colour;
    if (turn !== "swap") colour = OTHER[colour];
    return mover;
  });
}

function arrow(geometry, [from, to]) {
  const centre = (name) => geometry.cells.find(({ vertex }) => vertex === name).centre;
  const [[x1, y1], [x2, y2]] = [centre(from), centre(to)];
  const long = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(x2 - x1) / long, (y2 - y1) / long];
  const end = long - geometry.stone_radius;
  const at = (along, across) => `${(x1 + dx * along - dy * across).toFixed(3)},${(y1 + dy * along + dx * across).toFixed(3)}`;
  const head = `${at(end, 0)} ${at(end - HEAD, HEAD / 2)} ${at(end - HEAD, -HEAD / 2)}`;
  const shaft = `M${at(0.1, 0)}L${at(Math.max(0.1, end - HEAD / 2), 0)}`;
  return [drawing("path", { class: "arrow-edge", d: shaft }), drawing("path", { class: "arrow", d: shaft }),
    drawing("polygon", { class: "arrow-head", points: head })];
}

/**
 * A line in words, each turn a button. A turn that is pointed at, focused or tapped is shown on the board with all
 * before it; who leaves the line gets the position back by `restore()`. `follow(turns)` plays the line up to a turn.
 */
export class ExpectedLine {
  constructor({ title, board, restore, follow = null }) {
    this.title = title;
    this.board = board;
    this.restore = restore;
    this.follow = follow;
    this.turns = [];
    this.at = 0;
    this.isHeld = false;
    this.list = element("ol", { class: "line-turns" });
    this.said = element("span", { class: "unseen", role: "status" });
    this.playButton = follow ? element("button", { type: "button", class: "turn out", onclick: () => {
      const turns = this.turns.slice(0, this.at);
      this.leave();
      follow(turns);
    } }, "Play up to here") : null;
    this.backButton = element("button", { type: "button", class: "turn out", onclick: () => this.leave() }, "Back to the position");
    this.node = element("div", { class: "expected", role: "group", "aria-label": title, hidden: true },
      element("span", { class: "expected-title" }, title), this.list, this.playButton, this.backButton, this.said);
    this.node.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse" && !this.isHeld && !this.list.contains(document.activeElement)) this.leave();
    });
    this.node.addEventListener("focusout", (event) => {
      if (event.relatedTarget && !this.node.contains(event.relatedTarget)) this.leave();
    });
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.outside = (event) => this.node.contains(event.target) || this.leave();
    document.addEventListener("click", this.outside, true);
  }

  close() {
    document.removeEventListener("click", this.outside, true);
  }

  /** Whether turns of the line are on the board now. */
  get isShown() {
    return this.at > 0;
  }

  /** Offer a line from a position; while somebody goes through one, that stays. */
  offer(turns, frame) {
    if (this.isShown) return;
    const key = JSON.stringify([turns, frame?.stones]);
    if (this.key_ === key) return;
    this.key_ = key;
    [this.turns, this.frame] = [frame ? turns : [], frame];
    this.node.hidden = !this.turns.length;
    const isFocused = this.list.contains(document.activeElement);
    const who = frame ? movers(this.turns, frame.to_move) : [];
    this.buttons = this.turns.map((turn, index) => element("button", {
      type: "button", class: "turn", "aria-pressed": "false", tabindex: index ? -1 : 0,
      "aria-label": `Turn ${index + 1} of the line, ${who[index]}: ${turn}`,
      onclick: () => this.hold(index + 1),
      onfocus: () => this.look(index + 1),
      onpointerenter: (event) => event.pointerType === "mouse" && !this.isHeld && this.look(index + 1),
    }, stone(who[index]), turn));
    this.list.replaceChildren(...this.buttons.map((button) => element("li", {}, button)));
    if (isFocused) this.buttons[0]?.focus();
  }

  /** Show a turn until the reader leaves the line; a second time leaves it. */
  hold(number) {
    if (this.isHeld && this.at === number) this.leave();
    else {
      this.isHeld = true;
      this.look(number);
    }
  }

  /** Show the position after some turns of the line. */
  look(number) {
    const board = this.board();
    if (!board || !this.turns.length) return;
    this.at = Math.min(this.turns.length, number);
    const line = drawnLine(board.geometry.cells.map(({ vertex }) => vertex), this.frame.stones, this.turns.slice(0, this.at));
    board.show({ stones: line.stones, ghosts: line.ghosts });
    board.svg.classList.add("expecting");
    this.drawArrows(board, line.arrows);
    this.mark();
    this.said.textContent = `After turn ${this.at} of ${this.turns.length} of the line: ${this.turns[this.at - 1]}`;
  }

  /** Go on by a turn, or back: before the first is the position. */
  step(by) {
    const to = Math.min(this.turns.length, this.at + by);
    if (to <= 0) this.leave();
    else if (to !== this.at) {
      this.isHeld = true;
      this.look(to);
    }
  }

  drawArrows(board, arrows) {
    board.svg.querySelector(".arrows")?.remove();
    if (arrows.length) {
      board.svg.append(drawing("g", { class: "arrows", "aria-hidden": "true" },
        ...arrows.flatMap((each) => arrow(board.geometry, each))));
    }
  }

  mark() {
    for (const [index, button] of this.buttons.entries()) {
      button.setAttribute("aria-pressed", String(index < this.at));
      button.setAttribute("tabindex", index === Math.max(0, this.at - 1) ? 0 : -1);
    }
    this.node.classList.toggle("shown", this.isShown);
  }

  /** Show the position again. */
  leave() {
    if (!this.isShown) return;
    const board = this.board();
    this.at = 0;
    this.isHeld = false;
    this.mark();
    this.said.textContent = "Back at the position";
    if (board) {
      board.svg.classList.remove("expecting");
      this.drawArrows(board, []);
    }
    this.restore();
  }

  /** Heed the keys of the line; `press` heeds those of the whole page. */
  key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey || !this.list.contains(event.target)) return;
    event.preventDefault();
    event.stopPropagation();
    const here = this.buttons.indexOf(event.target);
    const to = Math.max(0, Math.min(this.buttons.length - 1, here + by));
    if (to === here) return;
    this.isHeld = true;
    this.buttons[to].focus();
  }

  press(event) {
    if (event.key.toLowerCase() === "v") this.step(event.shiftKey ? -1 : 1);
    if (event.key === "Escape" && this.isShown) {
      if (this.list.contains(document.activeElement)) document.activeElement.blur();
      this.leave();
    }
  }
}
