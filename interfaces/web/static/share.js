// The links of a game, and the list of games whose links this browser has opened.

import { ask, here } from "./link.js";
import { element, plural, stone } from "./dom.js";

const MEMORY = "oddly-games";
const MOST = 100;
const OTHER = { black: "white", white: "black" };

function keys() {
  try {
    const found = JSON.parse(localStorage.getItem(MEMORY));
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

/** Remember a game by its key, the last one first. */
export function rememberGame(key) {
  try {
    localStorage.setItem(MEMORY, JSON.stringify([key, ...keys().filter((old) => old !== key)].slice(0, MOST)));
  } catch {
    // Without storage there is no list.
  }
}

function address(key) {
  return here(`?game=${encodeURIComponent(key)}`);
}

/** Return the links that the viewer of a game may pass on, each with a button that copies it. */
export function shareCard(view) {
  if (!view.links.length) return [];
  const rows = view.links.map(({ key, seat }) => {
    const words = seat === null ? "Spectators" : `The player who ${seat ? "replies" : "begins"}`;
    const copy = element("button", { type: "button", "aria-label": `Copy the link: ${words}`, onclick: async () => {
      await navigator.clipboard?.writeText(address(key));
      copy.textContent = "Copied";
    } }, "Copy");
    return element("li", {}, element("a", { href: address(key), "data-link": seat ?? "watch" }, words), " ",
      navigator.clipboard ? copy : null);
  });
  const waiting = view.links.some(({ seat }) => seat !== null && view.seats[seat] === "friend");
  return element("details", { class: "share", open: waiting && !view.turns.length },
    element("summary", {}, "Links to this game"),
    element("p", { class: "help" }, "A link is the key to its seat: pass it to that person only. It works for weeks."),
    element("ul", { class: "share-links" }, ...rows));
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
    game.over ? element("span", { class: "state" }, ` (${plural(game.turns, "turn")})`) : null);
}
