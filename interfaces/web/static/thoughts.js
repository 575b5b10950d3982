// Asking the engine of the server about a position, and what it says, while it thinks.

import { stream } from "./link.js";
import { element, headings, plural } from "./dom.js";

export class Thinking {
  /** `heard` is called with the newest thought, proof or problem; `ended` at the end. */
  constructor(where, turns, seconds, heard, ended = () => {}) {
    this.abort = new AbortController();
    stream("/api/analysis", { ...where, turns, seconds }, heard, this.abort.signal)
      .catch((error) => {
        if (error.name !== "AbortError") heard({ kind: "problem", sentence: error.message });
      })
      .finally(() => this.abort.signal.aborted || ended());
  }

  stop() {
    this.abort.abort();
  }
}

/** Looking at each position of a line for a while: where the mistakes are. */
export class Sweep {
  /** `heard(node, said)` hears what is found, `at(index)` which position of the line comes next. */
  constructor(where, tree, seconds, { heard, at }) {
    Object.assign(this, { where, tree, seconds, heard, at });
    this.isStopped = false;
    this.thinking = null;
  }

  /**
   * Look at all positions that have not been looked at for as long, until one look comes to no end. Returns how many
   * have been looked at; `problem` says why it is not all of them.
   */
  async run(line) {
    const isKnown = (node) => node.over || (node.thought?.seconds || 0) >= this.seconds;
    const looked = new Set();
    for (const [index, node] of line.entries()) {
      if (isKnown(node)) continue;
      this.at(index);
      if (this.isStopped || !await this.look(node)) break;
      if (node.thought) node.thought.seconds = this.seconds;
      looked.add(node);
    }
    return line.filter((node) => isKnown(node) || looked.has(node)).length;
  }

  /** Look at one position. Returns whether the engine came to the end. */
  look(node) {
    this.problem = "The server broke off.";
    return new Promise((ended) => {
      let isDone = false;
      this.thinking = new Thinking(this.where, this.tree.turns(node), this.seconds, (said) => {
        isDone ||= said.kind === "done";
        if (said.kind === "problem") this.problem = said.sentence;
        else this.heard(node, said);
      }, () => ended(isDone));
      this.thinking.abort.signal.addEventListener("abort", () => ended(false));
    });
  }

  stop() {
    this.isStopped = true;
    this.thinking?.stop();
  }
}

/** Return what a thought gives a side; the chance may be that of the best turn, the games are those of all turns. */
export function winsInGames(side, rate, { visits }) {
  return `${side} wins ${Math.round(100 * rate)} %, estimated from ${plural(visits, "simulated game")}.`;
}

/** Return the vertices of a turn with the colour of the stone that comes there. */
export function touched(turn, mover) {
  const moved = /^([a-z]\d+)-([a-z]\d+)$/.exec(turn);
  if (moved) return [[moved[2], mover]];
  return [...turn.matchAll(/([BW])([a-z]\d+)/g)].map(([, letter, vertex]) => [vertex, letter === "B" ? "black" : "white"]);
}

/** Return the best turns as ghosts on their vertices, for Board.show. */
export function ghosts(thought, mover, number = 3) {
  const found = {};
  (thought?.turns || []).slice(0, number).forEach(({ turn }, index) => {
    for (const [vertex, colour] of touched(turn, mover)) found[vertex] ??= { colour, text: String(index + 1) };
  });
  return found;
}

/** Return how much the engine looked at each vertex, 0 to 4. */
export function heat(thought, mover) {
  const visits = {};
  for (const ranked of thought?.turns || []) {
    for (const [vertex] of touched(ranked.turn, mover)) visits[vertex] = (visits[vertex] || 0) + ranked.visits;
  }
  const most = Math.max(1, ...Object.values(visits));
  return Object.fromEntries(Object.entries(visits).map(([vertex, number]) => [vertex, Math.ceil((4 * number) / most)]));
}

/**
 * Return the table of turns with their chances; `chosen(turn)` hears of a click on one, and `line.pick(index)` of a
 * click on a number: the line of the turn with the number `line.at` is shown.
 */
export function thoughtTable(thought, chosen, line = null) {
  const withLead = thought.turns.some(({ lead }) => lead !== null);
  const heads = ["", "turn", "wins", ...(withLead ? ["lead"] : []), "searched"];
  return element("table", { class: "thoughts" },
    element("thead", {}, headings(heads)),
    element("tbody", {}, ...thought.turns.map(({ turn, visits, win_rate: rate, lead }, index) => element("tr", {},
      element("td", {}, line && thought.turns[index].variation.length ? element("button", {
        type: "button", class: "turn", "aria-pressed": String(line.at === index), title: "Show the line that begins with this turn",
        "aria-label": `Line ${index + 1}`, onclick: () => line.pick(index),
      }, String(index + 1)) : String(index + 1)),
      element("td", {}, chosen
        ? element("button", { type: "button", class: "turn", onclick: () => chosen(turn) }, turn) : turn),
      element("td", {}, `${Math.round(100 * rate)} %`),
      withLead ? element("td", {}, lead === null ? "" : lead.toFixed(1)) : null,
      element("td", {}, `${Math.round((100 * visits) / Math.max(1, thought.visits))} %`)))));
}
