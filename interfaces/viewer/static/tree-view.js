// A tree of variations as lines of buttons: the game first, other turns set in below it.

import { element } from "./dom.js";
import { mistake } from "./tree.js";

/** Show the tree; `chosen(node)` hears of a click on a turn. */
export function treeView(place, tree, chosen) {
  const signature = JSON.stringify([tree.asJson(), tree.turns(), marks(tree.root), place.isConnected]);
  if (place.signature === signature) return;
  place.signature = signature;
  const focused = place.contains(document.activeElement);
  place.replaceChildren(line(tree.root, tree.current, chosen));
  const here = place.querySelector("[aria-current]");
  if (focused) here?.focus({ preventScroll: true });
  if (here) place.scrollTop = here.offsetTop - place.offsetTop - place.clientHeight / 2;
}

function marks(node) {
  return [mistake(node)?.mark || "", ...node.children.map(marks)];
}

function line(from, current, chosen) {
  const parts = [];
  for (let node = from; node.children.length; [node] = node.children) {
    const [main, ...others] = node.children;
    parts.push(turnButton(main, current, chosen));
    for (const other of others) {
      parts.push(element("div", { class: "variation" }, turnButton(other, current, chosen), line(other, current, chosen)));
    }
  }
  return element("div", { class: "line" }, ...parts);
}

function turnButton(node, current, chosen) {
  const found = mistake(node);
  return element("button", {
    type: "button", class: found ? "turn bad" : "turn",
    "aria-current": node === current ? "step" : null, title: found ? found.words : null,
    onclick: () => chosen(node),
  }, `${node.depth}. ${node.turn}`, found ? element("span", { class: "mark", "aria-label": found.words }, found.mark) : null);
}
