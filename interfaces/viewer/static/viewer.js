// Going through a game: its turns with their variations, how it went, and what was recorded of it.
// The page to analyse on, the page to watch on and the report all show games by this.

import { element, idleButton, renew, setIdle, stone } from "./dom.js";
import { graph } from "./graph.js";
import { blackWins, GameTree, mistake } from "./tree.js";
import { treeView } from "./tree-view.js";

const PAUSE = 700;
const COLOURS = ["black", "white"];

/** The score and what ended the game; a void game has the same word for both. */
export function resultText(score, ending) {
  return [...new Set([score, ending])].filter(Boolean).join(", ");
}

/** Return the chance that the player of a turn gave itself; `node.recorded` is Black's, with three decimals. */
export function ownChance(node) {
  return isOfBlack(node) ? node.recorded : Math.round(1000 * (1 - node.recorded)) / 1000;
}

/** Whether the player of a turn holds Black after it: a swap exchanges the colours. */
function isOfBlack({ played, frame }) {
  return ((frame?.first ?? "black") === "black") === (played % 2 === 0);
}

export class GameViewer {
  /** `game` has turns, and perhaps players, seconds, rates, opening and how it ended. */
  constructor(game, tree = new GameTree(game.turns)) {
    this.game = game;
    this.tree = tree;
    this.timer = null;
    this.withRates = true;
    const step = (by) => () => this.step(by);
    this.back = [idleButton("\u25c0\u25c0", "To the start", step(-Infinity)), idleButton("\u25c0", "One turn back", step(-1))];
    this.runButton = idleButton("Play", "Play on", () => this.timer === null ? this.run() : this.pause());
    this.on = [idleButton("\u25b6", "One turn on", step(1)), idleButton("\u25b6\u25b6", "To the end", step(Infinity))];
    this.moves = element("div", { class: "actions steps" }, ...this.back, this.runButton, ...this.on);
    this.slider = element("input", { type: "range", min: 0, "aria-label": "Turn", oninput: () => {
      this.pause();
      this.go(this.tree.line()[Number(this.slider.value)]);
    } });
    this.graphPlace = element("div", { class: "graph-place" });
    this.treePlace = element("div", { class: "tree", role: "group", "aria-label": "Turns and variations" });
    this.players = element("p", { class: "players" });
    this.said = element("p", { class: "said-of-turn", role: "status" });
    this.verdict = element("p", { class: "verdict", role: "status" });
    this.record();
  }

  /** Hang what was recorded of each turn on its node. */
  record() {
    const { turns = [], seconds = [], rates = [], opening = 0 } = this.game;
    let node = this.tree.root;
    for (const [index, turn] of turns.entries()) {
      node = node.children.find((child) => child.turn === turn);
      if (!node) return;
      Object.assign(node, { played: index, seconds: index < opening ? null : seconds[index] ?? null,
        opening: index < opening, recorded: rates[index] ?? null });
    }
  }

  /** Show these positions, as far as they go, on the line of the game. */
  place(frames) {
    let node = this.tree.root;
    for (const frame of frames) {
      node.frame = frame;
      if (!node.children.length) break;
      [node] = node.children;
    }
  }

  /** Heed the arrow keys where `isMeant(event)`, until what this returns is called. */
  listen(isMeant = () => true) {
    const key = (event) => {
      if (!isMeant(event) || event.target.closest?.("input, select, textarea, .clickable, .scroll")) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const by = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
      if (!by) return;
      event.preventDefault();
      this.step(by);
    };
    document.addEventListener("keydown", key);
    return () => {
      this.pause();
      document.removeEventListener("keydown", key);
    };
  }

  go(node) {
    this.tree.current = node;
    this.show(node);
    this.draw();
  }

  /** Show the position of a node on the board. */
  show() {}

  step(by) {
    this.pause();
    this.walk(by);
  }

  walk(by) {
    const line = this.tree.line();
    const at = line.indexOf(this.tree.current) + by;
    this.go(line[Math.max(0, Math.min(line.length - 1, at))]);
  }

  /** Play on turn by turn, from the start if this is the end. */
  run() {
    if (!this.tree.current.children.length) this.walk(-Infinity);
    this.timer = setInterval(() => {
      this.walk(1);
      if (!this.tree.current.children.length) this.pause();
    }, PAUSE);
    this.runButton.textContent = "Pause";
    this.runButton.setAttribute("aria-label", "Pause");
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.runButton.textContent = "Play";
    this.runButton.setAttribute("aria-label", "Play on");
  }

  draw() {
    const node = this.tree.current;
    const line = this.tree.line();
    const at = line.indexOf(node);
    this.slider.max = line.length - 1;
    this.slider.value = at;
    this.slider.setAttribute("aria-valuetext", at ? `turn ${at} of ${line.length - 1}: ${node.turn}` : "the start");
    for (const button of this.back) setIdle(button, at === 0);
    setIdle(this.runButton, line.length === 1);
    for (const button of this.on) setIdle(button, at === line.length - 1);
    const points = line.map((each) => ({
      rate: blackWins(each), recorded: each.recorded ?? null, seat: (each.depth + 1) % 2,
      lead: each.frame?.lead ?? null, mark: mistake(each)?.mark || null,
    }));
    const parts = { rates: this.withRates, leads: points.some(({ lead }) => lead !== null) };
    renew(this.graphPlace, [points, at, parts], () => parts.rates || parts.leads ? [
      graph(points, at, (index) => { this.pause(); this.go(line[index]); }, parts), ...this.legend(points)] : []);
    treeView(this.treePlace, this.tree, (chosen) => { this.pause(); this.go(chosen); });
    renew(this.players, [node.frame?.first, this.isEnd(node)], () => this.playerNames(node));
    this.said.textContent = this.sentence(node);
    this.verdict.textContent = this.judgement(node);
  }

  legend(points) {
    if (!this.game.players || points.every(({ recorded }) => recorded === null)) return [];
    const [first, second] = this.game.players;
    return [element("p", { class: "legend-line" },
      element("span", { class: "key first" }), `as ${first} saw it `,
      element("span", { class: "key second" }), `as ${second} saw it`)];
  }

  /** Whether this is where the recorded game ended. */
  isEnd(node) {
    return Boolean(this.game.score || this.game.reason) && node.depth === (this.game.turns || []).length
      && (node.played !== undefined || !node.parent);
  }

  /** The players in their colours, which a swap exchanges. */
  playerNames(node) {
    if (!this.game.players) return [];
    const colours = node.frame?.first === "white" ? [...COLOURS].reverse() : COLOURS;
    return this.game.players.map((player, seat) => element("span", { class: "player" }, stone(colours[seat]),
      element("strong", {}, element("bdi", {}, player)),
      this.isEnd(node) && this.game.winner === seat ? element("span", { class: "state" }, "wins") : null));
  }

  sentence(node) {
    const parts = [];
    if (!node.parent) parts.push("The start.");
    else if (node.played === undefined) parts.push(`Turn ${node.depth}: ${node.turn}, a variation.`);
    else {
      const { players } = this.game;
      const by = players ? `, ${node.opening ? "opening, played for" : "by"} ${players[node.played % 2]}` : "";
      const seconds = node.seconds ? `, ${node.seconds.toFixed(2)} s` : "";
      // What is shown of both sides is 100 % together.
      const own = Math.round(100 * ownChance(node));
      const rate = node.recorded === null ? "" : `, who gave Black ${isOfBlack(node) ? own : 100 - own} %`;
      parts.push(`Turn ${node.depth} of ${this.game.turns.length}: ${node.turn}${by}${seconds}${rate}.`);
    }
    if (this.isEnd(node)) parts.push(this.ending());
    return parts.filter(Boolean).join(" ");
  }

  ending() {
    const { score, ending, reason, evidence } = this.game;
    return [resultText(score, ending), reason].filter(Boolean).join(": ") + (evidence ? ` (${evidence})` : "") + ".";
  }

  judgement(node) {
    const error = mistake(node);
    return error ? `${node.turn} was ${error.words}.` : "";
  }
}
