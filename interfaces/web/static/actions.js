// The buttons beside a board, with their keys: what may be done, the colour of the next stone, and the count of groups.

import { element, stone } from "./dom.js";
import { recall, remember } from "./memory.js";

const KEYS = { e: "end", p: "pass", u: "undo", h: "hint" };
const SHOWN = [["end", "End turn", { class: "primary" }], ["pass", "Pass"], ["swap", "Swap colours"], ["undo", "Undo"]];
const COLOURS = { black: "Black", white: "White" };

/** Whether a key is meant for a field, or for the browser. */
export function isTyped(event) {
  return event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey;
}

/**
 * `node` is the bar of the buttons that a turn needs, on phones at the foot of the window, and `more` has
 * the others. `buttons` has all by their actions. `press` does by a key what a button does. `chosen` hears
 * when a colour is picked for the next stone.
 */
export class Actions {
  constructor(act, { more = [], chosen = () => {} } = {}) {
    this.act = act;
    this.chosen = chosen;
    this.colour = "black";
    this.buttons = {};
    for (const [action, text, own] of [...SHOWN, ...more]) {
      const key = Object.keys(KEYS).find((each) => KEYS[each] === action);
      this.buttons[action] = element("button", {
        type: "button", "data-do": action, "aria-keyshortcuts": key, disabled: true, onclick: () => act(action), ...own,
      }, text);
    }
    this.colours = element("div", { class: "colours", role: "group", "aria-label": "Colour of the next stone", hidden: true },
      ...Object.entries(COLOURS).map(([colour, text]) => element("button", {
        type: "button", "data-colour": colour, "aria-keyshortcuts": "c", onclick: () => this.pick(colour),
      }, stone(colour), element("span", {}, text))));
    const all = Object.values(this.buttons);
    this.node = element("div", { class: "actions turn-bar", role: "group", "aria-label": "Your turn" },
      this.colours, ...all.slice(0, SHOWN.length));
    this.more = element("div", { class: "actions" }, ...all.slice(SHOWN.length));
    this.choose("black");
  }

  /** Do what a click on a colour does. */
  pick(colour) {
    this.choose(colour);
    this.chosen();
  }

  /** Set the colour of the next stone. */
  choose(colour) {
    this.colour = colour;
    for (const button of this.colours.children) {
      button.setAttribute("aria-pressed", String(button.dataset.colour === colour));
    }
  }

  /** Show the buttons of these actions and let those be pressed that `can` do something; after the end no others. */
  show({ shown, can, drops, over }) {
    for (const [action, button] of Object.entries(this.buttons)) {
      button.disabled = !can[action];
      button.classList.remove("pending");
      button.hidden = !shown[action] || (Boolean(over) && !can[action]);
    }
    this.colours.hidden = !drops || Boolean(over);
    this.node.classList.toggle("over", Boolean(over));
    for (const row of [this.node, this.more]) row.hidden = [...row.children].every(({ hidden }) => hidden);
  }

  /** Take clicks on what may soon be possible: the answer to the last click is on its way. */
  pend() {
    for (const [action] of SHOWN) {
      const button = this.buttons[action];
      if (!button.hidden && button.disabled) {
        button.disabled = false;
        button.classList.add("pending");
      }
    }
  }

  press(event) {
    const key = event.key.toLowerCase();
    if (key === "c" && !this.colours.hidden) this.pick(this.colour === "black" ? "white" : "black");
    const button = this.buttons[KEYS[key]];
    if (button && !button.disabled && !button.hidden) this.act(button.dataset.do);
  }
}

/** A button that numbers the groups on a board, and its key. */
export class Counting {
  /** `changed` hears when the groups are numbered, or no longer. */
  constructor(changed) {
    this.changed = changed;
    this.isOn = recall("numbered", false);
    this.button = element("button", {
      type: "button", class: "toggle", title: "Number the groups", "aria-keyshortcuts": "g", "aria-pressed": String(this.isOn),
      onclick: () => this.toggle(),
    }, "Count");
  }

  toggle() {
    this.isOn = !this.isOn;
    remember("numbered", this.isOn);
    this.button.setAttribute("aria-pressed", String(this.isOn));
    this.changed();
  }

  press(event) {
    if (event.key.toLowerCase() === "g") this.toggle();
  }
}
