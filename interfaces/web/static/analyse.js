// Looking at a game with an engine's eyes: the viewer of games with hints, mistakes and proofs.

import { analysisAddress, readAddress } from "./analysis-address.js";
import { element, keepHeight, plural, renew } from "./dom.js";
import { ExpectedLine } from "./expected.js";
import { gameOf, openingOf, UnknownGame } from "./game-to-analyse.js";
import { openLibrary } from "./library.js";
import { ask } from "./link.js";
import { recall, remember } from "./memory.js";
import { copyButton, mistakeList } from "./mistakes.js";
import { PracticeBoard } from "./practice.js";
import { showAddress } from "./shown-address.js";
import { ghosts, heat, Sweep, Thinking, thoughtTable, winsInGames } from "./thoughts.js";
import { blackWins, GameTree, isJudged, mistake } from "./tree.js";
import { GameViewer } from "./viewer.js";

const MEMORY = "analysed";
const OTHER = { black: "white", white: "black" };
/** Seconds for the position on the board; the engine's finds stay when one goes on. */
const LOOK = 10;
const SWEEPS = [1, 3, 10];

/** Keep a game to be analysed: { game, players, turns, at }, and return its address. */
export function analysisOf(game) {
  remember(MEMORY, game);
  return "#analyse/last";
}

export function openAnalyse(page, facts, ...parts) {
  const [what, name] = parts;
  if (!what) return openLibrary(page, facts, analysisOf);
  if (what === "new") remember(MEMORY, openingOf(facts, name));
  const last = recall(MEMORY);
  if (what === "last" && !last) {
    // A game that is opened from here has this same address.
    location.replace("#analyse");
    return () => {};
  }
  if (what === "new" || what === "last") return new AnalysisView(page, last);
  let opened = null;
  let isLeft = false;
  const refuse = (error) => {
    if (isLeft) return;
    opened?.leave();
    opened = null;
    page.replaceChildren(element("div", { class: "narrow" }, element("section", { class: "card", "aria-label": "Analysis" },
      element("h1", {}, error.title || "No such analysis"), element("p", { role: "alert" }, error.message),
      element("p", { class: "actions" },
        error.game ? element("a", { class: "button primary", href: `#play/${error.game}` }, "To the game") : null,
        element("a", { class: "button", href: "#analyse" }, "Analyse another game")))));
  };
  gameOf(parts, last).then((game) => {
    if (!isLeft) opened = new AnalysisView(page, game, refuse);
  }, (error) => {
    if (!(error instanceof UnknownGame)) throw error;
    refuse(error);
  });
  return {
    leave: () => {
      isLeft = true;
      opened?.leave();
    },
    follow: (address) => opened?.follow(address) || false,
  };
}

class AnalysisView extends GameViewer {
  /** `refuse(error)` hears that the server knows no such game. The page is shown once the positions of the game are there. */
  constructor(page, game, refuse = null) {
    super(game, game.tree ? GameTree.of(game.tree) : new GameTree(game.turns));
    const { name, size, settings } = game.game;
    this.refuse = refuse;
    this.where = { game: name, size, settings };
    this.rules = { name, size, settings };
    this.thinking = null;
    this.sweeping = null;
    this.rank = 0;
    this.isOpen = false;
    this.engineIsOn = recall("engine-on", true);
    this.shows = recall("shows", { turns: true, heat: false });
    this.board = new PracticeBoard(this.where, {
      label: "Position", changed: (answer) => this.changed(answer), waits: true,
    });
    this.proof = element("p", { class: "proof", role: "status" });
    this.thoughts = element("div", { class: "thoughts-place" });
    this.progress = element("span", { class: "note", role: "status" });
    const engine = this.toggle("Engine", () => this.engineIsOn, (on) => {
      this.engineIsOn = on;
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
    // What is wrong with the game itself, or with its address, stays.
    this.flaw = element("p", { class: "problem", role: "alert" });
    const line = (title, from) => new ExpectedLine({ title, board: () => this.board.board, restore: () => this.restore(),
      follow: (turns) => this.board.go([...this.tree.turns(from()), ...turns]) });
    this.expected = line("Expected:", () => this.tree.current);
    this.instead = line("Better was:", () => this.tree.current.parent);
    this.lines = [this.expected, this.instead];
    this.linesPlace = element("div", { class: "lines" }, this.expected.node, this.instead.node);
    this.finds = element("div", { class: "finds" }, this.proof, this.verdict, this.thoughts);
    this.mistakes = element("section", { class: "mistakes", "aria-label": "Mistakes" });
    page.append(element("p", { class: "note", role: "status" }, "Opening the game\u2026"));
    this.node = element("div", { class: "beside-board analysis" },
      element("div", {}, this.board.place, this.moves,
        this.linesPlace, this.slider, this.graphPlace),
      element("section", { class: "panel", "aria-label": "Analysis" },
        element("h1", {}, "Analysis"), this.players, this.said, this.flaw, this.problem,
        this.board.counts, this.board.actions, this.board.note,
        element("div", { class: "toggles" }, engine, shown("turns", "Best turns"), shown("heat", "Heat map"),
          this.board.counting.button),
        this.finds,
        element("div", { class: "actions" }, this.sweepButton, this.seconds, this.progress),
        this.mistakes, this.treePlace, this.pruneButton,
        element("p", { class: "links" }, element("a", { href: "#analyse" }, "Another game"),
          game.id ? element("a", { href: `#play/${game.id}` }, "To the game") : null,
          element("a", { href: `#play/new/${name}` }, "Play"),
          copyButton("Copy the link to this turn", () => this.address()))));
    const press = (event) => {
      if (event.target.closest?.("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
      (this.instead.isShown ? this.instead : this.expected).press(event);
    };
    let unlisten = () => {};
    this.leave = () => {
      unlisten();
      document.removeEventListener("keydown", press);
      for (const each of this.lines) each.close();
      this.board.leave();
      this.thinking?.stop();
      this.sweeping?.stop();
    };
    document.title = "Analysis - oddly";
    this.open(page).then(() => {
      if (this.board.isLeft) return;
      unlisten = this.listen();
      document.addEventListener("keydown", press);
      // Only on the page can the tree scroll to the turn.
      this.draw();
    });
  }

  toggle(text, is, set) {
    const node = element("button", { type: "button", class: "toggle", "aria-pressed": String(is()), onclick: () => {
      set(!is());
      node.setAttribute("aria-pressed", String(is()));
    } }, text);
    return node;
  }

  /** Go to a position. A leap is an entry of the history, a step is none. */
  go(node) {
    for (const line of this.lines) line.leave();
    const from = this.tree.current;
    const isStep = node === from || node.parent === from || from.parent === node || document.activeElement === this.slider;
    if (this.isOpen && !this.isFollowing && !isStep) this.tell(true, node);
    super.go(node);
  }

  /** Whether a position is one of the game as it was played. */
  isPlayed(node) {
    return !node.parent || (node.played ?? null) !== null;
  }

  /** Return the address of a position. */
  address(node = this.tree.current) {
    const { id, game, players, score } = this.game;
    const line = this.tree.line(node);
    const isOfGame = id && line.every((each) => this.isPlayed(each));
    const better = mistake(node) ? this.betterThan(node) : [];
    return analysisAddress({ id, game, players, score, turns: isOfGame ? null : line.slice(1).map(({ turn }) => turn),
      turn: node.depth, rates: line.map(blackWins), better });
  }

  tell(isLeap = false, node = this.tree.current) {
    if (this.isOpen) showAddress(this.address(node), isLeap);
  }

  /** Go to where an address leads, if it is in this game. */
  follow({ room, parts, turn }) {
    const read = room === "analyse" ? readAddress(parts) : null;
    if (!read || !this.isOpen) return false;
    if (read.id ? read.id !== this.game.id : JSON.stringify(read.game) !== JSON.stringify(this.rules)) return false;
    let node = this.tree.root;
    const turns = read.id ? this.game.turns : read.turns;
    for (const each of turns.slice(0, turn ?? 0)) {
      node = node.children.find((child) => child.turn === each);
      if (!node) return false;
    }
    this.isFollowing = true;
    this.go(node);
    this.isFollowing = false;
    return true;
  }

  /** Return the line that is better than a turn, as far as it is known. */
  betterThan(node) {
    const line = node.parent?.thought?.turns[0]?.variation || node.parent?.better || [];
    return line[0] === node.turn ? [] : line;
  }

  /** Show the position again in which a line was looked at, with the turn that is being made. */
  restore() {
    const { frame } = this.tree.current;
    if (frame) this.board.board?.show({ ...frame, numbered: this.board.counting.isOn });
    this.draw();
  }

  /** Fetch the positions of the game, go to where the address or the reader was, and enter the page. */
  async open(page) {
    const turns = this.tree.line(this.tree.root).slice(1).map(({ turn }) => turn);
    try {
      const line = await ask("/api/line", { ...this.where, turns });
      if (this.board.isLeft) return;
      this.flaw.textContent = line.problem;
      this.game.game = { ...this.game.game, ...line.game };
      this.place(line.frames);
      const legal = turns.slice(0, line.frames.length - 1);
      this.share(legal);
      const { at } = this.game;
      if (at > turns.length) this.flaw.textContent = `The game has ${plural(turns.length, "turn")} and no turn ${at}.`;
      this.go(this.tree.follow(this.game.path || legal.slice(0, at ?? 0)));
      this.isOpen = true;
    } catch (error) {
      if (this.board.isLeft) return;
      if (error.status === 422 && this.refuse) {
        this.refuse(error);
        return;
      }
      this.problem.textContent = error.message;
      this.go(this.tree.root);
    }
    await this.board.enter(page, this.node);
  }

  /** Hang what the address has of somebody's finds on the positions of the game. */
  share(turns) {
    const { rates = [], better = [], at } = this.game.shared || {};
    let node = this.tree.root;
    for (const [index, turn] of [...turns, null].entries()) {
      node.shared = rates[index] ?? null;
      const next = node.children.find((child) => child.turn === turn);
      if (!next) return;
      if (index + 1 === at && better.length) node.better = better;
      node = next;
    }
  }

  /** Show a position: at once if it is known, and then with what may be clicked there. */
  show(node) {
    if (node.frame) this.board.board?.show({ ...node.frame, numbered: this.board.counting.isOn });
    this.board.go(this.tree.turns(node));
  }

  prune() {
    if (this.tree.prune()) this.go(this.tree.current);
  }

  /** The board shows another position, or another step of a turn. */
  changed(answer) {
    const node = this.tree.follow(answer.state.turns);
    const { stones, groups, lead, mover, to_move: toMove, tentative, placed, left, over } = answer.view;
    const first = mover === 0 ? toMove : OTHER[toMove];
    if (!tentative.length) node.frame = { stones, groups, lead, placed, left, first, to_move: toMove };
    node.over = Boolean(over);
    if (node !== this.shownNode) {
      this.shownNode = node;
      this.think();
    }
    remember(MEMORY, { ...this.game, shared: undefined, tree: this.tree.asJson(), path: this.tree.turns() });
    this.draw();
  }

  /** Let the engine look at the position on the board. */
  think() {
    this.thinking?.stop();
    this.thinking = null;
    const node = this.tree.current;
    if (!this.engineIsOn || node.over || this.sweeping) {
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
    const line = this.tree.line();
    this.sweeping = new Sweep(this.where, this.tree, Number(this.seconds.value), {
      heard: (node, said) => this.heard(node, said),
      at: (index) => { this.progress.textContent = `${index + 1} of ${line.length}`; },
    });
    this.sweepButton.textContent = "Stop";
    const known = await this.sweeping.run(line);
    const { isStopped, problem } = this.sweeping;
    this.sweeping = null;
    this.sweepButton.textContent = "Find the mistakes";
    this.progress.textContent = isStopped ? "" : known < line.length
      ? `Looked at ${known} of ${plural(line.length, "position")}. ${problem}`
      : `${plural(line.filter((node) => mistake(node)).length, "mistake")} found`;
    this.think();
  }

  draw() {
    const thinks = this.engineIsOn || this.sweeping !== null;
    this.withRates = thinks || this.tree.line().some(isJudged);
    for (const place of [this.linesPlace, this.finds]) keepHeight(place, thinks);
    super.draw();
    const node = this.tree.current;
    const { view } = this.board.answer || {};
    const expected = node.thought && !node.over ? node.thought.turns[this.rank]?.variation || [] : [];
    this.expected.offer(expected, node.frame);
    this.instead.offer(mistake(node) ? this.betterThan(node) : [], node.parent?.frame);
    const isShown = !this.lines.some((line) => line.isShown) && view && this.board.state.turns.join() === this.tree.turns(node).join();
    if (isShown && this.board.board) {
      const idle = !view.tentative.length && !view.origin;
      this.board.board.show({ ...this.board.drawn(view),
        ghosts: this.shows.turns && idle && !view.over ? ghosts(node.thought, view.to_move) : {},
        heat: this.shows.heat && idle ? heat(node.thought, view.to_move) : null });
      this.board.board.svg.classList.toggle("choosing", this.shows.heat || !idle);
    }
    this.proof.textContent = node.proof?.sentence || "";
    renew(this.thoughts, [node.thought, node.proof, this.rank], () => node.thought && !node.over
      ? thoughtTable(node.thought, (turn) => this.play(turn), { at: this.rank, pick: (rank) => this.pick(rank) }) : []);
    mistakeList(this.mistakes, this.tree.line(), (each) => this.address(each), () => this.pause());
    this.tell();
    let off = node;
    while (off.parent && off.parent.children[0] === off) off = off.parent;
    this.pruneButton.hidden = !off.parent;
  }

  /** The counts beside the board say how the game ended; of faults more is known. */
  ending() {
    const { score } = this.game;
    return this.tree.current.over ? (score ? `${score}.` : "") : super.ending();
  }

  judgement(node) {
    const was = super.judgement(node);
    const rate = blackWins(node);
    if (node.over || ((rate === null || !node.thought) && !this.thinking)) return was;
    if (rate === null || !node.thought) return `${was} Thinking\u2026`.trim();
    const side = rate >= 0.5 ? "Black" : "White";
    const chances = winsInGames(side, Math.max(rate, 1 - rate), node.thought);
    return `${was} ${this.thinking ? "Thinking: " : ""}${chances}`.trim();
  }

  /** Show the line of another of the best turns. */
  pick(rank) {
    this.rank = rank;
    for (const line of this.lines) line.leave();
    this.draw();
    this.thoughts.querySelectorAll("[aria-pressed]")[rank]?.focus({ preventScroll: true });
  }

  /** Play a turn of the table, if it is a whole turn. */
  play(turn) {
    this.board.go([...this.tree.turns(), turn]);
  }
}
