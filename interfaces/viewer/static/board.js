// A board as SVG, drawn from the server's geometry, with its stones and possible clicks.

import { drawing } from "./dom.js";
import { neighboursOf, outline } from "./outlines.js";

const NAMES = { ".": "empty", X: "black stone", O: "white stone" };
const DOES = {
  d: "put a stone here",
  f: "change its colour",
  t: "take it back",
  s: "take this piece",
  b: "put it back",
  m: "move here",
};
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const MARGIN = 0.12;
const LABEL = 0.36;
/** The least width of a cell in pixels, so that a finger hits it; labels at the sides must leave more. */
const MIN_CELL = 24;
const ROOMY_CELL = 28;
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
    this.plain = plain;
    this.outlines = drawing("g", { class: "outlines", "aria-hidden": "true" });
    this.svg.append(this.outlines);
    this.labels = (plain ? [] : [...geometry.columns, ...geometry.ranks]).map(({ text, at }) => ({
      node: this.text("label", text, at, LABEL), from: at[0] - LABEL / 2, to: at[0] + LABEL / 2 }));
    this.svg.append(...this.labels.map(({ node }) => node));
    this.shown = geometry.cells.map(() => "");
    if (clicked) {
      // Above all cells: the next cells would cover half of a ring that belongs to one of them.
      this.ring = drawing("g", { class: "ring", "aria-hidden": "true" },
        drawing("polygon", { class: "outer" }), drawing("polygon", { class: "inner" }));
      this.svg.append(this.ring);
      // Not on the drawing: with a listener of that kind, Chromium lets the Tab key stop at it.
      for (const { group, cell } of this.vertices) group.addEventListener("focus", () => this.encircle(cell));
      this.vertices[Math.floor(this.vertices.length / 2)].group.setAttribute("tabindex", "0");
      this.svg.addEventListener("keydown", (event) => this.key(event));
    }
  }

  /** Show this part of the drawing, [x, y, width, height], and so much beside it. */
  frame([x, y, width, height], beside = MARGIN) {
    this.width = width + 2 * beside;
    this.svg.style.setProperty("--least-height", `${Math.ceil(MIN_CELL * (height + 2 * MARGIN))}px`);
    this.svg.setAttribute("viewBox", [x - beside, y - MARGIN, this.width, height + 2 * MARGIN].join(" "));
  }

  /** Keep every cell large enough for a finger: leave the labels out first, then scroll. */
  fit(place) {
    this.place = place;
    this.scale = 1;
    new ResizeObserver(() => this.resize()).observe(place);
  }

  /** Make the board `scale` times as large as it would be, at least so that all of it is seen. */
  zoom(scale) {
    const whole = this.place.clientWidth / this.width;
    const usual = Math.max(whole, MIN_CELL);
    this.scale = Math.min(Math.max(scale, whole / usual), Math.max(1, MAX_CELL / usual));
    this.resize();
  }

  resize() {
    const { bounds, labelled_bounds: labelled } = this.geometry;
    const room = this.place.clientWidth;
    if (!room) return;
    const tight = room / (labelled[2] + 2 * MARGIN) < ROOMY_CELL;
    if (tight) this.frame([bounds[0], labelled[1], bounds[2], labelled[3]], 0);
    else this.frame(labelled);
    // No label is cut off at the edge of the screen.
    for (const { node, from, to } of this.labels) {
      node.classList.toggle("out", tight && (from < bounds[0] || to > bounds[0] + bounds[2]));
    }
    const whole = room / this.width;
    const cell = Math.max(whole, MIN_CELL) * this.scale;
    const isSized = whole < MIN_CELL || this.scale !== 1;
    this.svg.style.maxWidth = isSized ? "none" : `${MAX_CELL * this.width}px`;
    this.svg.style.width = isSized ? `${Math.ceil(cell * this.width)}px` : "";
    this.svg.classList.toggle("scrolled", isSized);
    if (!this.isPlaced) {
      this.isPlaced = true;
      this.place.scrollLeft = (this.place.scrollWidth - room) / 2;
      this.place.scrollTop = (this.place.scrollHeight - this.place.clientHeight) / 2;
    }
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

  /**
   * Show a position: `stones` and `clicks` have one character for each vertex. A stone that is put
   * on the board gets `colour`. `groups` list the indices of their stones, and may be `numbered`.
   */
  show({
    stones, clicks = "", colour = "", tentative = [], placed = [], left = [], origin = null, hints = {}, ghosts = {},
    heat = null, groups = [], numbered = false,
  }) {
    const numbers = this.outline(stones, this.plain ? [] : groups, numbered);
    const sets = [tentative, placed, left].map((vertices) => new Set(vertices));
    for (let index = 0; index < this.vertices.length; index += 1) {
      const { vertex } = this.geometry.cells[index];
      const state = [
        stones[index], clicks[index] || "", ...sets.map((set) => set.has(vertex)),
        vertex === origin, hints[vertex] || "", ghosts[vertex]?.colour || "", ghosts[vertex]?.text || "",
        heat ? heat[vertex] || 0 : "", colour, numbers.get(index) || "", ghosts[vertex]?.label || "",
      ];
      const key = state.join("|");
      if (this.shown[index] !== key) {
        this.shown[index] = key;
        this.draw(index, state);
      }
    }
  }

  /** Draw the outlines of groups. Return the number of each numbered stone; behind it, "shown" where it is written. */
  outline(stones, groups, numbered) {
    const key = JSON.stringify([groups, groups.map(([index]) => stones[index])]);
    if (this.outlined !== key) {
      this.outlined = key;
      const { cells } = this.geometry;
      if (groups.length) this.neighbours ??= neighboursOf(cells);
      this.outlines.replaceChildren(...groups.flatMap((group) => {
        const d = outline(group, cells, this.neighbours);
        const colour = stones[group[0]] === "X" ? "black" : "white";
        return [drawing("path", { class: `outline-edge ${colour}`, d }), drawing("path", { class: `outline ${colour}`, d })];
      }));
    }
    this.svg.classList.toggle("numbered", numbered);
    const numbers = new Map();
    const reached = { X: 0, O: 0 };
    for (const group of numbered ? groups : []) {
      reached[stones[group[0]]] += 1;
      const number = reached[stones[group[0]]];
      for (const index of group) numbers.set(index, `${number}`);
      numbers.set(this.middle(group), `${number} shown`);
    }
    return numbers;
  }

  /** Return the stone of a group that is nearest to its middle. */
  middle(group) {
    const centres = group.map((index) => this.geometry.cells[index].centre);
    const [x, y] = [0, 1].map((axis) => centres.reduce((sum, centre) => sum + centre[axis], 0) / group.length);
    const far = centres.map((centre) => Math.hypot(centre[0] - x, centre[1] - y));
    return group[far.indexOf(Math.min(...far))];
  }

  draw(index, [symbol, click, isTentative, isPlaced, isLeft, isOrigin, hint, ghost, rank, warmth, chosen, numbering, label]) {
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
    const [number, isWritten] = numbering.split(" ");
    if (isWritten) parts.push(this.text(`number ${colour}`, number, cell.centre, 0.46));
    marks.replaceChildren(...parts);
    if (!this.clicked) return;
    group.setAttribute("data-click", click);
    const what = NAMES[symbol] + (isTentative ? " of this turn" : "");
    const of = number ? `, group ${number}` : "";
    const best = ghost && symbol === "." ? `, ${label || `best turn ${rank}: ${ghost}`}` : "";
    const does = DOES[click] ? `, ${click === "d" && chosen ? `put a ${chosen} stone here` : DOES[click]}` : "";
    group.setAttribute("aria-label", `${cell.vertex}, ${what}${of}${best}${does}`);
  }

  /** Lay the ring of the focus around a cell. */
  encircle(cell) {
    const points = cell.polygon.map((corner) => corner.join(",")).join(" ");
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
      if (next === null) return;
      this.focus(next);
      this.vertices[next].group.scrollIntoView({ block: "nearest", inline: "nearest" });
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
