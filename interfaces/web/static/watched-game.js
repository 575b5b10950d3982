// One game: turn by turn while it is played, then to be gone through, all at the same address.

import { analysisAddress } from "./analysis-address.js";
import { ask, geometry, Link } from "./link.js";
import { Board } from "./board.js";
import { element, plural, renew } from "./dom.js";
import { framesOf } from "./frames.js";
import { heedClock, now, seats } from "./seats.js";
import { showAddress } from "./shown-address.js";
import { GameViewer, ownChance, resultText } from "./viewer.js";

export async function openGame(page) {
  const { game: id, state, socket } = page.dataset;
  const problem = page.querySelector(".problem");
  // As the server reads it: what is no number of a turn is the last one.
  const turn = new URLSearchParams(location.search).get("turn") ?? "";
  const asked = /^\d{1,6}$/.test(turn) ? Number(turn) : Infinity;
  let view = null;
  let shape = null;
  let asks = 0;
  const show = (game) => {
    // What was asked before is older than this.
    asks += 1;
    if (view) view.learn(game);
    else view = new WatchedGame(page, game, shape, asked);
  };
  const fetched = async () => {
    asks += 1;
    const question = asks;
    try {
      const game = await ask(`/api/watch/games/${encodeURIComponent(id)}`);
      shape ??= await geometry(game.game.shape, game.game.size);
      if (question === asks) show(game);
      return game;
    } catch (error) {
      problem.textContent = error.message;
      return null;
    }
  };
  await fetched();
  if (state === "over") return;
  let known = "";
  let newest = null;
  const link = new Link(socket, {
    received: async (message) => {
      if (message.kind === "now") heedClock(message);
      else if (message.kind === "ended") {
        link.close();
        // The record reaches the ledger before the feed says so.
        const game = await fetched();
        if (game?.state !== "over" && view) view.interrupted();
      } else if (message.kind === "game" && message.state) show(message);
      else if (message.kind === "game") {
        // A game on the page, which tells of more than turns.
        newest = message;
        view?.clocks(message);
        const told = JSON.stringify([message.turns.length, message.over, message.fault]);
        if (known !== told) {
          known = told;
          await fetched();
          view?.clocks(newest);
        }
      }
    },
    state: (up) => {
      // Whatever happened meanwhile is fetched.
      known = "";
      problem.textContent = up ? "" : "The server does not answer. Trying again\u2026";
    },
    gone: (code, reason) => { problem.textContent = reason || "This game is no longer here."; },
  });
}

class WatchedGame extends GameViewer {
  constructor(page, game, shape, asked) {
    super(game);
    this.state = page.querySelector(".state-line");
    this.names = page.querySelector("#players");
    this.problem = page.querySelector(".problem");
    this.board = new Board(shape, { label: game.game.title });
    const place = element("div", { class: "board-place" }, this.board.svg);
    page.querySelector("#viewer").replaceChildren(place, this.moves, this.slider, this.graphPlace);
    page.querySelector("#moves").replaceChildren(this.said, this.verdict, this.treePlace);
    this.analyse = page.querySelector("#analyse");
    this.listen();
    this.learn(game, asked);
  }

  /** Show the game as it stands now; who looks at its end goes on with it. */
  learn(game, turn = null) {
    const was = this.tree.current;
    const atEnd = !was.children.length;
    this.game = game;
    this.tree.follow(game.turns);
    this.record();
    const vertices = this.board.geometry.cells.map(({ vertex }) => vertex);
    this.place(framesOf(vertices, game.start, game.turns).map((frame, depth) => ({
      ...frame, lead: game.leads[depth], counts: game.counts[depth] })));
    this.tree.current = was;
    this.isOver = game.state === "over";
    const line = this.tree.line();
    const last = line[line.length - 1];
    this.withRates = Boolean(game.rates);
    this.problem.textContent = game.note || "";
    this.go(turn === null ? (atEnd ? last : was) : line[Math.min(turn, line.length - 1)]);
  }

  /** Learn what time the engines of a game on the page have for a turn, as of now. */
  clocks({ clocks }) {
    Object.assign(this.game, { clocks, at: now() });
    this.draw();
  }

  interrupted() {
    this.game = { ...this.game, state: "stopped" };
    this.draw();
  }

  show(node) {
    this.board.show(node.frame);
    const isLast = !node.children.length;
    const address = new URL(location.href);
    if (isLast) address.searchParams.delete("turn");
    else address.searchParams.set("turn", node.depth);
    showAddress(`${address.pathname}${address.search}`);
  }

  draw() {
    super.draw();
    const node = this.tree.current;
    const isLast = !node.children.length;
    const isRunning = this.game.state === "running";
    const counts = { black: node.frame.counts[0], white: node.frame.counts[1] };
    const mover = this.game.turns.length % 2;
    renew(this.names, [node.depth, this.game.clocks, this.game.at, this.game.state, counts], () => seats({
      players: this.game.players, first: node.frame.first, counts, expects: this.expected(node),
      clocks: isLast && isRunning ? this.game.clocks : [null, null], at: this.game.at, mover, isRunning: isLast && isRunning,
      winner: isLast && this.isOver ? this.game.winner : null }));
    this.state.textContent = this.says(node, isLast, mover);
    // Games of a tournament are unknown to the store of the page, so that their turns stand in the address.
    const { id, game, players, score, turns, is_on_page: isOnPage } = this.game;
    this.analyse.href = analysisAddress({ id: isOnPage ? id : "", game, players, score: this.isOver ? score : "",
      turns: isOnPage ? null : turns, turn: node.depth, rates: [] });
  }

  says(node, isLast, mover) {
    const { players, state, turns } = this.game;
    const after = this.tree.line().length - 1;
    if (!isLast) return state === "running" ? `The game goes on: it is at turn ${after + 1}.` : "";
    if (state === "running") return `Turn ${turns.length + 1}: ${players[mover]} is to move.`;
    if (state === "stopped") return "Interrupted.";
    const won = this.game.winner === null ? "" : `${players[this.game.winner]} wins: `;
    return `${won}${resultText(this.game.score, this.game.ending)} after ${plural(after, "turn")}.`;
  }

  /** What each player expected with its last turn up to here. */
  expected(node) {
    const found = [null, null];
    for (let at = node; at.parent; at = at.parent) {
      const seat = at.played % 2;
      if (found[seat] !== null || (at.recorded ?? null) === null) continue;
      found[seat] = ownChance(at);
    }
    return found;
  }

  playerNames() {
    return [];
  }
}
