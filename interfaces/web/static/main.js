// Opens the page that the address names, such as #learn/yodd or #play/GAME.

import { addressNow, addressOf } from "./address.js";
import { ask, here } from "./link.js";
import { element } from "./dom.js";
import { openHome } from "./home.js";
import { addressHasChanged, dropAddress } from "./shown-address.js";

/** How each room is opened. Only the start page and the way to the tournament come with this script; the others are fetched when one is entered. */
const ROOMS = {
  home: async () => openHome,
  learn: async () => (await import("./learn.js")).openLearn,
  play: async () => (await import("./play.js")).openPlay,
  join: async () => (await import("./join.js")).openJoin,
  analyse: async () => (await import("./analyse.js")).openAnalyse,
  puzzles: async () => (await import("./puzzles.js")).openPuzzles,
  watch: async () => openWatch,
};

/** Watching has pages of its own, which the server draws: older addresses lead there. */
function openWatch(page, facts, name) {
  location.replace(here(name ? `/watch/game/${encodeURIComponent(name)}` : "/watch"));
  return () => {};
}

const page = document.getElementById("page");
const links = [...document.querySelectorAll("nav a")];
let leave = () => {};

/** Keep the name of a game in the part of the address that the server sees: it opens the page, too. */
function addressGame() {
  const { game, turn } = addressNow();
  const hash = location.hash || (game ? `#play/${encodeURIComponent(game)}` : "");
  const named = /^#(?:play|analyse)\/([\w-]{16,})(?:\/|$)/.exec(hash)?.[1];
  const shown = named || (/^#(?:join|analyse)\//.test(hash) ? game : "");
  const at = /^#(?:play|analyse)\//.test(hash) ? turn : null;
  history.replaceState(null, "", addressOf({ hash, game: shown, turn: at }));
}

/** Say what the server compiles, until it is done. */
function tellOfWarming() {
  const line = document.getElementById("warming");
  line.hidden = !facts.warming;
  if (!facts.warming) return;
  line.textContent = `The server compiles its engine for ${facts.warming}, once on this machine. Lessons, puzzles and `
    + "games between people work meanwhile; the engine plays by the plain rules, and so weaker.";
  setTimeout(async () => {
    try {
      facts.warming = (await ask("/api/facts")).warming;
    } catch {
      // The server is asked again.
    }
    tellOfWarming();
  }, 3000);
}

let facts = null;
let entered = false;
let entries = 0;
/** What the page in the window says of an address: whether it shows that itself. */
let follow = () => false;

async function enter() {
  const entry = ++entries;
  dropAddress();
  addressGame();
  addressHasChanged();
  leave();
  leave = () => {};
  follow = () => false;
  try {
    if (!facts) {
      facts = await ask("/api/facts");
      // What a guest may not do is not offered.
      document.body.classList.toggle("opens-nothing", !facts.may_open);
      tellOfWarming();
    }
  } catch (error) {
    if (entry !== entries) return;
    page.replaceChildren(element("p", { class: "problem", role: "alert" }, error.message));
    // Whoever has gone elsewhere meanwhile is not disturbed.
    setTimeout(() => entry === entries && enter(), 3000);
    return;
  }
  // The address has changed while the server was asked.
  if (entry !== entries) return;
  const [name, ...rest] = location.hash.slice(1).split("/");
  const room = Object.hasOwn(ROOMS, name) ? name : facts.watched ? "watch" : "home";
  let open = null;
  try {
    open = await ROOMS[room]();
  } catch {
    // A newer version of the server has other names for its files.
    page.replaceChildren(element("p", { class: "problem", role: "alert" }, "The server does not answer. "),
      element("button", { type: "button", onclick: () => location.reload() }, "Load the page again"));
    return;
  }
  if (entry !== entries) return;
  for (const link of links) {
    const isHere = link.getAttribute("href") === `#${room}`;
    if (isHere) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    if (link.id === "to-watch") link.hidden = facts.guest;
  }
  page.replaceChildren();
  const opened = open(page, facts, ...rest);
  // A room that follows the address returns how, beside how it is left.
  leave = opened.leave || opened;
  follow = (address) => opened.follow?.(address) || false;
  // A reader of the page begins at its top, and the first Tab goes to the board of a game, a lesson or a puzzle.
  if (entered || rest.length) page.focus({ preventScroll: true });
  if (entered) window.scrollTo(0, 0);
  entered = true;
}

// Going back from a game changes more of the address than its end, and then is no hashchange.
for (const kind of ["popstate", "hashchange"]) {
  window.addEventListener(kind, () => {
    dropAddress();
    if (addressHasChanged() && !follow(addressNow())) enter();
  });
}
enter();
