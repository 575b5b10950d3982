// Looking at each position of a line for a while: where the mistakes are.

import { Thinking } from "./thoughts.js";

export class Sweep {
  /** `heard(node, said)` hears what is found, `at(index)` which position of the line comes next. */
  constructor(where, tree, seconds, { heard, at }) {
    Object.assign(this, { where, tree, seconds, heard, at });
    this.isStopped = false;
    this.thinking = null;
  }

  /** Look at all positions that have not been looked at for as long. Returns whether it came to the end. */
  async run(line) {
    for (const [index, node] of line.entries()) {
      if (this.isStopped) break;
      if (node.over || (node.thought?.seconds || 0) >= this.seconds) continue;
      this.at(index);
      await new Promise((done) => {
        this.thinking = new Thinking(this.where, this.tree.turns(node), this.seconds, (said) => this.heard(node, said), done);
        this.thinking.abort.signal.addEventListener("abort", done);
      });
      if (node.thought && !this.isStopped) node.thought.seconds = this.seconds;
    }
    return !this.isStopped;
  }

  stop() {
    this.isStopped = true;
    this.thinking?.stop();
  }
}
