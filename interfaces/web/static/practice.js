// A board on which any legal turn may be tried. The server judges each click and keeps nothing.

import { Actions, isTyped } from "./actions.js";
import { ask, geometry } from "./link.js";
import { Board } from "./board.js";
import { element } from "./dom.js";

export class PracticeBoard {
  /**
   * `where` names a lesson, a puzzle or a game with its settings; `changed` hears every answer. A
   * board that `waits` shows nothing before `go`.
   */
  constructor(where, { changed = () => {}, label = "Board", turns = [], waits = false } = {}) {
    this.where = where;
    this.changed = changed;
    this.label = label;
    this.state = { turns, drops: [], origin: null };
    this.answer = null;
    this.board = null;
    this.busy = Promise.resolve();
    this.counts = element("p", { class: "counts", role: "status" });
    this.note = element("p", { class: "note", role: "status" });
    this.place = element("div", { class: "board-place" });
    const actions = new Actions((action) => this.act(action), [], { disabled: true });
    this.buttons = actions.buttons;
    this.actions = actions.node;
    this.key = (event) => {
      if (!isTyped(event)) actions.press(event);
    };
    document.addEventListener("keydown", this.key);
    if (!waits) this.act("");
  }

  leave() {
    document.removeEventListener("keydown", this.key);
  }

  /** Do something on the board, after all that was asked before. */
  act(action, vertex) {
    const next = async () => {
      const undone = action === "undo" && !this.state.drops.length && !this.state.origin;
      const state = undone ? { turns: this.state.turns.slice(0, -1), drops: [], origin: null } : this.state;
      await this.load({ ...this.where, ...state, do: undone ? "" : action, ...(vertex ? { vertex } : {}) });
    };
    this.busy = this.busy.then(next);
    return this.busy;
  }

  /** Show the position after these turns, unless another is wanted before it is there. */
  go(turns) {
    this.wanted = turns;
    const isWanted = () => this.wanted === turns;
    this.busy = this.busy.then(() => isWanted() && this.load({ ...this.where, turns }, isWanted));
    return this.busy;
  }

  async load(request, isWanted = () => true) {
    let answer;
    try {
      answer = await ask("/api/practice", request);
      this.board ??= await this.draw(answer.game);
    } catch (error) {
      this.note.textContent = error.message;
      return;
    }
    if (!isWanted()) return;
    const turned = answer.state.turns.length !== this.state.turns.length;
    this.answer = answer;
    this.state = answer.state;
    this.show(answer);
    this.changed(answer, turned);
  }

  async draw(game) {
    const shape = await geometry(game.shape, game.size);
    const board = new Board(shape, {
      clicked: (vertex) => this.act("click", vertex),
      label: `${this.label}. Arrow keys move, Enter clicks.`,
    });
    this.place.append(board.svg);
    board.fit(this.place);
    return board;
  }

  show({ view, refused, lesson }) {
    const closed = lesson ? lesson.missed || lesson.solved : Boolean(view.over);
    this.board.show(view);
    this.board.svg.classList.toggle("waiting", closed);
    this.board.svg.classList.toggle("choosing", view.tentative.length > 0 || Boolean(view.origin));
    const side = view.to_move[0].toUpperCase() + view.to_move.slice(1);
    this.counts.textContent = view.over ? `${view.over} ${view.sentence}.`
      : closed ? `${view.sentence.split(":")[0]}.` : [`${side} to move.`, view.passed, `${view.sentence}.`].filter(Boolean).join(" ");
    this.note.textContent = refused;
    const begun = view.tentative.length > 0 || Boolean(view.origin);
    for (const [action, button] of Object.entries(this.buttons)) button.disabled = !view.can[action];
    this.buttons.undo.disabled = closed && Boolean(lesson) || !(begun || (!lesson && this.state.turns.length));
    this.buttons.end.hidden = !view.has_drops;
    this.buttons.pass.hidden = !view.has_pass;
    this.buttons.swap.hidden = !view.can.swap;
  }
}
