// Counting for the player: a button that numbers the groups on a board, and its key.

import { element } from "./dom.js";
import { recall, remember } from "./memory.js";

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
