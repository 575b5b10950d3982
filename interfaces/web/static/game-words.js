// What is said of a game and its players.

import { element, plural, stone } from "./dom.js";
import { areApart } from "./setup.js";

const OTHER = { black: "white", white: "black" };

/** Return whose turn it is, in a word. */
export function who(view, mine) {
  if (view.thinking) return `${view.players[view.mover]} thinks`;
  if (!mine) return view.players[view.mover];
  return view.yours.length === 1 ? "You" : view.to_move[0].toUpperCase() + view.to_move.slice(1);
}

/** Whether the opponent of the player here offers a draw. */
export function isOfferedDraw(view) {
  return view.draw_offer !== null && view.yours.length === 1 && !view.yours.includes(view.draw_offer);
}

/** Return who offers a draw, in a sentence; nothing if nobody does. */
export function drawOffer(view) {
  if (view.draw_offer === null || view.over) return "";
  return view.yours.includes(view.draw_offer) ? "You have offered a draw." : `${view.players[view.draw_offer]} offers a draw.`;
}

function number(view, colour) {
  return [element("span", { class: `dot ${colour}`, "aria-hidden": "true" }), String(view[colour]),
    element("span", { class: "unseen" }, ` ${colour}`)];
}

/**
 * Return the one line of a phone: whose turn it is, the groups that the turn would leave, and what is owed. `who` is to
 * move, by name or by colour; `mine` says whether something is owed here.
 */
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

/** Return what the line beside the board says, and a screen reader with it. */
export function sentence(view, mine) {
  return [drawOffer(view), state(view, mine)].filter(Boolean).join(" ");
}

function state(view, mine) {
  if (view.over) return `${outcome(view)}${view.over} ${view.sentence}.`;
  const counts = view.sentence.split(":")[0];
  const mover = view.players[view.mover];
  if (view.thinking) return `${view.yours.length ? "" : "You are looking on. "}${mover} is thinking. ${counts}.`;
  if (!mine) return `${view.yours.length ? "" : "You are looking on. "}${mover} is to move. ${counts}.`;
  const yours = view.yours.length === 1 ? "Your turn." : "";
  return [yours, view.passed, view.sentence].filter(Boolean).join(" ") + (yours || view.passed ? "." : "");
}

/** Return what the end means for whoever looks at it. */
function outcome(view) {
  if (view.yours.length !== 1 || view.winner === null) return "";
  return view.yours.includes(view.winner) ? "You win! " : "You lose. ";
}

/** Return the name of a player: the only one here is not called human. */
function playerName(view, seat) {
  const isMe = view.yours.length === 1 && view.yours.includes(seat);
  if (!isMe) return view.players[seat];
  if (!view.terms.names[seat].trim()) return "you";
  return areApart(view) ? `${view.players[seat]} (you)` : view.players[seat];
}

/** Return the line of a player: name, colour, groups, clock, and what he is at. */
export function playerLine(view, seat) {
  const colour = seat === view.mover ? view.to_move : OTHER[view.to_move];
  const moves = seat === view.mover && !view.over;
  return element("div", { class: moves ? "player to-move" : "player" },
    stone(colour),
    element("strong", {}, playerName(view, seat)),
    element("span", { class: "holds" }, `${colour}, ${plural(view[colour], view.counted)}`),
    element("span", { class: "clock", role: "timer" }),
    element("span", { class: "state" }, view.open.includes(seat) ? "has not come yet"
      : moves ? (view.thinking ? "is thinking…" : "to move") : ""));
}

/** Return what an engine did wrong, with a button for a new start. */
export function trouble(view, restart) {
  return element("div", { class: "card problem", role: "alert" },
    element("p", {}, view.fault),
    element("p", {}, "The game is unchanged. Restart the engine, or take your turn back."),
    element("button", { class: "primary", type: "button", "data-do": "restart", onclick: restart }, "Restart the engine"));
}

/** Return how to play on this page. */
export function help(view) {
  return [
    element("summary", {}, "How to play here"),
    element("p", { class: "help" }, view.has_drops ? HELP.drops : HELP.moves),
    element("p", { class: "help" }, HELP.keys),
    element("p", { class: "help" }, element("a", { href: `#learn/${view.game.name}` }, "The rules, and lessons")),
  ];
}

const HELP = {
  drops: "Choose black or white for the next stone, and click an empty place to put it there. A click on a stone of your "
    + "turn takes it back, or gives it the colour that is chosen. A dashed ring marks these stones; nothing is final until you "
    + "end the turn. The groups that count are outlined; Count numbers them.",
  moves: "Click a piece, then one of the marked places. Click the piece again to put it back.",
  keys: "Keys: arrows and Enter on the board, C changes the colour of the next stone, E ends the turn, P passes, U takes "
    + "back, G numbers the groups, H asks for a hint, V goes through the line that the hint expects. "
    + "Left and right look back and on when the board is not in focus.",
};
