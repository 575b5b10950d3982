// A board as SVG, drawn from the server's geometry, with its stones and possible clicks.

import { drawing } from "./dom.js";

const NAMES = { ".": "empty", X: "black stone", O: "white stone" };
const DOES = {
  d: "put a stone here",
  f: "change its colour",
  s: "take this piece",
  b: "put it back",
  m: "move here",
};
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const MARGIN = 0.12;
/** The least width of a cell in pixels, so that a finger hits it. */
const MIN_CELL = 25;
const MAX_CELL = 88;

export class Board {
  /** Clicks, taps and keys call `clicked(vertex, index)`; without it the board is a picture. */
  constructor(geometry, { clicked = null, label = "Board", plain = false } = {}) {
    this.geometry = geometry;
    this.clicked = clicked;
    this.svg = drawing("svg", {
      class: clicked ? "board clickable" : "board",
      role: clicked ? "group" : "img",
      "aria-label": label,
    });
    this.frame(plain ? geometry.bounds : geometry.labelled_bounds);
    this.vertices = geometry.cells.map((cell, index) => this.vertex(cell, index));
    this.svg.append(...this.vertices.map((vertex) => vertex.group));
    if (!plain) {
      for (const { text, at } of geometry.columns) this.svg.append(this.text("label", text, at, 0.36));
      for (const { text, at } of geometry.ranks) this.svg.append(this.text("label rank-label", text, at, 0.36));
    }
    this.shown = geometry.cells.map(() => "");
    if (clicked) {
      // Above all cells: the next cells would cover half of a ring that belongs to one of them.
      this.ring = drawing("g", { class: "ring", "aria-hidden": "true" },
        drawing("polygon", { class: "outer" }), drawing("polygon", { class: "inner" }));
      this.svg.append(this.ring);
      this.svg.addEventListener("focusin", (event) => this.encircle(event.target));
      this.vertices[Math.floor(this.vertices.length / 2)].group.setAttribute("tabindex", "0");
      this.svg.addEventListener("keydown", (event) => this.key(event));
    }
  }

  /** Show this part of the drawing: [x, y, width, height]. */
  frame([x, y, width, height]) {
    this.width = width + 2 * MARGIN;
    this.svg.style.setProperty("--least-height", `${Math.ceil(MIN_CELL * (height + 2 * MARGIN))}px`);
    this.svg.setAttribute("viewBox", [x - MARGIN, y - MARGIN, this.width, height + 2 * MARGIN].join(" "));
  }

  /** Keep every cell large enough for a finger: leave the labels out first, then scroll. */
  fit(place) {
    const watcher = new ResizeObserver(() => {
      const { bounds, labelled_bounds: labelled } = this.geometry;
      const room = place.clientWidth;
      if (!room) return;
      const tight = room / (labelled[2] + 2 * MARGIN) < MIN_CELL;
      this.frame(tight ? [bounds[0], labelled[1], bounds[2], labelled[3]] : labelled);
      this.svg.classList.toggle("tight", tight && this.geometry.shape === "square");
      const narrow = room / this.width < MIN_CELL;
      this.svg.style.maxWidth = narrow ? "none" : `${MAX_CELL * this.width}px`;
      this.svg.style.width = narrow ? `${Math.ceil(MIN_CELL * this.width)}px` : "";
      this.svg.classList.toggle("scrolled", narrow);
    });
    watcher.observe(place);
  }

  vertex(cell, index) {
    const points = cell.polygon.map((corner) => corner.join(",")).join(" ");
    const group = drawing("g", { class: "vertex", "data-vertex": cell.vertex },
      drawing("polygon", { class: "cell", points }));
    if (this.clicked) {
      group.setAttribute("role", "button");
      group.setAttribute("tabindex", "-1");
      group.addEventListener("click", () => {
        this.focus(index);
        this.clicked(cell.vertex, index);
      });
    }
    const marks = drawing("g", { class: "marks" });
    group.append(marks);
    return { group, marks, cell };
  }

  text(kind, text, [x, y], size) {
    return drawing("text", { class: kind, x, y: y + 0.36 * size, "font-size": size }, text);
  }

  circle(kind, [cx, cy], r) {
    return drawing("circle", { class: kind, cx, cy, r });
  }

  /** Show a position: `stones` and `clicks` have one character for each vertex. */
  show({ stones, clicks = "", tentative = [], placed = [], left = [], origin = null, hints = {}, ghosts = {}, heat = null }) {
    const sets = [tentative, placed, left].map((vertices) => new Set(vertices));
    for (let index = 0; index < this.vertices.length; index += 1) {
      const { vertex } = this.geometry.cells[index];
      const state = [
        stones[index], clicks[index] || "", ...sets.map((set) => set.has(vertex)),
        vertex === origin, hints[vertex] || "", ghosts[vertex]?.colour || "", ghosts[vertex]?.text || "",
        heat ? heat[vertex] || 0 : "",
      ];
      const key = state.join("|");
      if (this.shown[index] !== key) {
        this.shown[index] = key;
        this.draw(index, state);
      }
    }
  }

  draw(index, [symbol, click, isTentative, isPlaced, isLeft, isOrigin, hint, ghost, rank, warmth]) {
    const { group, marks, cell } = this.vertices[index];
    const radius = this.geometry.stone_radius;
    const colour = symbol === "X" ? "black" : "white";
    const parts = [];
    if (symbol !== ".") parts.push(this.circle(`piece ${colour}`, cell.centre, radius));
    if (isTentative) parts.push(this.circle(`tentative on-${colour}`, cell.centre, radius - 0.13));
    else if (isPlaced && symbol !== ".") {
      parts.push(this.circle(`placed on-${colour}`, cell.centre, 0.13));
    }
    if (isLeft && symbol === ".") parts.push(this.circle("left", cell.centre, 0.12));
    if (isOrigin) parts.push(this.circle("origin", cell.centre, radius - 0.02));
    if (click === "m") parts.push(this.circle("target", cell.centre, 0.16));
    if (ghost && symbol === ".") {
      parts.push(this.circle(`ghost ${ghost}`, cell.centre, radius - 0.08), this.text(`rank ${ghost}`, rank, cell.centre, 0.42));
    }
    group.firstChild.setAttribute("class", warmth ? `cell heat-${warmth}` : "cell");
    if (hint) {
      parts.push(this.circle("hint-ground", cell.centre, 0.34));
      parts.push(this.text("hint", hint, cell.centre, 0.3));
    }
    marks.replaceChildren(...parts);
    if (!this.clicked) return;
    group.setAttribute("data-click", click);
    const what = NAMES[symbol] + (isTentative ? " of this turn" : "");
    const does = DOES[click] ? `, ${DOES[click]}` : "";
    group.setAttribute("aria-label", `${cell.vertex}, ${what}${does}`);
  }

  /** Lay the ring of the focus around a cell. */
  encircle(focused) {
    const found = this.vertices.find(({ group }) => group === focused);
    if (!found) return;
    const points = found.group.firstChild.getAttribute("points");
    for (const polygon of this.ring.children) polygon.setAttribute("points", points);
  }

  focus(index) {
    for (const { group } of this.vertices) group.setAttribute("tabindex", "-1");
    const { group } = this.vertices[index];
    group.setAttribute("tabindex", "0");
    group.focus({ preventScroll: true });
  }

  key(event) {
    const index = this.vertices.findIndex(({ group }) => group === event.target);
    if (index < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.clicked(this.geometry.cells[index].vertex, index);
    } else if (ARROWS[event.key]) {
      event.preventDefault();
      const next = this.beside(index, ARROWS[event.key]);
      if (next !== null) this.focus(next);
    }
  }

  /** Return the nearest vertex in a direction; vertices off that line count as farther. */
  beside(index, [dx, dy]) {
    const [x, y] = this.geometry.cells[index].centre;
    let best = null;
    let least = Infinity;
    this.geometry.cells.forEach(({ centre }, other) => {
      const [along, across] = [
        (centre[0] - x) * dx + (centre[1] - y) * dy,
        Math.abs((centre[0] - x) * dy) + Math.abs((centre[1] - y) * dx),
      ];
      const far = along + 2 * across;
      if (along > 0.3 && across <= along && far < least) [best, least] = [other, far];
    });
    return best;
  }
}
