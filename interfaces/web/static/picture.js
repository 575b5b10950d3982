// A small board that plays a short game by itself, for those who do not mind things that move.

import { geometry } from "./link.js";
import { Board } from "./board.js";
import { element } from "./dom.js";

const BETWEEN_TURNS = 1100;
const AT_THE_END = 3500;
const still = window.matchMedia("(prefers-reduced-motion: reduce)");

export class Picture {
  constructor({ game, frames }, label) {
    this.frames = frames;
    this.at = frames.length - 1;
    this.node = element("div", { class: "picture" });
    this.timer = null;
    geometry(game.shape, game.size).then((shape) => {
      this.board = new Board(shape, { plain: true, label });
      this.node.append(this.board.svg);
      this.show();
      this.run(!still.matches);
    });
  }

  show() {
    this.board?.show(this.frames[this.at]);
  }

  /** Play on, or stand still at the end of the game. */
  run(wanted) {
    clearTimeout(this.timer);
    if (!wanted) {
      this.at = this.frames.length - 1;
      this.show();
      return;
    }
    const next = () => {
      if (!this.node.isConnected) return;
      this.at = (this.at + 1) % this.frames.length;
      this.show();
      this.timer = setTimeout(next, this.at === this.frames.length - 1 ? AT_THE_END : BETWEEN_TURNS);
    };
    this.timer = setTimeout(next, BETWEEN_TURNS);
  }

  leave() {
    clearTimeout(this.timer);
  }
}
