// The page to watch on: standings, running games turn by turn, finished games to replay.

import { AnalysisView } from "./analyse.js";
import { ask, geometry, Link } from "./link.js";
import { Board } from "./board.js";
import { element, headings, plural, renew, stone } from "./dom.js";

const OTHER = { black: "white", white: "black" };

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
      this.node = element("div", { class: "tournament" },
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
    this.node.classList.toggle("idle", !view.games.length);
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
    element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Standings: ${table.title}` }, element("table", {},
      element("thead", {}, headings(head)),
      element("tbody", {}, ...rows))),
    ...(table.tests || []).map((text) => element("p", {}, text)));
}

function report(found) {
  if (found.bracket) {
    return element("div", { class: "standings" }, element("h2", {}, `${found.title}: bracket`),
      element("pre", { class: "bracket" }, found.bracket.join("\n")));
  }
  return element("div", { class: "standings" }, element("h2", {}, `${found.title}: Swiss standings`),
    element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Swiss standings: ${found.title}` }, element("table", {},
      element("thead", {}, headings(found.headers)),
      element("tbody", {}, ...found.rows.map((row) => element("tr", {}, ...row.map((text) => element("td", {}, text))))))));
}

function endedLine(game) {
  const names = game.players.map((name, seat) =>
    seat === game.winner ? element("strong", {}, name) : element("span", {}, name));
  return element("li", {}, element("a", { href: `#watch/${game.id}` },
    `${game.number ? `#${game.number} ` : ""}${game.title}: `, names[0], " - ", names[1],
    ` ${game.score}, ${game.termination}, ${plural(game.turns, "turn")}`));
}

/** A finished game of the tournament, to go through and to analyse. */
function openReplay(page, name) {
  let leave = () => {};
  let left = false;
  (async () => {
    try {
      const game = await ask(`/api/watch/games/${encodeURIComponent(name)}`);
      if (left) return;
      const back = element("a", { href: "#watch" }, "Back to the tournament");
      const at = game.turns.length;
      ({ leave } = new AnalysisView(page, { ...game, at }, { back, kept: false, title: game.game.title }));
    } catch (error) {
      page.append(element("p", { class: "problem", role: "alert" }, error.message));
    }
  })();
  return () => {
    left = true;
    leave();
  };
}
