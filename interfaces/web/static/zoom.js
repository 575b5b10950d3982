// Two fingers make a board larger or smaller, and so do two buttons.

import { element } from "./dom.js";

const STEP = 1.4;

/** Heed two fingers on a board. */
export function pinch(place, board) {
  let begun = null;
  const apart = ([one, other]) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
  place.addEventListener("touchstart", ({ touches }) => {
    begun = touches.length === 2 ? { apart: apart(touches), scale: board.scale } : null;
  }, { passive: true });
  place.addEventListener("touchmove", (event) => {
    const { touches } = event;
    if (!begun || touches.length !== 2) return;
    event.preventDefault();
    const [x, y] = ["clientX", "clientY"].map((axis) => (touches[0][axis] + touches[1][axis]) / 2);
    zoomAround(place, board, begun.scale * (apart(touches) / begun.apart), x, y);
  }, { passive: false });
  place.addEventListener("touchend", () => { begun = null; }, { passive: true });
}

/** Return the buttons that make a board smaller and larger around its middle; `board()` may not be there yet. */
export function zoomButtons(place, board) {
  const button = (text, label, by) => element("button", { type: "button", "aria-label": label, title: label, onclick: () => {
    const { left, top, width, height } = place.getBoundingClientRect();
    if (board()) zoomAround(place, board(), board().scale * by, left + width / 2, top + height / 2);
  } }, text);
  return element("div", { class: "zoom", role: "group", "aria-label": "Size of the board" },
    button("\u2212", "Smaller board", 1 / STEP), button("+", "Larger board", STEP));
}

/** Zoom such that what is at (x, y) of the window stays there. */
function zoomAround(place, board, scale, x, y) {
  const before = board.svg.getBoundingClientRect();
  const [across, down] = [(x - before.left) / before.width, (y - before.top) / before.height];
  board.zoom(scale);
  const after = board.svg.getBoundingClientRect();
  place.scrollLeft += after.left + across * after.width - x;
  place.scrollTop += after.top + down * after.height - y;
}
