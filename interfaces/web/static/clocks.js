// The clocks of people, counted down between two words of the server.

/** Write seconds as hours and minutes, minutes and seconds, or seconds with a tenth. */
export function clockText(seconds) {
  const left = Math.max(0, seconds);
  if (left >= 3600) {
    const hours = Math.floor(left / 3600);
    return `${hours} h ${String(Math.floor((left % 3600) / 60)).padStart(2, "0")} min`;
  }
  if (left < 20) return `${left.toFixed(1)} s`;
  return `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}`;
}

export class Clocks {
  constructor() {
    this.nodes = [null, null];
    this.timer = setInterval(() => this.tick(), 200);
  }

  /** Learn what is left: the view of a game, and the nodes that show it. */
  follow(view, nodes) {
    this.view = view;
    this.nodes = nodes;
    this.since = performance.now();
    this.tick();
  }

  tick() {
    this.nodes.forEach((node, seat) => {
      const left = this.view?.clocks[seat];
      if (!node || left === null || left === undefined) return;
      const runs = this.view.ticking === seat && !this.view.over;
      const seconds = left - (runs ? (performance.now() - this.since) / 1000 : 0);
      node.textContent = clockText(seconds);
      node.classList.toggle("short", runs && seconds < 20);
    });
  }

  leave() {
    clearInterval(this.timer);
  }
}
