// The links of a game, the name of a player, and the list of games that this browser has opened.

import { ask, here } from "./link.js";
import { element, plural, renew, stone } from "./dom.js";
import { recall, remember } from "./memory.js";

const MEMORY = "games";
const MOST = 100;
const OTHER = { black: "white", white: "black" };

function keys() {
  const found = recall(MEMORY);
  return Array.isArray(found) ? found : [];
}

/** Remember a game by its id, the last one first; a key by which it was known is forgotten. */
export function rememberGame(id, key = id) {
  const others = keys().filter((old) => old !== id && old !== key);
  remember(MEMORY, [id, ...others].slice(0, MOST));
}

/** Remember the game in which this browser had a seat last, for the start page. */
export function rememberPlayed({ id, game, turns, over, yours }) {
  const isMine = yours.length > 0;
  if (recall("played")?.id !== id && (over || !isMine)) return;
  remember("played", { id, title: game.title, turns: turns.length, over: Boolean(over) || !isMine });
}

/** Forget a game that is gone: the start page does not lead there. */
export function forgetPlayed(id) {
  if (recall("played")?.id === id) remember("played", null);
}

/** Return the address of a game, which gives nobody a seat, or that of an invitation to it. */
function address(id, key) {
  return here(`?game=${encodeURIComponent(id)}`) + (key ? `#join/${encodeURIComponent(key)}` : "");
}

const SIDES = ["Black, who begins", "White, who replies"];

function linkRow(words, where, name) {
  const copy = element("button", { type: "button", "aria-label": `Copy the link: ${words}`, onclick: async () => {
    await navigator.clipboard?.writeText(where);
    copy.textContent = "Copied";
  } }, "Copy");
  // On a phone the system knows the people to send it to.
  const send = element("button", { type: "button", "aria-label": `Send the link: ${words}`,
    onclick: () => navigator.share({ url: where }).catch(() => {}) }, "Send");
  return element("li", {}, element("a", { href: where, "data-link": name }, words), " ",
    navigator.share ? send : null, " ", navigator.clipboard ? copy : null);
}

function askRow(seat, words, invite) {
  return element("li", {}, element("button", { type: "button", "data-do": "invite", onclick: () => invite(seat) }, words));
}

/**
 * Show the invitations to seats that nobody has yet; `invite(seat)` has a new one made. Once they are used, the place
 * says so and stays as high, since nothing below it must move under a finger.
 */
export function showInvitation(place, view, invite) {
  const open = view.over ? [] : view.invitations.filter(({ seat }) => view.open.includes(seat));
  const { height } = view.over && view.open.length ? { height: 0 } : place.getBoundingClientRect();
  renew(place, [view.invitations, view.open, Boolean(view.over)], () => {
    place.style.setProperty("min-height", `${height}px`);
    return open.length ? invitationCard(view, open, invite) : height ? usedCard(place, view) : [];
  });
}

function invitationCard(view, open, invite) {
  return element("section", { class: "card", "aria-label": "Invitation" },
    element("p", { class: "help" }, "Send this invitation to the person who is to play. The first who takes the seat has it."),
    element("ul", { class: "share-links" }, ...open.map(({ seat, key }) => key
      ? linkRow(`Invitation to play ${SIDES[seat]}`, address(view.id, key), seat)
      : askRow(seat, `Make a new invitation to play ${SIDES[seat]}`, invite))));
}

function usedCard(place, view) {
  const other = view.players[view.yours.length === 1 ? 1 - view.yours[0] : 0];
  return element("section", { class: "card", role: "status", "aria-label": "Invitation" },
    element("p", {}, view.yours.length === 1 ? `${other} has come.` : "All players have come."),
    element("button", { type: "button", onclick: () => {
      place.style.setProperty("min-height", "0px");
      place.replaceChildren();
    } }, "Close"));
}

/** Return the other links that the viewer of a game may pass on. */
export function shareCard(view, invite) {
  const isOne = view.yours.length === 1;
  const own = view.yours.map((seat) => {
    const made = view.invitations.find((each) => each.seat === seat);
    if (made) return linkRow(isOne ? "Your seat, for another device" : `Invitation to play ${SIDES[seat]}`, address(view.id, made.key), seat);
    return askRow(seat, isOne ? "Go on at another device" : `Invite somebody to play ${SIDES[seat]}`, invite);
  });
  return element("details", { class: "share", open: view.yours.some((seat) => view.invitations.some((each) => each.seat === seat)) },
    element("summary", {}, "Links to this game"),
    element("p", { class: "help" }, view.yours.length
      ? "The address of the game shows it to everybody and gives nobody a seat."
      : "To play, open the invitation that you were sent."),
    element("ul", { class: "share-links" }, linkRow("Spectators", address(view.id), "watch"), ...own));
}

/** Return the field for the name of a player; `name(text)` tells the server. */
export function nameCard(view, name) {
  const [seat] = view.yours;
  const field = element("input", { type: "text", maxlength: 24, autocomplete: "nickname", value: view.terms.names[seat] || recall("name", "") });
  return element("details", {},
    element("summary", {}, "Your name"),
    element("form", { class: "fields", onsubmit: (event) => {
      event.preventDefault();
      remember("name", field.value.trim());
      name(field.value.trim());
    } },
      element("label", { class: "field" }, "Your name in the record of this game", field),
      element("div", {}, element("button", { type: "submit" }, "Use this name"))));
}

/** Return the list of the games that this browser knows, with their results. */
export function openedGames() {
  const list = element("ul", { class: "my-games" });
  const card = element("section", { class: "card", "aria-label": "Your games", hidden: true },
    element("h2", {}, "Your games"), list);
  if (keys().length) {
    ask("/api/games/list", keys()).then(({ games }) => {
      card.hidden = !games.length;
      list.replaceChildren(...games.map(line));
    }).catch(() => {});
  }
  return card;
}

function line(game) {
  const colours = [game.first, OTHER[game.first]];
  const names = game.players.map((name, seat) => element(seat === game.winner ? "strong" : "span", {},
    stone(colours[seat]), " ", game.seats.includes(seat) ? "you" : name));
  const state = game.over ? `${game.score}. ${game.over}`
    : `turn ${game.turns + 1}${game.seats.includes(game.mover) ? ", yours" : ""}`;
  return element("li", {}, element("a", { href: `#play/${game.id}` }, game.title), ": ",
    names[0], " - ", names[1], " ", element("span", { class: "state" }, state),
    game.over ? element("span", { class: "state" }, ` (${plural(game.turns, "turn")})`) : null,
    game.kept_until && game.owner ? element("span", { class: "state" }, ` (kept until ${day(game.kept_until)})`) : null);
}

/** Return a day as people here write it. */
function day(text) {
  return new Date(`${text}T00:00`).toLocaleDateString(undefined, { day: "numeric", month: "short" });
}
