// The players of a game that is watched: their stones, groups, clocks, and what each expects.

import { clockText } from "./clocks.js";
import { element, stone } from "./dom.js";

const OTHER = { black: "white", white: "black" };
const running = new Map();
/** By how much this machine's clock is ahead of the server's, in seconds. */
let ahead = 0;

/** Learn what the time is on the server. */
export function heedClock(message) {
  ahead = Date.now() / 1000 - message.now;
}

setInterval(() => {
  for (const [node, { left, at }] of running) {
    if (node.isConnected) node.textContent = clockText(left - Math.max(0, now() - at));
    else running.delete(node);
  }
}, 200);

/** Return the seconds since 1970 by the server's clock. */
export function now() {
  return Date.now() / 1000 - ahead;
}

/** Return the nodes of both players. `counts` are groups by colour, `first` is the colour of who began. */
export function seats({ players, first, counts, clocks = [null, null], at = null, expects, mover, isRunning, winner = null }) {
  return players.map((name, index) => {
    const colour = index === 0 ? first : OTHER[first];
    const moves = isRunning && mover === index;
    const left = clocks[index];
    const clock = element("span", { class: "clock", title: "time left" }, left === null ? "" : clockText(left));
    if (moves && left !== null && at !== null) running.set(clock, { left, at });
    const chance = expects[index];
    return element("span", { class: moves ? "player to-move" : "player" },
      stone(colour), element("strong", {}, element("bdi", {}, name)),
      winner === index ? element("span", { class: "won" }, "wins") : null,
      element("span", { class: "groups" }, String(counts[colour])), clock,
      element("span", { class: "expects" }, ...(chance === null || chance === undefined ? [] : [
        element("meter", { min: 0, max: 1, value: chance.toFixed(3), "aria-label": `What ${name} expects` }),
        ` expects ${Math.round(100 * chance)} %`])));
  });
}
