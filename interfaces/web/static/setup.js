// The form that opens a game, and the terms that it has.

import { ask } from "./link.js";
import { element, plural } from "./dom.js";
import { needCookies, recall, remember } from "./memory.js";
import { openedGames, rememberGame } from "./share.js";

export const HUMAN = "human";
export const FRIEND = "friend";

/** Whether two people play who do not share a screen. */
export function areApart({ seats, yours }) {
  return seats.includes(FRIEND) || (yours.length < 2 && seats.every((seat) => seat === HUMAN));
}

const CLOCKS = [["", "no clock"], ["180+2", "3 minutes, 2 s a turn"], ["600+5", "10 minutes, 5 s a turn"],
  ["1800+15", "30 minutes, 15 s a turn"], ["86400+43200", "1 day, 12 h a turn"]];

/** Open a game and go to it, or show the server's sentence. */
export async function start(request, problem, go = (address) => location.assign(address)) {
  try {
    needCookies();
    const { id } = await ask("/api/seats/open", request);
    remember("last-game", { id, request });
    rememberGame(id);
    go(`#play/${id}`);
  } catch (error) {
    problem.textContent = error.message;
  }
}

function option([value, text], chosen) {
  return element("option", { value, selected: String(value) === String(chosen) }, text);
}

function choice(label, name, options, chosen) {
  return element("label", { class: "field" }, label,
    element("select", { name }, ...options.map((each) => option(each, chosen))));
}

/** Return a seat as the form writes it: an engine at a level is `ENGINE/LEVEL`. */
function written(seat, level, engines) {
  return level && engines.find(({ id }) => id === seat)?.levels ? `${seat}/${level}` : seat;
}

/** Begin a first game at once: on a small board, against the weakest level. */
export function startFirst(page, facts, name) {
  const problem = element("p", { class: "problem", role: "alert" });
  page.append(problem);
  const game = facts.games.find((each) => each.name === name) || facts.games[0];
  if (!facts.may_open) return openForm(page, facts);
  const beginner = facts.engines.find(({ levels }) => levels) || facts.engines[0];
  const settings = Object.fromEntries(Object.entries(game.settings).map(([key, { value }]) => [key, String(value)]));
  start({
    game: game.name, size: goodSize(game), settings, seats: [HUMAN, beginner.id], seconds: facts.seconds[0],
    terms: { level: beginner.levels ? 1 : 0, names: ["", ""], clock: null },
    // Going back must not begin another game.
  }, problem, (address) => location.replace(address));
  return () => {};
}

/** The sizes that fit the device: on a phone no larger than cells that a finger hits. */
function goodSize(game) {
  if (window.innerWidth > 700) return game.size;
  const most = game.shape === "hexhex" ? 7 : 13;
  const sizes = [];
  for (let size = game.low; size <= Math.min(game.high, most); size += game.step) sizes.push(size);
  return Math.min(game.size, sizes.at(-1) ?? game.size);
}

/** Return the rating of a level, if it was measured on this very board; else nothing. */
function rating(game, settings, { number }) {
  const usual = Object.entries(game.settings).every(([name, { value }]) => String(settings[name] ?? value) === String(value));
  const isMeasured = game.list && usual && Number(settings.size) === game.usual;
  return isMeasured ? game.list.ratings[number - 1] : "";
}

function seatField(label, name, facts, levels, chosen) {
  const people = [[HUMAN, "you, or someone at this screen"], [FRIEND, "someone elsewhere, by a link"]];
  const groups = [element("optgroup", { label: "People" }, ...people.map((each) => option(each, chosen)))];
  for (const { id } of facts.engines.filter((engine) => engine.levels)) {
    groups.push(element("optgroup", { label: `${id}, by level` }, ...levels.map(({ number, text }) =>
      option([`${id}/${number}`, text], chosen))));
  }
  groups.push(element("optgroup", { label: "Engines at full strength" },
    ...facts.engines.map(({ id, summary }) => option([id, `${id}: ${summary}`], chosen))));
  // What the chosen level plays like: a phone has no room for that in the list.
  return element("div", {},
    element("label", { class: "field" }, label, element("select", { name, "aria-describedby": `plays-${name}` }, ...groups)),
    element("p", { class: "help plays", id: `plays-${name}`, role: "status" }));
}

export function openForm(page, facts, wanted) {
  document.title = "Play - oddly";
  if (!facts.may_open) {
    page.append(element("div", { class: "narrow" },
      element("section", { class: "card", "aria-label": "Guests" },
        element("h1", {}, "Play"),
        element("p", {}, "You are a guest here: you play in the games to which you are invited, and in their rematches. "
          + "Only people with the token of this server open new games.")),
      openedGames()));
    return () => {};
  }
  const problem = element("p", { class: "problem", role: "alert" });
  const last = recall("last-game")?.request;
  const games = new Map(facts.games.map((game) => [game.name, game]));
  const kept = last && games.has(last.game) ? last : null;
  const options = element("div", { class: "fields" });
  const seats = element("div", { class: "fields" });
  const gameField = choice("Game", "game", facts.games.map(({ name, title }) => [name, title]), wanted || kept?.game);
  const select = gameField.querySelector("select");
  const leveled = facts.engines.filter(({ levels }) => levels).map(({ id }) => id);
  const beginner = facts.engines.find(({ levels }) => levels);
  const usual = beginner ? `${beginner.id}/1` : facts.engines[0]?.id || HUMAN;
  const seatOf = (seat) => kept ? written(kept.seats[seat], kept.terms?.level, facts.engines) : [HUMAN, usual][seat];

  function showOptions() {
    const game = games.get(select.value);
    const same = kept && kept.game === game.name ? kept : null;
    const fields = [element("label", { class: "field" }, element("span", { class: "unit" }),
      element("input", {
        name: "size", type: "number", inputmode: "numeric", required: true, value: same?.size || goodSize(game),
      }))];
    for (const [name, { label, kind, value, choices }] of Object.entries(game.settings)) {
      const chosen = same?.settings[name] || value;
      const attributes = kind === "int"
        ? { type: "number", inputmode: "numeric", min: 0, max: 999999999 } : { type: "text" };
      fields.push(choices.length ? choice(label, name, choices, chosen)
        : element("label", { class: "field" }, label, element("input", { name, required: true, value: chosen, ...attributes })));
    }
    options.replaceChildren(...fields);
    const now = ["first", "second"].map((name, seat) => seats.querySelector(`[name=${name}]`)?.value || seatOf(seat));
    seats.replaceChildren(
      seatField("Black, who begins", "first", facts, game.levels, now[0]),
      seatField("White", "second", facts, game.levels, now[1]),
      ...(leveled.length ? [element("details", {}, element("summary", {}, "What the levels mean"),
        element("p", { class: "help" }, [`Levels are of ${leveled.join(" and ")} alone; the other engines play as well as they can.`,
          game.list?.says].filter(Boolean).join(" ")))] : []));
    showSizes();
    showStrength();
  }

  /** Say what the size counts on the board that is chosen now, and allow all sizes of that board. */
  function showSizes() {
    const game = games.get(select.value);
    const shape = options.querySelector("[name=board]")?.value || game.shape;
    const { low, high, step } = game.boards[shape] || game;
    Object.assign(options.querySelector("[name=size]"), { min: low, max: high, step });
    const unit = shape === "hexhex" ? "the base: cells per edge" : "cells per side";
    options.querySelector(".unit").textContent = `Size (${unit}; usually ${game.usual})`;
  }

  /** Say beside each level how strong it is on the board that is chosen now. */
  function showStrength() {
    const game = games.get(select.value);
    const settings = Object.fromEntries([...options.querySelectorAll("[name]")].map(({ name, value }) => [name, value]));
    for (const level of game.levels) {
      const rated = rating(game, settings, level);
      for (const each of seats.querySelectorAll(`option[value$="/${level.number}"]`)) {
        each.textContent = rated ? `${level.text} (${rated})` : level.text;
        each.dataset.rated = rated;
      }
    }
    for (const field of seats.querySelectorAll("select")) {
      const rated = field.selectedOptions[0]?.dataset.rated;
      seats.querySelector(`#plays-${field.name}`).textContent = rated ? `plays like ${rated} on our list` : "";
    }
  }

  options.addEventListener("input", showSizes);
  options.addEventListener("input", showStrength);
  seats.addEventListener("change", showStrength);
  select.addEventListener("change", showOptions);
  showOptions();
  // Who plays somebody elsewhere has a name there.
  const me = element("label", { class: "field" }, "Your name",
    element("input", { name: "me", type: "text", maxlength: 24, autocomplete: "nickname", value: recall("name", "") }));
  const isNamed = () => {
    const chosen = [...seats.querySelectorAll("select")].map(({ value }) => value);
    me.hidden = !chosen.includes(FRIEND) || !chosen.includes(HUMAN);
  };
  seats.addEventListener("change", isNamed);
  select.addEventListener("change", isNamed);
  isNamed();
  const swap = element("button", { type: "button", class: "quiet", onclick: () => {
    const [one, other] = seats.querySelectorAll("select");
    [one.value, other.value] = [other.value, one.value];
    showStrength();
  } }, "Swap sides");
  const clock = kept?.terms?.clock ? `${kept.terms.clock.main}+${kept.terms.clock.increment}` : "";
  const named = (seat, label) => element("label", { class: "field" }, label,
    element("input", { name: `name${seat}`, type: "text", maxlength: 24, autocomplete: "off", value: kept?.terms?.names[seat] || "" }));

  const form = element("form", { class: "card setup", onsubmit: (event) => {
    event.preventDefault();
    const data = new FormData(form);
    const settings = {};
    for (const key of Object.keys(games.get(data.get("game")).settings)) settings[key] = String(data.get(key));
    const [one, other] = [data.get("first").split("/"), data.get("second").split("/")];
    const [main, increment] = data.get("clock").split("+").map(Number);
    const names = [data.get("name0"), data.get("name1")];
    if (!me.hidden) {
      names[one[0] === HUMAN ? 0 : 1] = data.get("me").trim();
      remember("name", data.get("me").trim());
    }
    start({
      game: data.get("game"), size: Number(data.get("size")), settings,
      seats: [one[0], other[0]], seconds: Number(data.get("seconds")),
      terms: {
        level: Number(one[1] || other[1] || 0),
        names,
        clock: main ? { main, increment } : null,
      },
    }, problem);
  } },
    element("h1", {}, "Play"), gameField, options, seats, element("div", {}, swap), me,
    element("details", {}, element("summary", {}, "Names, clock, engine time"),
      element("div", { class: "fields" },
        named(0, "Name of a human who begins"), named(1, "Name of a human who replies"),
        choice("Clock for people", "clock", CLOCKS, clock),
        choice("Engine time for a turn", "seconds",
          facts.seconds.map((seconds) => [seconds, plural(seconds, "second")]), kept?.seconds))),
    problem,
    element("button", { class: "primary", type: "submit" }, "Start the game"));
  page.append(element("div", { class: "narrow" }, form, openedGames()));
  return () => {};
}
