// The mistakes of a game as a list: each with its address, to go there or to pass it on.

import { linkTo } from "./address.js";
import { element, renew } from "./dom.js";
import { mistake } from "./tree.js";

/** Return a button that copies an address; null where the browser does not let pages copy. */
export function copyButton(words, address) {
  if (!navigator.clipboard) return null;
  const button = element("button", { type: "button", class: "turn copy", "aria-label": words, onclick: async () => {
    await navigator.clipboard.writeText(new URL(address(), location.href).href);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy the link"; }, 2000);
  } }, "Copy the link");
  return button;
}

/** Show the mistakes of a line of nodes; `address(node)` is where each is seen, and `going` is called before. */
export function mistakeList(place, line, address, going) {
  const found = line.map((node) => ({ node, error: mistake(node) })).filter(({ error }) => error);
  const key = found.map(({ node, error }) => [node.depth, node.turn, error.words, address(node)]);
  renew(place, key, () => found.length ? [
    element("h2", {}, "Mistakes"),
    element("ul", {}, ...found.map(({ node, error }) => element("li", {},
      element("a", { ...linkTo(address(node), going), "data-turn": node.depth }, `${node.depth}. ${node.turn}`),
      element("span", { class: "mark", "aria-hidden": "true" }, error.mark), ` ${error.words} `,
      copyButton(`Copy the link to turn ${node.depth}`, () => address(node)))))] : []);
}
