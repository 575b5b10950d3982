// Looking at each position of a line for a while: where the mistakes are.

import { Thinking } from "./thoughts.js";

export class Sweep {
  /** `heard(node, said)` hears what is found, `at(index)` which position of the line comes next. */
  constructor(where, tree, seconds, { heard, at }) {
    Object.assign(this, { where, tree, seconds, heard, at });
    this.isStopped = false;
    this.thinking = null;
  }

  /**
   * Look at all positions that have not been looked at for as long, until one look comes to no end. Returns how many
   * have been looked at; `problem` says why it is not all of them.
   */
  async run(line) {
    const isKnown = (node) => node.over || (node.thought?.seconds || 0) >= this.seconds;
    let known = line.filter(isKnown).length;
    for (const [index, node] of line.entries()) {
      if (isKnown(node)) continue;
      this.at(index);
      if (this.isStopped || !await this.look(node)) break;
      if (node.thought) node.thought.seconds = this.seconds;
      known += 1;
    }
    return known;
  }

  /** Look at one position. Returns whether the engine came to the end. */
  look(node) {
    this.problem = "The server broke off.";
    return new Promise((ended) => {
      let isDone = false;
      this.thinking = new Thinking(this.where, this.tree.turns(node), this.seconds, (said) => {
        isDone ||= said.kind === "done";
        if (said.kind === "problem") this.problem = said.sentence;
        else this.heard(node, said);
      }, () => ended(isDone));
      this.thinking.abort.signal.addEventListener("abort", () => ended(false));
    });
  }

  stop() {
    this.isStopped = true;
    this.thinking?.stop();
  }
}
