// What a player asks of the server, one after the other: a click waits while the answer to the last one is on its way.

const MOST = 8;

export class Wishes {
  /** `send(message)` sends one, and returns whether it could. */
  constructor(send) {
    this.send = send;
    this.queue = [];
    this.isWaiting = false;
  }

  /** Ask for what `make()` returns once it is its turn. Returns a sentence if that cannot be. */
  ask(make) {
    if (this.queue.length >= MOST) return "The server has not answered yet. This click was not sent.";
    this.queue.push(make);
    return this.isWaiting ? "" : this.next();
  }

  /** Go on after an answer; after a refusal what was clicked behind it is not done. Returns how many were dropped. */
  answered(isRefused) {
    this.isWaiting = false;
    if (isRefused) return this.drop();
    this.next();
    return 0;
  }

  /** Forget everything: without a connection nothing will be answered. Returns how many were dropped. */
  drop() {
    const number = this.queue.length;
    this.queue = [];
    this.isWaiting = false;
    return number;
  }

  next() {
    if (!this.queue.length) return "";
    const make = this.queue.shift();
    if (this.send(make())) {
      this.isWaiting = true;
      return "";
    }
    this.drop();
    return "The server does not answer. Trying again…";
  }
}
