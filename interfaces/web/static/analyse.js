// Looking at a game with an engine's eyes: variations, graphs, hints, mistakes, proofs.

import { ask } from "./link.js";
import { element, plural, renew, stone } from "./dom.js";
import { graph } from "./graph.js";
import { openLibrary } from "./library.js";
import { recall, remember } from "./memory.js";
import { PracticeBoard } from "./practice.js";
import { ghosts, heat, Thinking, thoughtTable } from "./thoughts.js";
import { blackWins, GameTree, mistake } from "./tree.js";
import { treeView } from "./tree-view.js";

const MEMORY = "analysed";
/** Seconds for the position on the board; the engine's finds stay when one goes on. */
const LOOK = 10;
const SWEEPS = [1, 3, 10];

/** Keep a game to be analysed: { game, players, turns, at }, and return its address. */
export function analysisOf(game) {
  remember(MEMORY, game);
  return "#analyse/last";
}

export function openAnalyse(page, facts, what, name) {
  if (what === "new") {
    const game = facts.games.find((each) => each.name === name) || facts.games[0];
    const settings = Object.fromEntries(Object.entries(game.settings).map(([key, { value }]) => [key, value]));
    remember(MEMORY, { game: { name: game.name, size: game.size, settings }, turns: [] });
  } else if (what !== "last" || !recall(MEMORY)) return openLibrary(page, facts, analysisOf);
  return new AnalysisView(page, recall(MEMORY)).leave;
}

class AnalysisView {
  constructor(page, kept) {
    this.kept = kept;
    const { name, size, settings } = kept.game;
    this.where = { game: name, size, settings };
    this.tree = kept.tree ? GameTree.of(kept.tree) : new GameTree(kept.turns);
    this.thinking = null;
    this.sweeping = null;
    this.on = recall("engine-on", true);
    this.shows = recall("shows", { turns: true, heat: false });
    this.board = new PracticeBoard(this.where, {
      label: "Position", changed: (answer) => this.changed(answer),
    });
    const button = (text, label, act) => element("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
    const step = (by) => () => this.step(by);
    this.moves = element("div", { class: "actions steps" },
      button("\u25c0\u25c0", "To the start", step(-Infinity)), button("\u25c0", "One turn back", step(-1)),
      button("\u25b6", "One turn on", step(1)), button("\u25b6\u25b6", "To the end", step(Infinity)));
    this.graphPlace = element("div", { class: "graph-place" });
    this.verdict = element("p", { class: "verdict", role: "status" });
    this.proof = element("p", { class: "proof", role: "status" });
    this.thoughts = element("div", { class: "thoughts-place" });
    this.treePlace = element("div", { class: "tree", role: "group", "aria-label": "Turns and variations" });
    this.progress = element("span", { class: "note", role: "status" });
    this.engine = this.toggle("Engine", () => this.on, (on) => {
      this.on = on;
      remember("engine-on", on);
      this.think();
    });
    const shown = (what, text) => this.toggle(text, () => this.shows[what], (on) => {
      this.shows[what] = on;
      remember("shows", this.shows);
      this.draw();
    });
    this.seconds = element("select", { "aria-label": "Time for each position" },
      ...SWEEPS.map((seconds) => element("option", { value: seconds }, `${plural(seconds, "second")} a turn`)));
    this.sweepButton = element("button", { type: "button", onclick: () => this.sweep() }, "Find the mistakes");
    this.pruneButton = element("button", { type: "button", onclick: () => this.prune() }, "Remove this variation");
    this.problem = element("p", { class: "problem", role: "alert" });
    page.append(element("div", { class: "beside-board analysis" },
      element("div", {}, this.board.place, this.moves, this.graphPlace),
      element("section", { class: "panel", "aria-label": "Analysis" },
        element("h1", {}, "Analysis"), this.players(), this.problem,
        this.board.counts, this.board.actions, this.board.note,
        element("div", { class: "toggles" }, this.engine, shown("turns", "Best turns"), shown("heat", "Heat map")),
        this.proof, this.verdict, this.thoughts,
        element("div", { class: "actions" }, this.sweepButton, this.seconds, this.progress),
        this.treePlace, this.pruneButton,
        element("p", { class: "links" }, element("a", { href: "#analyse" }, "Another game"),
          element("a", { href: `#play/new/${name}` }, "Play")))));
    this.key = (event) => {
      if (event.target.closest("input, select, textarea, .board") || event.ctrlKey || event.metaKey || event.altKey) return;
      const by = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
      if (by) this.step(by);
      if (by) event.preventDefault();
    };
    document.addEventListener("keydown", this.key);
    this.leave = () => {
      document.removeEventListener("keydown", this.key);
      this.board.leave();
      this.thinking?.stop();
      this.sweeping?.stop();
    };
    document.title = "Analysis - oddly";
    this.open();
  }

  toggle(text, is, set) {
    const node = element("button", { type: "button", class: "toggle", "aria-pressed": String(is()), onclick: () => {
      set(!is());
      node.setAttribute("aria-pressed", String(is()));
    } }, text);
    return node;
  }

  players() {
    const { players, score, reason } = this.kept;
    if (!players) return null;
    return element("div", {}, element("p", { class: "players" }, ...players.map((player, seat) =>
      element("span", { class: "player" }, stone(seat ? "white" : "black"), element("strong", {}, player)))),
    score ? element("p", { class: "note" }, `${score}: ${reason}.`) : null);
  }

  /** Fetch the positions of the game, and go to where the reader was. */
  async open() {
    let node = this.tree.root;
    const turns = [];
    while (node.children.length) {
      [node] = node.children;
      turns.push(node.turn);
    }
    try {
      const line = await ask("/api/line", { ...this.where, turns });
      this.problem.textContent = line.problem;
      node = this.tree.root;
      for (const frame of line.frames) {
        node.frame = frame;
        if (!node.children.length) break;
        [node] = node.children;
      }
      const legal = turns.slice(0, line.frames.length - 1);
      this.go(this.tree.follow(this.kept.path || legal.slice(0, this.kept.at ?? 0)));
    } catch (error) {
      this.problem.textContent = error.message;
    }
  }

  go(node) {
    this.tree.current = node;
    this.board.go(this.tree.turns(node));
  }

  step(by) {
    const line = this.tree.line();
    const at = line.indexOf(this.tree.current) + by;
    this.go(line[Math.max(0, Math.min(line.length - 1, at))]);
  }

  prune() {
    if (this.tree.prune()) this.go(this.tree.current);
  }

  /** The board shows another position, or another step of a turn. */
  changed(answer) {
    const node = this.tree.follow(answer.state.turns);
    const { stones, black, white, to_move: toMove, over } = answer.view;
    if (!answer.view.tentative.length) node.frame = { stones, black, white, to_move: toMove };
    node.over = Boolean(over);
    if (node !== this.shownNode) {
      this.shownNode = node;
      this.think();
    }
    const path = this.tree.turns();
    remember(MEMORY, { ...this.kept, tree: this.tree.asJson(), path });
    this.draw();
  }

  /** Let the engine look at the position on the board. */
  think() {
    this.thinking?.stop();
    this.thinking = null;
    const node = this.tree.current;
    if (!this.on || node.over || this.sweeping) {
      this.draw();
      return;
    }
    this.problem.textContent = "";
    this.thinking = new Thinking(this.where, this.tree.turns(node), LOOK,
      (said) => this.heard(node, said), () => {
        this.thinking = null;
        this.draw();
      });
    this.draw();
  }

  heard(node, said) {
    if (said.kind === "thought" && said.turns.length && said.visits >= (node.thought?.visits || 0)) node.thought = said;
    if (said.kind === "proof") node.proof = said;
    if (said.kind === "problem") this.problem.textContent = said.sentence;
    this.draw();
  }

  /** Look at each position of the line for a while, so that the graph is whole. */
  async sweep() {
    if (this.sweeping) {
      this.sweeping.stop();
      return;
    }
    this.thinking?.stop();
    this.thinking = null;
    let stopped = false;
    let current = null;
    this.sweeping = { stop: () => { stopped = true; current?.stop(); } };
    this.sweepButton.textContent = "Stop";
    const line = this.tree.line();
    const seconds = Number(this.seconds.value);
    for (const [index, node] of line.entries()) {
      if (stopped) break;
      if (node.over || (node.thought?.seconds || 0) >= seconds) continue;
      this.progress.textContent = `${index + 1} of ${line.length}`;
      await new Promise((done) => {
        const abort = () => done();
        current = new Thinking(this.where, this.tree.turns(node), seconds, (said) => this.heard(node, said), done);
        current.abort.signal.addEventListener("abort", abort);
      });
      if (node.thought && !stopped) node.thought.seconds = seconds;
    }
    this.sweeping = null;
    this.sweepButton.textContent = "Find the mistakes";
    const found = line.filter((node) => mistake(node)).length;
    this.progress.textContent = stopped ? "" : `${plural(found, "mistake")} found`;
    this.think();
  }

  draw() {
    const node = this.tree.current;
    const { view } = this.board.answer || {};
    if (view && this.board.board) {
      const idle = !view.tentative.length && !view.origin;
      this.board.board.show({ ...view,
        ghosts: this.shows.turns && idle ? ghosts(node.thought, view.to_move) : {},
        heat: this.shows.heat && idle ? heat(node.thought, view.to_move) : null });
      this.board.board.svg.classList.toggle("choosing", this.shows.heat || !idle);
    }
    const line = this.tree.line();
    const points = line.map((each) => ({
      rate: blackWins(each), lead: each.frame ? each.frame.white - each.frame.black : null, mark: mistake(each)?.mark,
    }));
    const at = line.indexOf(node);
    renew(this.graphPlace, [points, at], () => graph(points, at, (index) => this.go(line[index])));
    this.proof.textContent = node.proof?.sentence || "";
    this.verdict.textContent = this.sentence(node);
    renew(this.thoughts, [node.thought, node.proof], () => node.thought && !node.over
      ? thoughtTable(node.thought, (turn) => this.play(turn)) : []);
    treeView(this.treePlace, this.tree, (chosen) => this.go(chosen));
    let off = node;
    while (off.parent && off.parent.children[0] === off) off = off.parent;
    this.pruneButton.hidden = !off.parent;
  }

  sentence(node) {
    const error = mistake(node);
    const was = error ? `${node.turn} was ${error.words}. ` : "";
    if (node.over) return was;
    const rate = blackWins(node);
    const searching = this.thinking ? "Thinking: " : "";
    if (rate === null || !node.thought) return was + (this.thinking ? "Thinking\u2026" : "");
    const side = rate >= 0.5 ? "Black" : "White";
    return `${was}${searching}${side} wins ${Math.round(100 * Math.max(rate, 1 - rate))} % of ${node.thought.visits} simulated games.`;
  }

  /** Play a turn of the table, if it is a whole turn. */
  play(turn) {
    this.board.go([...this.tree.turns(), turn]);
  }
}
