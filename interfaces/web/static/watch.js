// The page to watch on: standings, running games turn by turn, finished games to replay.

import { analysisOf } from "./analyse.js";
import { ask, geometry, Link } from "./link.js";
import { Board } from "./board.js";
import { element, plural, renew, stone } from "./dom.js";

const OTHER = { black: "white", white: "black" };
const PLAYING_SPEED = 700;

export function openWatch(page, facts, name) {
  if (!facts.watched) {
    page.append(element("div", { class: "narrow" }, element("div", { class: "card" },
      element("h1", {}, "Watch"),
      element("p", {}, "No tournament is being watched. Start the server with a ledger:"),
      element("pre", {}, "oddly serve tournament.sqlite"))));
    return () => {};
  }
  return name ? openReplay(page, name) : new TournamentView(page).leave;
}

class TournamentView {
  constructor(page) {
    this.boards = new Map();
    this.title = element("h1", {}, "…");
    this.state = element("p", { class: "note", role: "status" });
    this.problem = element("p", { class: "problem", role: "alert" });
    this.running = element("div", { class: "boards" });
    this.quiet = element("p", { class: "note" }, "No game is running.");
    this.more = element("p", { class: "note" });
    this.tables = element("div", {});
    this.rulings = element("ul", { class: "rulings", "aria-label": "Rulings of the arbiter" });
    this.reports = element("div", { class: "reports" });
    this.ended = element("ul", { class: "ended" });
    page.append(
      element("div", { class: "heading" }, this.title, this.state, this.problem),
      element("div", { class: "tournament" },
        element("section", { "aria-label": "Running games" }, element("h2", {}, "Running games"),
          this.quiet, this.running, this.more),
        element("section", { "aria-label": "Standings" }, this.reports, this.tables, this.rulings),
        element("section", { "aria-label": "Finished games" }, element("h2", {}, "Finished games"), this.ended)));
    this.link = new Link("/ws/watch", {
      received: (message) => message.kind === "event" ? this.event(message) : this.games(message),
      state: (up) => { this.problem.textContent = up ? "" : "The server does not answer. Trying again…"; },
    });
    this.leave = () => this.link.close();
  }

  event(view) {
    document.title = `${view.name || "Tournament"} - oddly`;
    this.title.textContent = view.name || "Tournament";
    const all = view.games === null || view.games === undefined ? "" : ` of ${view.games}`;
    const state = view.running ? "running" : view.played === view.games ? "finished" : "not running";
    this.state.textContent = view.name ? `${view.played}${all} games played, ${state}` : "";
    this.problem.textContent = view.problem || "";
    renew(this.tables, view.tables, () => (view.tables || []).map(standings));
    renew(this.rulings, view.rulings, () => (view.rulings || []).map((line) => element("li", {}, line)));
    renew(this.reports, view.reports, () => (view.reports || []).map(report));
    renew(this.ended, view.ended, () => (view.ended || []).map(endedLine));
  }

  async games(view) {
    this.quiet.hidden = view.games.length > 0;
    this.more.textContent = view.in_all > view.games.length
      ? `and ${view.in_all - view.games.length} more` : "";
    const now = new Set(view.games.map(({ id }) => id));
    for (const [id, card] of this.boards) {
      if (!now.has(id)) {
        card.node.remove();
        this.boards.delete(id);
      }
    }
    for (const game of view.games) {
      if (!this.boards.has(game.id)) this.boards.set(game.id, new Card(game, this.running));
      this.boards.get(game.id).show(game);
    }
  }
}

class Card {
  constructor(game, place) {
    this.game = game;
    this.board = null;
    this.head = element("p", { class: "players" });
    this.foot = element("p", { class: "note" });
    this.board_place = element("div", { class: "board-place" });
    this.node = element("article", { class: "card", "data-game": game.id }, this.head, this.board_place, this.foot);
    place.append(this.node);
    geometry(game.game.shape, game.game.size).then((shape) => {
      this.board = new Board(shape, { plain: true, label: `${game.players[0]} - ${game.players[1]}` });
      this.board_place.append(this.board.svg);
      this.show(this.game);
    });
  }

  show(game) {
    this.game = game;
    if (this.board) this.board.show(game);
    renew(this.head, [game.mover, game.to_move, game.black, game.white], () => [0, 1].map((seat) => {
      const colour = seat === game.mover ? game.to_move : OTHER[game.to_move];
      return element("span", { class: seat === game.mover ? "player to-move" : "player" },
        stone(colour), element("strong", {}, game.players[seat]), element("span", {}, String(game[colour])));
    }));
    this.node.dataset.turn = game.turn;
    this.foot.textContent = `${game.game.title}, turn ${game.turn + 1}` + (game.last ? `, last ${game.last}` : "");
  }
}

function standings(table) {
  const head = ["", "engine", "points", "games", "distinct", "won", "lost", "Elo"];
  const drawn = table.standings.some((row) => row.draws);
  if (drawn) head.splice(6, 0, "drawn");
  const rows = table.standings.map((row) => {
    const elo = row.elo === null ? row.unknown || "" : `${Math.round(row.elo)} ± ${Math.round(row.error_95)}`;
    const cells = [row.rank, row.name, row.points, row.games, row.distinct, row.wins, row.losses, elo];
    if (drawn) cells.splice(6, 0, row.draws);
    return element("tr", {}, ...cells.map((cell) => element("td", {}, String(cell))));
  });
  return element("div", { class: "standings" },
    element("h2", {}, table.title),
    element("div", { class: "scroll" }, element("table", {},
      element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col" }, text)))),
      element("tbody", {}, ...rows))),
    ...(table.tests || []).map((text) => element("p", {}, text)));
}

function report(found) {
  if (found.bracket) {
    return element("div", { class: "standings" }, element("h2", {}, `${found.title}: bracket`),
      element("pre", { class: "bracket" }, found.bracket.join("\n")));
  }
  const cells = (kind, row) => row.map((text) => element(kind, kind === "th" ? { scope: "col" } : {}, text));
  return element("div", { class: "standings" }, element("h2", {}, `${found.title}: Swiss standings`),
    element("div", { class: "scroll" }, element("table", {},
      element("thead", {}, element("tr", {}, ...cells("th", found.headers))),
      element("tbody", {}, ...found.rows.map((row) => element("tr", {}, ...cells("td", row)))))));
}

function endedLine(game) {
  const names = game.players.map((name, seat) =>
    seat === game.winner ? element("strong", {}, name) : element("span", {}, name));
  return element("li", {}, element("a", { href: `#watch/${game.id}` },
    `${game.number ? `#${game.number} ` : ""}${game.title}: `, names[0], " - ", names[1],
    ` ${game.score}, ${game.termination}, ${plural(game.turns, "turn")}`));
}

function openReplay(page, name) {
  let timer = null;
  let left = false;
  const stop = () => {
    clearInterval(timer);
    timer = null;
  };
  const problem = element("p", { class: "problem", role: "alert" });
  page.append(problem);
  let key = () => {};
  const listen = (event) => key(event);
  document.addEventListener("keydown", listen);

  (async () => {
    let game;
    let shape;
    try {
      game = await ask(`/api/watch/games/${encodeURIComponent(name)}`);
      shape = await geometry(game.game.shape, game.game.size);
    } catch (error) {
      problem.textContent = error.message;
      return;
    }
    if (left) return;
    document.title = `${game.players[0]} - ${game.players[1]} - oddly`;
    const board = new Board(shape, { label: game.game.title });
    const lastFrame = game.frames.length - 1;
    let at = lastFrame;
    const slider = element("input", { type: "range", min: 0, max: lastFrame, value: at, "aria-label": "Turn" });
    const where = element("p", { class: "counts", role: "status" });
    const players = element("p", { class: "players" });
    const button = (text, label, act) => element("button", { type: "button", "aria-label": label, onclick: act }, text);
    const play = button("Play", "Play on", () => timer ? pause() : begin());
    const show = () => {
      const frame = game.frames[at];
      board.show(frame);
      slider.value = at;
      // After a swap each player has the other colour.
      renew(players, frame.first, () => [0, 1].map((seat) => element("span", { class: "player" },
        stone(seat ? OTHER[frame.first] : frame.first), element("strong", {}, game.players[seat]))));
      const seconds = at ? `, ${game.seconds[at - 1].toFixed(2)} s` : "";
      where.textContent = `${at ? `Turn ${at}: ${frame.turn}${seconds}` : "The start"}. `
        + `${frame.black} black, ${frame.white} white.`
        + (at === lastFrame ? ` ${game.score}: ${game.reason}.` : "");
    };
    const go = (place) => {
      at = Math.max(0, Math.min(lastFrame, place));
      show();
    };
    const pause = () => {
      stop();
      play.textContent = "Play";
    };
    const begin = () => {
      if (at === lastFrame) go(0);
      play.textContent = "Pause";
      timer = setInterval(() => at < lastFrame ? go(at + 1) : pause(), PLAYING_SPEED);
    };
    slider.addEventListener("input", () => go(Number(slider.value)));
    key = (event) => {
      if (event.target === slider || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "ArrowLeft") go(at - 1);
      if (event.key === "ArrowRight") go(at + 1);
    };
    page.append(element("div", { class: "beside-board" },
      element("div", { class: "board-place" }, board.svg),
      element("section", { class: "panel" },
        element("h1", {}, game.game.title),
        players,
        where, slider,
        element("div", { class: "actions" },
          button("Start", "To the start", () => go(0)), button("\u25c0", "One turn back", () => go(at - 1)), play,
          button("\u25b6", "One turn on", () => go(at + 1)), button("End", "To the end", () => go(lastFrame))),
        element("p", { class: "links" },
          element("a", { href: "#analyse/last", onclick: () => analysisOf({
            game: game.game, players: game.players, score: game.score, reason: game.reason, at,
            turns: game.frames.slice(1).map(({ turn }) => turn),
          }) }, "Analyse"),
          element("a", { href: "#watch" }, "Back to the tournament")))));
    show();
  })();
  return () => {
    left = true;
    stop();
    document.removeEventListener("keydown", listen);
  };
}
