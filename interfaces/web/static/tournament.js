// The page of a tournament while it goes on: boards turn by turn, standings, the latest games.

import { geometry, here, Link } from "./link.js";
import { Board } from "./board.js";
import { element, headings, keepLinks, plural, renew } from "./dom.js";
import { heedClock, seats } from "./seats.js";

const OTHER = { black: "white", white: "black" };

export function openTournament(page) {
  const view = new Tournament(page);
  return new Link("/ws/watch", {
    received: (message) => ({ now: heedClock, event: (event) => view.event(event), running: (now) => view.running(now) })[message.kind](message),
    state: (up) => {
      if (up) view.problem.textContent = "";
      else view.problem.textContent = "The server does not answer. Trying again\u2026";
    },
  });
}

class Tournament {
  constructor(page) {
    const find = (selector) => page.querySelector(selector);
    this.title = find("h1");
    this.state = find(".heading .note");
    this.problem = find(".problem");
    this.boards = find(".boards");
    this.quiet = find(".quiet-line");
    this.more = find(".more");
    this.latest = find(".latest");
    this.heading = find(".latest-heading");
    this.all = find(".last .links a");
    this.tables = find(".tables");
    this.node = find(".tournament");
    this.cards = new Map();
  }

  event(view) {
    if (!view.name && !view.problem) return;
    document.title = `${view.name || "Tournament"} - oddly`;
    this.title.textContent = view.name || "Tournament";
    const all = view.games === null || view.games === undefined ? "" : ` of ${view.games.toLocaleString("en")}`;
    const state = view.running ? "running" : view.played === view.games ? "finished" : "not running";
    this.state.textContent = view.name ? `${view.played.toLocaleString("en")}${all} games played, ${state}` : "";
    this.problem.textContent = view.problem || "";
    this.all.textContent = `All ${view.played.toLocaleString("en")} games, with a search`;
    this.heading.hidden = !view.ended?.length;
    keepLinks(this.latest, view.ended || [], addressOf, ended);
    renew(this.tables, [view.tables, view.reports, view.rulings], () => [
      ...(view.reports || []).map(report), ...(view.tables || []).map(standings),
      view.tables?.length ? null : element("p", { class: "note" }, "No game has ended yet."),
      element("ul", { class: "rulings", "aria-label": "Rulings of the arbiter" },
        ...(view.rulings || []).map((line) => element("li", {}, line)))].filter(Boolean));
  }

  running(view) {
    if (!this.cards.size) this.boards.replaceChildren();
    this.quiet.hidden = view.games.length > 0;
    this.more.textContent = view.in_all > view.games.length ? `and ${view.in_all - view.games.length} more` : "";
    const now = new Set(view.games.map(({ id }) => id));
    for (const [id, card] of this.cards) {
      if (!now.has(id)) {
        card.node.remove();
        this.cards.delete(id);
      }
    }
    for (const game of view.games) {
      if (!this.cards.has(game.id)) this.cards.set(game.id, new Card(game, this.boards));
      this.cards.get(game.id).show(game);
    }
  }
}

class Card {
  constructor(game, place) {
    this.board = null;
    this.head = element("p", { class: "players" });
    this.link = element("a", { class: "open", href: here(`/watch/game/${encodeURIComponent(game.id)}`) }, game.game.title);
    this.rest = element("span", {});
    this.place = element("div", { class: "board-place" });
    this.node = element("article", { class: "card watched", "data-game": game.id },
      this.head, this.place, element("p", { class: "note" }, this.link, this.rest));
    place.append(this.node);
    geometry(game.game.shape, game.game.size).then((shape) => {
      this.board = new Board(shape, { label: `${game.players[0]} against ${game.players[1]}` });
      this.place.append(this.board.svg);
      this.board.show(this.game);
    });
  }

  show(game) {
    this.game = game;
    this.board?.show(game);
    renew(this.head, [game.turn, game.clocks, game.at], () => seats({
      ...game, counts: game, first: game.mover === 0 ? game.to_move : OTHER[game.to_move], isRunning: true }));
    this.node.dataset.turn = game.turn;
    this.rest.textContent = `, turn ${game.turn + 1}` + (game.last ? `, last ${game.last}` : "");
  }
}

function sides(game) {
  return game.players.map((name, seat) => element("span", { class: seat === game.winner ? "side winner" : "side" },
    element("bdi", {}, name), seat === game.winner ? element("span", { class: "won" }, " won") : null));
}

function addressOf(game) {
  return here(`/watch/game/${encodeURIComponent(game.id)}`);
}

function ended(game) {
  const id = encodeURIComponent(game.id);
  return element("a", { class: "card ended", href: addressOf(game) },
    element("img", { src: here(`/watch/board/${id}.svg?of=${game.picture}`), width: 72, height: 72, loading: "lazy",
      alt: `The last position of ${game.players[0]} against ${game.players[1]}` }),
    element("span", { class: "what" }, ...sides(game),
      element("span", { class: "note" }, `${game.score}, ${plural(game.turns, "turn")}`)));
}

function elo({ elo: value, error_95: error, unknown }) {
  if (value === null) return [element("span", { class: "error unrated" }, unknown || "")];
  const whole = Math.round(value);
  const sign = whole > 0 ? "+" : whole < 0 ? "\u2212" : "";
  return [`${sign}${Math.abs(whole)} `, element("span", { class: "error" }, `\u00b1 ${Math.round(error)}`)];
}

/** The same as the server draws. */
function standings(table) {
  const rows = table.standings;
  const columns = [
    ["#", "figure", ({ rank }) => [String(rank)]],
    ["engine", "name", ({ name }) => [element("bdi", {}, name)]],
    rows.some((row) => row.unknown || row.elo !== null) ? ["Elo \u00b1", "figure", elo] : null,
    ["won", "figure", ({ wins }) => [String(wins)]],
    rows.some(({ draws }) => draws) ? ["drawn", "figure", ({ draws }) => [String(draws)]] : null,
    ["lost", "figure", ({ losses }) => [String(losses)]],
    ["points", "figure roomy", ({ points }) => [String(points)]],
  ].filter(Boolean);
  const distinct = table.distinct < table.games ? `, ${table.distinct.toLocaleString("en")} of them distinct` : "";
  return element("section", { class: "standings", "aria-label": `Standings: ${table.title}` },
    element("h2", {}, table.title),
    element("table", { class: "ranking" },
      element("thead", {}, element("tr", {}, ...columns.map(([head, kind]) => element("th", { scope: "col", class: kind }, head)))),
      element("tbody", {}, ...rows.map((row) => element("tr", {}, ...columns.map(([head, kind, of]) => element(
        head === "engine" ? "th" : "td", { class: kind, scope: head === "engine" ? "row" : null }, ...of(row))))))),
    element("p", { class: "note" }, `${table.games.toLocaleString("en")} game${table.games === 1 ? "" : "s"}${distinct}`),
    ...(table.tests || []).map((text) => element("p", {}, text)));
}

function report(found) {
  if (found.bracket) {
    return element("section", { class: "standings", "aria-label": found.title }, element("h2", {}, `${found.title}: bracket`),
      element("pre", { class: "bracket", tabindex: 0 }, found.bracket.join("\n")));
  }
  return element("section", { class: "standings", "aria-label": found.title }, element("h2", {}, `${found.title}: Swiss standings`),
    element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Swiss standings: ${found.title}` }, element("table", {},
      element("thead", {}, headings(found.headers)),
      element("tbody", {}, ...found.rows.map((row) => element("tr", {}, ...row.map((text) => element("td", {}, text))))))));
}
