// The buttons of what may be done on a board, and their keys.

import { element } from "./dom.js";

const KEYS = { e: "end", p: "pass", u: "undo", h: "hint" };
const SHOWN = [["end", "End turn", { class: "primary" }], ["pass", "Pass"], ["swap", "Swap colours"], ["undo", "Undo"]];

/** Whether a key is meant for a field, or for the browser. */
export function isTyped(event) {
  return event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey;
}

/** Buttons by their actions, of which `more` come last. `press` does by a key what a button does. */
export class Actions {
  constructor(act, more = [], attributes = {}) {
    this.act = act;
    this.buttons = {};
    for (const [action, text, own] of [...SHOWN, ...more]) {
      const key = Object.keys(KEYS).find((each) => KEYS[each] === action);
      this.buttons[action] = element("button", {
        type: "button", "data-do": action, "aria-keyshortcuts": key, onclick: () => act(action), ...attributes, ...own,
      }, text);
    }
    this.node = element("div", { class: "actions" }, ...Object.values(this.buttons));
  }

  press(event) {
    const button = this.buttons[KEYS[event.key.toLowerCase()]];
    if (button && !button.disabled && !button.hidden) this.act(button.dataset.do);
  }
}
