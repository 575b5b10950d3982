// What follows a game: a rematch, a look back, the next level; and what is said where there is no game.

import { element } from "./dom.js";
import { recall } from "./memory.js";
import { areApart, start } from "./setup.js";
import { forgetPlayed, openedGames } from "./share.js";

/** The code with which the server closes the connection to a game that it does not have. */
const MISSING = 4404;

/** Return what can be done after the end. `again(exchanged)` asks for a rematch, `analyse` leads to the analysis. */
export function whatFollows(view, { facts, where, analyse, isOffered, again }) {
  if (!view.over || !(view.yours.length || view.rematch)) return [];
  const look = view.turns.length && analyse
    ? element("a", { class: "button", ...analyse }, "See where it turned") : null;
  if (view.rematch) return rematch(view, look, isOffered);
  const problem = element("p", { class: "problem", role: "alert" });
  const next = facts.may_open ? nextLevel(facts, view) : null;
  const { seconds, ...terms } = view.terms;
  const isApart = areApart(view);
  const offer = (exchanged, text, kind) => element("button",
    { type: "button", class: kind, "data-do": "rematch", onclick: () => again(exchanged) }, text);
  return element("div", { class: "actions" },
    next ? element("button", { type: "button", class: "primary", onclick: () => {
      start({ ...where, seconds, seats: view.seats, terms: { ...terms, level: next.number } }, problem);
    } }, `Play against ${next.text}`) : null,
    look,
    offer(true, isApart ? "Rematch, colours exchanged" : "Rematch, sides swapped", next ? "" : "primary"),
    isApart ? null : offer(false, "Rematch", ""),
    problem);
}

/** The level above the one that has just been beaten, if there is one. */
function nextLevel(facts, view) {
  const { level } = view.terms;
  if (!level || view.winner === null || view.yours.length !== 1 || !view.yours.includes(view.winner)) return null;
  return facts.games.find(({ name }) => name === view.game.name)?.levels.find(({ number }) => number === level + 1);
}

/** Return the rematch that somebody has opened: it appears in every browser that shows the game. */
function rematch(view, look, isOffered) {
  const [seat] = view.yours;
  const plays = view.yours.length > 0;
  const said = isOffered && view.yours.length === 1 ? `${view.players[1 - seat]} offers a rematch.` : "There is a rematch.";
  const node = element("div", { class: "card", role: "status" },
    element("p", {}, said),
    element("p", { class: "actions" },
      element("a", { class: "button primary", "data-link": "rematch", href: `#play/${view.rematch}` },
        plays ? "Play the rematch" : "Look on at the rematch"),
      look));
  if (isOffered) requestAnimationFrame(() => node.scrollIntoView({ block: "nearest" }));
  return node;
}

/** Say that there is no such game, or no connection to it, and offer what can be done. */
export function showGone(page, facts, name, code, reason) {
  const last = recall("last-game");
  const problem = element("p", { class: "problem", role: "alert" });
  const isMissing = code === MISSING;
  const known = isMissing && facts.may_open && last?.id === name && last.request && last.turns;
  if (isMissing && !known) forgetPlayed(name);
  document.title = "oddly";
  page.replaceChildren(element("div", { class: "narrow" },
    element("section", { class: "card", "aria-label": "Game" },
      element("h1", {}, isMissing ? "No such game" : "The connection has ended"),
      element("p", { role: "alert" }, reason || "There is no such game on this server, or no longer."),
      isMissing ? element("p", {}, "Its address may be incomplete, or the game made room for newer ones. "
        + "Ask the person who sent you the address for a new one.") : null,
      problem,
      element("p", { class: "actions" },
        known ? element("button", {
          class: "primary", type: "button",
          onclick: () => start({ ...last.request, turns: last.turns }, problem),
        }, `Resume at turn ${last.turns.length + 1}`) : null,
        isMissing ? null
          : element("button", { class: "primary", type: "button", onclick: () => location.reload() }, "Connect again"),
        facts.may_open ? element("a", { class: "button", href: "#play/new" }, "New game") : null,
        element("a", { class: "button", href: "#home" }, "To the start page"))),
    openedGames()));
}
