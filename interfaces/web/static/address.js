// What the address says besides the room: the game that the server is asked for, and the turn that is shown.

import { here } from "./link.js";

const BETWEEN = 400;

/** Return the parts of the address: those behind #, and `game` and `turn` of the query. */
export function addressNow() {
  const query = new URLSearchParams(location.search);
  const [room, ...parts] = location.hash.slice(1).split("/");
  const turn = query.get("turn");
  return { room, parts, game: query.get("game") || "", turn: /^\d{1,5}$/.test(turn ?? "") ? Number(turn) : null };
}

/** Return an address of the page with all rooms. A turn that is null is left out. */
export function addressOf({ hash, game = "", turn = null }) {
  const query = [game && `game=${encodeURIComponent(game)}`, turn !== null && `turn=${turn}`].filter(Boolean).join("&");
  return `${new URL(here("/")).pathname}${query ? `?${query}` : ""}${hash}`;
}

/** Open an address of this page without loading the page anew. */
export function openAddress(address) {
  history.pushState(null, "", address);
  window.dispatchEvent(new PopStateEvent("popstate"));
}

/** Return the attributes of a link to an address of this page; a click on it does not load the page anew. */
export function linkTo(address, before = () => {}) {
  return { href: address, onclick: (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    before();
    openAddress(address);
  } };
}

let entered = "";

/** Whether the address has changed since this was last asked, other than by `showAddress`. */
export function addressHasChanged() {
  const before = entered;
  entered = location.href;
  return before !== entered;
}

let wanted = null;
let timer = null;
let since = 0;

/** Put an address into the bar: a new entry of the history for a leap, none for a step. */
export function showAddress(address, isLeap = false) {
  clearTimeout(timer);
  wanted = address;
  if (isLeap) write(true);
  // Browsers refuse addresses that change too often.
  else if (Date.now() - since >= BETWEEN) write(false);
  else timer = setTimeout(() => write(false), BETWEEN);
}

/** Forget an address that is to be written: another page is shown. */
export function dropAddress() {
  clearTimeout(timer);
  timer = null;
}

function write(isLeap) {
  clearTimeout(timer);
  timer = null;
  since = Date.now();
  if (wanted === `${location.pathname}${location.search}${location.hash}`) return;
  try {
    history[isLeap ? "pushState" : "replaceState"](null, "", wanted);
    entered = location.href;
  } catch {
    // The page works with an older address in the bar.
  }
}
