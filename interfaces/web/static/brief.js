// The one line of a phone: whose turn it is, the groups that the turn would leave, and what is owed.

import { element, stone } from "./dom.js";
import { drawOffer } from "./game-words.js";

function number(view, colour) {
  return [element("span", { class: `dot ${colour}`, "aria-hidden": "true" }), String(view[colour]),
    element("span", { class: "unseen" }, ` ${colour}`)];
}

/** Return the line of a view: `who` is to move, by name or by colour; `mine` says whether something is owed here. */
export function briefly(view, who, mine) {
  const isColour = who.toLowerCase() === view.to_move;
  return [
    isColour ? stone(view.to_move) : null,
    element("strong", { class: isColour ? "unseen" : "who" }, `${who}: `),
    ...number(view, "black"), view.total ? "+" : ", ", ...number(view, "white"),
    view.total ? `=${view.total}` : "", mine ? `; ${view.owed}` : "",
    ...[view.passed, drawOffer(view)].map((told) => told ? element("span", { class: "passed" }, told) : null),
  ].filter(Boolean);
}
