// What the address says besides the room: the game that the server is asked for, and the turn that is shown.

import { here } from "./link.js";

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
