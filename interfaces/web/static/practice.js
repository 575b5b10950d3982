// A board on which any legal turn may be tried. The server judges each click and keeps nothing.

import { Actions, Counting, isTyped } from "./actions.js";
import { ask, geometry } from "./link.js";
import { Board } from "./board.js";
import { element } from "./dom.js";
import { pinch } from "./zoom.js";

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
    /** How many clicks wait for the answer to another, and how often something was refused. */
    this.waiting = 0;
    this.refusals = 0;
    this.isLeft = false;
    this.counts = element("p", { class: "counts", role: "status" });
    this.note = element("p", { class: "note", role: "status" });
    this.place = element("div", { class: "board-place" });
    this.bar = new Actions((action) => this.act(action), { chosen: () => this.redraw() });
    this.actions = this.bar.node;
    this.counting = new Counting(() => this.redraw());
    this.key = (event) => {
      if (isTyped(event)) return;
      this.counting.press(event);
      this.bar.press(event);
    };
    document.addEventListener("keydown", this.key);
    if (!waits) this.act("");
  }

  leave() {
    this.isLeft = true;
    document.removeEventListener("keydown", this.key);
  }

  /** Put a part of a page there once the board in it is drawn, or cannot be: it comes as a whole, and nothing moves. */
  async enter(page, part) {
    await this.busy;
    if (this.isLeft) return;
    page.replaceChildren(part);
    this.board?.resize();
  }

  /** Do something on the board, after all that was asked before, unless some of that is refused. */
  act(action, vertex) {
    const { bar, refusals } = this;
    const { colour } = bar;
    const number = this.state.turns.length;
    const next = async () => {
      if (refusals !== this.refusals) return;
      this.waiting -= 1;
      // A click that waited for the end of a turn belongs to the next one.
      const chosen = this.state.turns.length === number ? colour : bar.colour;
      const undone = action === "undo" && !this.state.drops.length && !this.state.origin;
      const state = undone ? { turns: this.state.turns.slice(0, -1), drops: [], origin: null } : this.state;
      await this.load({ ...this.where, ...state, do: undone ? "" : action, ...(vertex ? { vertex, colour: chosen } : {}) });
      if (this.waiting) bar.pend();
    };
    this.waiting += 1;
    bar.pend();
    this.busy = this.busy.then(next);
    return this.busy;
  }

  /** Show why something was refused, and drop what waits behind it. */
  refuse(sentence) {
    this.note.textContent = `${sentence}${this.waiting ? " What you clicked after it was not done." : ""}`;
    this.waiting = 0;
    this.refusals += 1;
  }

  /** Show the position after these turns, with the focus on the board if that was on what is gone. */
  async again(turns) {
    await this.go(turns);
    if (document.activeElement === document.body) this.board.svg.querySelector("[tabindex='0']").focus({ preventScroll: true });
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
      if (this.isLeft || !isWanted()) return;
      if (this.answer) this.show(this.answer);
      this.refuse(error.message);
      return;
    }
    if (this.isLeft || !isWanted()) return;
    const turned = answer.state.turns.length !== this.state.turns.length;
    const isNew = turned || !this.answer;
    this.answer = answer;
    this.state = answer.state;
    if (isNew) this.bar.choose(answer.view.to_move);
    this.show(answer);
    this.changed(answer, turned);
    if (answer.refused) this.refuse(answer.refused);
  }

  async draw(game) {
    const shape = await geometry(game.shape, game.size);
    const board = new Board(shape, {
      clicked: (vertex) => this.act("click", vertex),
      label: `${this.label}. Arrow keys move, Enter clicks.`,
    });
    this.place.append(board.svg);
    board.fit(this.place);
    pinch(this.place, board);
    return board;
  }

  /** Show what a click does, and the groups, now that another colour is chosen or they are counted. */
  redraw() {
    if (!this.answer || !this.board) return;
    this.board.show(this.drawn(this.answer.view));
    this.changed(this.answer, false);
  }

  /** Return what the board shows of a view: clicks are of the chosen colour. */
  drawn(view) {
    const { colour } = this.bar;
    return { ...view, clicks: view.clicks[colour], colour, numbered: this.counting.isOn };
  }

  show({ view, lesson }) {
    const closed = lesson ? lesson.missed || lesson.solved : Boolean(view.over);
    this.board.show(this.drawn(view));
    this.board.svg.classList.toggle("waiting", closed);
    this.board.svg.classList.toggle("choosing", view.tentative.length > 0 || Boolean(view.origin));
    const side = view.to_move[0].toUpperCase() + view.to_move.slice(1);
    this.counts.textContent = view.over ? `${view.over} ${view.sentence}.`
      : closed ? `${view.sentence.split(":")[0]}.` : [`${side} to move.`, view.passed, `${view.sentence}.`].filter(Boolean).join(" ");
    this.note.textContent = "";
    const begun = view.tentative.length > 0 || Boolean(view.origin);
    const undo = !(closed && lesson) && (begun || (!lesson && this.state.turns.length > 0));
    this.bar.show({
      shown: { end: view.has_drops, pass: view.has_pass, swap: view.can.swap, undo: true },
      can: { ...view.can, undo }, drops: view.has_drops, over: closed,
    });
  }
}
