// The page to play on. The server knows the rules; this script draws its answers and sends clicks.

import { ask, geometry, here, Link } from "./link.js";
import { Board } from "./board.js";
import { element, plural, renew, stone } from "./dom.js";
import { openedGames, rememberGame, shareCard } from "./share.js";

const MEMORY = "oddly-last-game";
const HUMAN = "human";
const FRIEND = "friend";
const KEYS = { e: "end", p: "pass", u: "undo", h: "hint" };

const HELP = {
  drops: "Click an empty place to put a stone there, and the stone to change its colour. A dashed ring "
    + "marks the stones of your turn; nothing is final until you end it.",
  moves: "Click a piece, then one of the marked places. Click the piece again to put it back.",
  keys: "Keys: arrows and Enter on the board, E ends the turn, P passes, U takes back, H asks for a hint.",
};

export function openPlay(page, facts, name, wanted) {
  if (!name || name === "new") return openForm(page, facts, wanted);
  return new GameView(page, facts, name).leave;
}

function remembered() {
  try {
    return JSON.parse(localStorage.getItem(MEMORY)) || null;
  } catch {
    return null;
  }
}

function remember(value) {
  try {
    localStorage.setItem(MEMORY, JSON.stringify(value));
  } catch {
    // Without storage the page cannot resume a game.
  }
}

async function start(request, problem) {
  try {
    const { id } = await ask("/api/games", request);
    remember({ id, request });
    rememberGame(id);
    location.hash = `#play/${id}`;
  } catch (error) {
    problem.textContent = error.message;
  }
}

function choice(label, name, options, chosen) {
  const list = options.map(([value, text]) =>
    element("option", { value, selected: String(value) === String(chosen) }, text));
  return element("label", { class: "field" }, label, element("select", { name }, ...list));
}

function openForm(page, facts, wanted) {
  const problem = element("p", { class: "problem", role: "alert" });
  const options = element("div", { class: "fields" });
  const last = remembered();
  const games = new Map(facts.games.map((game) => [game.name, game]));
  const seats = [[HUMAN, "a human"], [FRIEND, "a human elsewhere, by a link"], ...facts.engines.map(({ id, summary }) => [id, `${id}: ${summary}`])];
  const first = last && games.has(last.request.game) ? last.request : null;

  const gameField = choice("Game", "game",
    facts.games.map(({ name, title }) => [name, title]), wanted || first?.game);
  const select = gameField.querySelector("select");

  function showOptions() {
    const game = games.get(select.value);
    const same = first && first.game === game.name ? first : null;
    const shape = same?.settings.board || game.shape;
    const unit = shape === "hexhex" ? "cells per edge" : "points per side";
    const fields = [element("label", { class: "field" }, `Size (${unit}, usually ${game.usual})`,
      element("input", {
        name: "size", type: "number", inputmode: "numeric", required: true,
        min: game.low, max: game.high, step: game.step, value: same?.size || game.size,
      }))];
    for (const [name, { label, kind, value, choices }] of Object.entries(game.settings)) {
      const chosen = same?.settings[name] || value;
      if (choices.length) {
        fields.push(choice(label, name, choices, chosen));
      } else {
        const attributes = kind === "int"
          ? { type: "number", inputmode: "numeric", min: 0, max: 999999999 } : { type: "text" };
        fields.push(element("label", { class: "field" }, label,
          element("input", { name, required: true, value: chosen, ...attributes })));
      }
    }
    options.replaceChildren(...fields);
  }
  select.addEventListener("change", showOptions);
  showOptions();

  const form = element("form", { class: "card setup", onsubmit: (event) => {
    event.preventDefault();
    const data = new FormData(form);
    const settings = {};
    for (const key of Object.keys(games.get(data.get("game")).settings)) {
      settings[key] = String(data.get(key));
    }
    start({
      game: data.get("game"),
      size: Number(data.get("size")),
      settings,
      seats: [data.get("first"), data.get("second")],
      seconds: Number(data.get("seconds")),
    }, problem);
  } },
    element("h1", {}, "Play"),
    gameField,
    options,
    choice("Black, who begins", "first", seats, first?.seats[0] || HUMAN),
    choice("White", "second", seats, first?.seats[1] || facts.engines[0]?.id || HUMAN),
    choice("Engine time for a turn", "seconds",
      facts.seconds.map((seconds) => [seconds, plural(seconds, "second")]), first?.seconds),
    problem,
    element("button", { class: "primary", type: "submit" }, "Start the game"));

  page.append(element("div", { class: "narrow" }, form, openedGames()));
  return () => {};
}

class GameView {
  constructor(page, facts, name) {
    this.facts = facts;
    this.view = null;
    this.board = null;
    this.notes = element("p", { class: "note", role: "status", "aria-live": "polite" });
    this.counts = element("p", { class: "counts", id: "counts", role: "status", "aria-live": "polite" });
    this.fault = element("div", {});
    this.players = element("div", { class: "players" });
    this.place = element("div", { class: "board-place" });
    this.turns = element("ol", { class: "turns", "aria-label": "Turns" });
    this.hint = element("div", {});
    this.share = element("div", {});
    this.help = element("details", {});
    this.buttons = {};
    const button = (action, text, attributes = {}) => {
      this.buttons[action] = element("button",
        { type: "button", "data-do": action, onclick: () => this.act(action), ...attributes }, text);
      return this.buttons[action];
    };
    this.actions = element("div", { class: "actions" },
      button("end", "End turn", { class: "primary", "aria-keyshortcuts": "e" }),
      button("pass", "Pass", { "aria-keyshortcuts": "p" }),
      button("swap", "Swap colours"),
      button("undo", "Undo", { "aria-keyshortcuts": "u" }),
      button("hint", "Hint", { "aria-keyshortcuts": "h" }),
      button("resign", "Resign"));
    this.title = element("h1", {}, "…");
    this.save = element("a", { href: here(`/api/games/${encodeURIComponent(name)}/sgf`), download: true }, "Save as SGF");
    page.append(element("div", { class: "beside-board" },
      this.place,
      element("section", { class: "panel", "aria-label": "Game" },
        this.title, this.players, this.counts, this.actions, this.notes, this.fault, this.hint,
        element("details", { open: window.innerWidth > 700 }, element("summary", {}, "Turns"), this.turns),
        this.share, this.help,
        element("p", { class: "links" }, this.save, " ", element("a", { href: "#play" }, "New game")))));
    this.link = new Link(`/ws/play/${encodeURIComponent(name)}`, {
      received: (message) => this.received(message),
      state: (up) => this.say(up ? "" : "The server does not answer. Trying again…"),
      gone: () => this.gone(),
    });
    this.key = (event) => {
      const busy = event.target.closest("input, select, textarea");
      if (busy || event.ctrlKey || event.metaKey || event.altKey) return;
      const action = KEYS[event.key.toLowerCase()];
      if (action && !this.buttons[action].disabled && !this.buttons[action].hidden) this.act(action);
    };
    document.addEventListener("keydown", this.key);
    this.leave = () => {
      document.removeEventListener("keydown", this.key);
      this.link.close();
    };
  }

  say(text) {
    this.notes.textContent = text;
  }

  act(action, vertex) {
    if (!this.view) return;
    if (action === "resign" && !window.confirm("Resign this game?")) return;
    this.say("");
    if (!this.link.send({ do: action, vertex, turn: this.view.turns.length })) {
      this.say("The server does not answer. Trying again…");
    }
  }

  received(message) {
    if (message.kind === "refused") this.say(message.sentence);
    if (message.kind === "game") this.show(message);
  }

  async show(view) {
    if (!this.view) rememberGame(view.id);
    this.view = view;
    const last = remembered();
    if (last?.id === view.id) {
      remember({ ...last, turns: view.turns, over: view.over, title: view.game.title });
    }
    if (!this.board) {
      this.board = "coming";
      const shape = await geometry(view.game.shape, view.game.size);
      this.board = new Board(shape, {
        clicked: (vertex) => this.act("click", vertex),
        label: `${view.game.title}. Arrow keys move, Enter clicks.`,
      });
      this.place.append(this.board.svg);
      this.board.fit(this.place);
    }
    if (this.board !== "coming") this.draw(this.view);
  }

  draw(view) {
    document.title = `${view.game.title} - oddly`;
    this.title.textContent = view.game.title;
    const mine = view.may_move && !view.thinking;
    const hints = hintLabels(view.hint);
    this.board.show({ ...view, clicks: mine ? view.clicks : "", hints });
    this.board.svg.classList.toggle("waiting", !mine);
    this.board.svg.classList.toggle("choosing", view.tentative.length > 0 || Boolean(view.origin));
    this.counts.textContent = view.over ? `${view.over} ${view.sentence}.` : view.sentence;
    this.counts.classList.toggle("over", Boolean(view.over));
    renew(this.players, [view.players, view.mover, view.to_move, view.thinking, view.black, view.white, view.over],
      () => [0, 1].map((seat) => this.player(view, seat)));
    for (const [action, button] of Object.entries(this.buttons)) {
      const can = action === "hint" ? !view.over && !view.hinting : view.can[action];
      button.disabled = !(can && (mine || ["undo", "resign"].includes(action)));
      if (!view.yours.length) button.hidden = true;
    }
    const plays = view.yours.length > 0;
    this.buttons.end.hidden = !view.has_drops || !plays;
    this.buttons.pass.hidden = !view.has_pass || !plays;
    this.buttons.swap.hidden = !view.has_swap || !plays;
    renew(this.share, [view.links, view.yours], () => shareCard(view));
    this.buttons.hint.textContent = view.hinting ? "Thinking…" : "Hint";
    if (view.notice) this.say(view.notice);
    renew(this.fault, view.fault, () => view.fault ? this.trouble(view) : []);
    renew(this.hint, view.hint, () => view.hint ? advice(view) : []);
    renew(this.help, view.has_drops, () => [
      element("summary", {}, "How to play here"),
      element("p", { class: "help" }, view.has_drops ? HELP.drops : HELP.moves),
      element("p", { class: "help" }, HELP.keys),
    ]);
    renew(this.turns, view.turns, () => view.turns.map((turn) => element("li", {}, turn)));
    this.turns.scrollTop = this.turns.scrollHeight;
  }

  player(view, seat) {
    const colour = seat === view.mover ? view.to_move : { black: "white", white: "black" }[view.to_move];
    const moves = seat === view.mover && !view.over;
    return element("div", { class: moves ? "player to-move" : "player" },
      stone(colour),
      element("strong", {}, view.players[seat]),
      element("span", {}, `${colour}, ${plural(view[colour], view.counted)}`),
      element("span", { class: "state" }, moves ? (view.thinking ? "is thinking…" : "to move") : ""));
  }

  trouble(view) {
    return element("div", { class: "card problem", role: "alert" },
      element("p", {}, view.fault),
      element("p", {}, "The game is unchanged. Restart the engine, or take your turn back."),
      element("button", { class: "primary", type: "button", "data-do": "restart", onclick: () => this.act("restart") },
        "Restart the engine"));
  }

  gone() {
    const last = remembered();
    const problem = element("p", { class: "problem", role: "alert" });
    const known = last && location.hash.endsWith(last.id) && last.turns;
    this.fault.replaceChildren(element("div", { class: "card problem" },
      element("p", {}, "This game is no longer on the server."),
      known ? element("button", {
        class: "primary", type: "button",
        onclick: () => start({ ...last.request, turns: last.turns }, problem),
      }, `Resume at turn ${last.turns.length + 1}`) : null,
      problem));
  }
}

/** Return short labels for the candidates that are on vertices. */
function hintLabels(hint) {
  const labels = {};
  for (const { action, win_rate } of hint?.candidates || []) {
    const found = /^([BW])([a-z]\d+)$/.exec(action) || /^()([a-z]\d+)-/.exec(action);
    if (found && !labels[found[2]]) labels[found[2]] = `${found[1]}${Math.round(100 * win_rate)}`;
  }
  return labels;
}

function advice(view) {
  const { hint } = view;
  if (hint.sentence) return element("p", { class: "note" }, hint.sentence);
  const side = view.to_move[0].toUpperCase() + view.to_move.slice(1);
  const rows = hint.candidates.map(({ action, share, win_rate }) => element("tr", {},
    element("td", {}, action),
    element("td", {}, `${Math.round(100 * win_rate)} %`),
    element("td", {}, `${Math.round(100 * share)} %`)));
  return element("div", { class: "card" },
    element("p", {}, `${hint.engine}: ${side} wins ${Math.round(100 * hint.win_rate)} % of ${hint.simulations} simulated games.`),
    element("table", {}, element("thead", {}, element("tr", {},
      ...["candidate", "wins", "searched"].map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, ...rows)));
}
