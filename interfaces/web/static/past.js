// Looking at the past of a game that goes on: nothing is taken back.

import { ask } from "./link.js";
import { element, idleButton, setIdle } from "./dom.js";

export class Past {
  /**
   * `show(frame)` draws a position of the past; `show(null)` the present. `went(at, isLeap)` hears where a player
   * goes, by a step or a leap.
   */
  constructor(show, went = () => {}) {
    this.show = show;
    this.went = went;
    this.at = null;
    this.question = 0;
    /** The turns of the game when somebody went to `at`. */
    this.turns = [];
    this.frames = [];
    this.key = "";
    const button = (text, label, by) => idleButton(text, label, () => this.step(by));
    this.back = button("\u25c0", "Look one turn back", -1);
    this.on = button("\u25b6", "Look one turn on", 1);
    this.now = element("button", { type: "button", class: "primary", onclick: () => this.leap(null) }, "Back to the game");
    this.line = element("p", { class: "past-line", role: "status" });
    this.node = element("div", { class: "actions past" }, this.back, this.on, this.now, this.line);
  }

  /** Learn how far the game is; where the turn that is looked at was taken back, go to the present. */
  follow(view) {
    this.view = view;
    const isThere = this.at < view.turns.length && this.turns.slice(0, this.at).every((turn, index) => turn === view.turns[index]);
    if (this.at !== null && !isThere) {
      this.at = null;
      this.question += 1;
      this.went(null, false);
    }
    this.draw();
  }

  step(by) {
    const at = (this.at ?? this.view.turns.length) + by;
    const to = at >= this.view.turns.length ? null : Math.max(0, at);
    this.go(to);
    this.went(to, false);
  }

  leap(at) {
    const to = at === null || at >= this.view.turns.length ? null : at;
    this.went(to, true);
    this.go(to);
  }

  async go(at) {
    const { game, turns } = this.view;
    const key = JSON.stringify(turns);
    this.question += 1;
    const { question } = this;
    // At once, so that the next step goes on from here, and a click on the board goes back to the game.
    this.at = at === null || at >= turns.length ? null : at;
    this.turns = turns;
    this.draw();
    let problem = "";
    if (this.at !== null && this.key !== key) {
      let frames = [];
      try {
        ({ frames } = await ask("/api/line", { game: game.name, size: game.size, settings: game.settings, turns }));
      } catch (error) {
        problem = error.message;
      }
      // The reader has gone elsewhere while the server was asked.
      if (question !== this.question) return;
      if (problem) this.at = null;
      else [this.frames, this.key] = [frames, key];
    }
    this.show(this.at === null ? null : this.frames[this.at]);
    if (problem) this.line.textContent = problem;
  }

  draw() {
    const number = this.view.turns.length;
    this.node.hidden = !number;
    setIdle(this.back, (this.at ?? number) === 0);
    setIdle(this.on, this.at === null);
    this.now.hidden = this.at === null;
    const turn = this.at ? this.view.turns[this.at - 1] : "";
    this.line.textContent = this.at === null ? "" : this.at ? `After turn ${this.at}: ${turn}` : "The start";
  }
}
