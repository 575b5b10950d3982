// The page to play on. The server knows the rules; this script draws its answers and sends clicks.

import { Actions, Counting, isTyped } from "./actions.js";
import { addressNow, addressOf, linkTo } from "./address.js";
import { analysisAddress } from "./analysis-address.js";
import { ask, geometry, here, Link } from "./link.js";
import { Board } from "./board.js";
import { Clocks } from "./clocks.js";
import { element, plural, renew } from "./dom.js";
import { ExpectedLine, turnStart } from "./expected.js";
import { briefly, help, isOfferedDraw, playerLine, sentence, trouble, who } from "./game-words.js";
import { recall, remember } from "./memory.js";
import { Past } from "./past.js";
import { showGone, whatFollows } from "./ending.js";
import { areApart, openForm, startFirst } from "./setup.js";
import { nameCard, rememberGame, rememberPlayed, shareCard, showInvitation } from "./share.js";
import { showAddress } from "./shown-address.js";
import { setSound, soundIsOn, tone } from "./sound.js";
import { ghosts, Thinking, thoughtTable, winsInGames } from "./thoughts.js";
import { Wishes } from "./wishes.js";
import { pinch, zoomButtons } from "./zoom.js";

/** Milliseconds after which a turn of an engine is explained: more than any turn is given. */
const PATIENCE = 13_000;
const SLOW = "This takes longer than usual. The game goes on by itself.";
/** Seconds for a hint: no less than any opponent has for a turn. */
const HINT = 10;
/** What changes the board. */
const CHANGES = new Set(["click", "end", "pass", "swap", "undo"]);

export function openPlay(page, facts, name, wanted) {
  if (name === "first") return startFirst(page, facts, wanted);
  if (!name || name === "new") return openForm(page, facts, wanted);
  return new GameView(page, facts, name);
}

class GameView {
  constructor(page, facts, name) {
    this.facts = facts;
    this.page = page;
    this.name = name;
    this.view = null;
    this.isDown = false;
    this.wantsRematch = false;
    this.isOffered = false;
    this.isExchanged = false;
    this.isLeft = false;
    this.board = null;
    this.thought = null;
    this.thinking = null;
    this.waiting = null;
    this.notes = element("p", { class: "note", role: "status" });
    this.counts = element("p", { class: "counts", id: "counts", role: "status", "aria-live": "polite" });
    this.brief = element("p", { class: "brief", id: "state", role: "status" });
    this.fault = element("div", { class: "fault" });
    this.players = element("div", { class: "players" });
    this.place = element("div", { class: "board-place" });
    this.turns = element("ol", { class: "turns", "aria-label": "Turns" });
    this.hint = element("div", {});
    this.share = element("div", {});
    this.naming = element("div", {});
    this.help = element("details", {});
    this.after = element("div", { class: "after" });
    this.clocks = new Clocks();
    this.past = new Past((frame) => this.lookBack(frame), (at, isLeap) => this.tell(at, isLeap));
    this.wishes = new Wishes((message) => this.link.send(message));
    this.actions = new Actions((action) => this.act(action),
      { more: [["hint", "Hint"], ["draw", "Offer a draw"], ["resign", "Resign"]], chosen: () => this.view && this.draw(this.view) });
    this.buttons = this.actions.buttons;
    this.title = element("h1", {}, "…");
    this.save = element("a", { href: here(`/api/games/${encodeURIComponent(name)}/sgf`), download: true }, "Save as SGF");
    this.analyse = element("span", {});
    const sound = element("button", { type: "button", class: "quiet", "aria-pressed": String(soundIsOn()), onclick: () => {
      setSound(!soundIsOn());
      sound.setAttribute("aria-pressed", String(soundIsOn()));
      sound.textContent = soundIsOn() ? "Sound is on" : "Sound is off";
    } }, soundIsOn() ? "Sound is on" : "Sound is off");
    // Nothing can be clicked before the server has shown that there is such a game.
    this.opening = element("p", { class: "note", role: "status" }, "Opening the game…");
    page.append(this.opening);
    this.invitation = element("div", { class: "invitation" });
    const redraw = () => this.past.at === null ? this.view && this.draw(this.view) : this.past.go(this.past.at);
    this.line = new ExpectedLine({ title: "Expected:", board: () => this.board, restore: redraw });
    this.counting = new Counting(redraw);
    this.node = element("div", { class: "beside-board playing" },
      element("div", {}, this.place, element("div", { class: "tools" },
        this.past.node, this.counting.button, zoomButtons(this.place, () => this.board))),
      element("section", { class: "panel", "aria-label": "Game" },
        this.title, this.players, this.brief, this.counts, this.invitation, this.actions.node, this.actions.more, this.after, this.notes, this.fault, this.line.node, this.hint,
        element("details", { open: window.innerWidth > 700 }, element("summary", {}, "Turns"), this.turns),
        this.share, this.naming, this.help,
        element("p", { class: "links" }, this.analyse, this.save,
          facts.may_open ? element("a", { href: "#play" }, "New game") : null, sound)));
    this.link = new Link(`/ws/play/${encodeURIComponent(name)}`, {
      received: (message) => this.received(message),
      state: (up, reason) => this.heardOfServer(up, reason),
      gone: (code, reason) => this.gone(code, reason),
    });
    this.key = (event) => {
      if (isTyped(event)) return;
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (by && this.view && !event.target.closest(".board")) this.past.step(by);
      this.counting.press(event);
      this.line.press(event);
      this.actions.press(event);
    };
    document.addEventListener("keydown", this.key);
    this.leave = () => {
      this.isLeft = true;
      this.line.close();
      document.removeEventListener("keydown", this.key);
      this.thinking?.stop();
      this.clocks.leave();
      clearTimeout(this.waiting);
      this.link.close();
    };
  }

  say(text) {
    this.notes.textContent = text;
    if (!this.node.isConnected) this.opening.textContent = text || "Opening the game…";
  }

  /** Put the turn that is looked at into the address; none is the present. */
  tell(at, isLeap) {
    const id = this.view.id;
    showAddress(addressOf({ hash: `#play/${encodeURIComponent(id)}`, game: id, turn: at }), isLeap);
  }

  /** Go to where an address leads, if it is in this game. */
  follow({ room, parts, turn }) {
    if (room !== "play" || parts[0] !== this.name || !this.view) return false;
    this.past.go(turn);
    return true;
  }

  /** Say why there is no connection, as far as the server tells. */
  async heardOfServer(up, reason) {
    this.isDown = !up;
    if (!up) this.wishes.drop();
    if (up || reason) {
      this.say(up ? "" : `${reason} Trying again…`);
      return;
    }
    this.say("The server does not answer. Trying again…");
    try {
      await ask("/api/facts");
    } catch (error) {
      if (error.status && this.isDown) this.say(`${error.message} Trying again…`);
    }
  }

  /** Have the cookie of a seat for the key in the address, which then names the game alone. */
  async exchange(view) {
    if (this.isExchanged) return;
    this.isExchanged = true;
    try {
      await ask("/api/seats/exchange", { key: this.name });
    } catch (error) {
      this.isExchanged = false;
      this.say(error.message);
      return;
    }
    rememberGame(view.id, this.name);
    const last = recall("last-game");
    if (last?.id === this.name) remember("last-game", { ...last, id: view.id });
    if (!this.isLeft) location.replace(`#play/${view.id}`);
  }

  act(action, vertex) {
    if (!this.view) return;
    if (action === "hint") return this.wantHint();
    // On a position of the past these would change a board that is not shown.
    const isUnseen = CHANGES.has(action) && this.board.svg.classList.contains("past");
    if (this.past.at !== null) this.past.leap(null);
    if (isUnseen) return;
    this.line.leave();
    if (action === "resign" && !window.confirm("Resign this game?")) return;
    if (action === "draw" && this.view.yours.length === 2 && !window.confirm("End this game as a draw?")) return;
    const { colour } = this.actions;
    const number = this.view.turns.length;
    this.ask(() => {
      const turn = this.view.turns.length;
      // A click that waited for the end of a turn belongs to the next one.
      const chosen = turn === number ? colour : this.actions.colour;
      return { do: action, vertex, colour: action === "click" ? chosen : undefined, turn };
    });
  }

  /** Send what the player wants, after all that was wanted before; a refusal comes back as a sentence. */
  ask(make) {
    this.say("");
    this.say(this.wishes.ask(make));
    if (this.wishes.isWaiting) this.actions.pend();
  }

  get where() {
    const { name, size, settings } = this.view.game;
    return { game: name, size, settings };
  }

  /** Let the engine look at the position, and show what it finds as it finds it. */
  wantHint() {
    this.thinking?.stop();
    this.thought = null;
    const { turns } = this.view;
    this.thinking = new Thinking(this.where, turns, HINT, (said) => {
      if (said.kind === "problem") this.say(said.sentence);
      if (said.kind === "proof") this.say(said.sentence);
      if (said.kind === "thought" && said.turns.length) this.thought = said;
      this.draw(this.view);
    }, () => {
      this.thinking = null;
      this.draw(this.view);
    });
    this.draw(this.view);
  }

  forgetHint() {
    this.thinking?.stop();
    this.thinking = null;
    this.thought = null;
  }

  received(message) {
    if (message.kind === "refused") {
      this.wantsRematch = false;
      const dropped = this.wishes.answered(true);
      this.say(`${message.sentence}${dropped ? " What you clicked after it was not done." : ""}`);
      if (this.view) this.draw(this.view);
    }
    if (message.kind !== "game") return;
    if (message.id === this.name) {
      this.show(message);
      this.wishes.answered(false);
      if (this.wishes.isWaiting) this.actions.pend();
    } else this.exchange(message);
  }

  show(view) {
    const before = this.view;
    if (!before) rememberGame(view.id);
    if (view.rematch && this.wantsRematch) {
      location.assign(`#play/${view.rematch}`);
      return;
    }
    if (before && view.rematch && !before.rematch) {
      this.isOffered = true;
      tone(523);
    }
    if (before && before.turns.length !== view.turns.length) {
      this.forgetHint();
      if (view.may_move || view.over) tone(view.over ? 392 : 523);
    }
    if (before && isOfferedDraw(view) && !isOfferedDraw(before)) tone();
    this.view = view;
    if (view.over) this.forgetHint();
    if (before?.turns.length !== view.turns.length) this.actions.choose(view.to_move);
    const last = recall("last-game");
    if (last?.id === view.id) remember("last-game", { ...last, turns: view.turns });
    rememberPlayed(view);
    if (this.board) this.draw(view);
    else this.entered ??= this.enter(view.game);
  }

  /** Come onto the page as a whole, with the board at the turn that the address names: nothing moves afterwards. */
  async enter(game) {
    const shape = await geometry(game.shape, game.size).catch((error) => this.say(error.message));
    if (!shape) {
      this.entered = null;
      return;
    }
    this.board = new Board(shape, {
      clicked: (vertex) => this.act("click", vertex),
      label: `${game.title}. Arrow keys move, Enter clicks.`,
    });
    this.place.append(this.board.svg);
    this.board.fit(this.place);
    pinch(this.place, this.board);
    this.draw(this.view);
    await this.goTo(addressNow().turn);
    if (this.isLeft) return;
    this.opening.replaceWith(this.node);
    this.board.resize();
    // Only on the page can the list scroll to the last turn.
    this.draw(this.view);
  }

  /** Look at the turn that the address names. */
  async goTo(turn) {
    if (turn === null || turn === this.view.turns.length) return;
    if (turn < this.view.turns.length) await this.past.go(turn);
    else this.say(`The game has ${plural(this.view.turns.length, "turn")} and no turn ${turn}.`);
  }

  /** Draw a position of the past, or the present again. */
  lookBack(frame) {
    this.line.leave();
    this.board.svg.classList.toggle("past", Boolean(frame));
    if (frame) this.board.show({ ...frame, numbered: this.counting.isOn });
    else this.draw(this.view);
  }

  draw(view) {
    if (!this.board || this.isLeft) return;
    document.title = `${view.may_move && !view.thinking ? "Your turn: " : ""}${view.game.title} - oddly`;
    this.title.textContent = view.game.title;
    const mine = view.may_move && !view.thinking;
    this.past.follow(view);
    this.line.offer(view.over ? [] : this.thought?.turns[0]?.variation || [], turnStart(view, this.board.geometry));
    if (this.past.at === null && !this.line.isShown) {
      const idle = !view.tentative.length && !view.origin;
      this.board.svg.classList.remove("past");
      const { colour } = this.actions;
      this.board.show({ ...view, clicks: mine ? view.clicks[colour] : "", colour, numbered: this.counting.isOn,
        ghosts: idle ? ghosts(this.thought, view.to_move) : {} });
    }
    this.board.svg.classList.toggle("waiting", !mine);
    this.board.svg.classList.toggle("choosing", view.tentative.length > 0 || Boolean(view.origin));
    this.counts.textContent = sentence(view, mine);
    this.counts.classList.toggle("over", Boolean(view.over));
    this.brief.hidden = Boolean(view.over);
    const mover = who(view, mine);
    renew(this.brief, [mover, mine, view.black, view.white, view.total, view.owed, view.passed, view.draw_offer], () => briefly(view, mover, mine));
    renew(this.players, [view.players, view.open, view.yours, view.mover, view.to_move, view.thinking, view.black, view.white, view.over],
      () => [0, 1].map((seat) => playerLine(view, seat)));
    this.clocks.follow(view, [...this.players.querySelectorAll(".clock")]);
    this.drawButtons(view, mine);
    const invite = (seat) => this.ask(() => ({ do: "invite", seat }));
    showInvitation(this.invitation, view, invite);
    renew(this.share, [view.invitations, view.yours, view.open], () => shareCard(view, invite));
    renew(this.naming, [view.can.name, view.yours, view.yours.map((seat) => view.terms.names[seat])],
      () => view.can.name && view.yours.length === 1 ? nameCard(view, (text) => this.ask(() => ({ do: "name", name: text }))) : []);
    if (view.notice) this.say(view.notice);
    this.explainWaiting(view.thinking);
    renew(this.fault, view.fault, () => view.fault ? trouble(view, () => this.act("restart")) : []);
    renew(this.hint, [this.thought, Boolean(this.thinking), view.to_move], () => this.thought ? this.advice(view) : []);
    renew(this.after, [view.over, view.yours, view.rematch], () => whatFollows(view, {
      facts: this.facts,
      where: this.where,
      analyse: this.analyse.hidden ? null : linkTo(this.analysis(view)),
      isOffered: this.isOffered,
      again: (exchanged) => {
        this.wantsRematch = true;
        this.ask(() => ({ do: "rematch", exchanged }));
      },
    }));
    renew(this.help, view.has_drops, () => help(view));
    renew(this.analyse, [view.turns.length, this.past.at], () =>
      element("a", linkTo(this.analysis(view)), "Analyse"));
    renew(this.turns, view.turns, () => view.turns.map((turn, index) => element("li", {},
      element("button", { type: "button", class: "turn", title: "Look at the position after this turn",
        onclick: () => this.past.leap(index + 1) }, turn))));
    this.turns.scrollTop = this.turns.scrollHeight;
  }

  /** Nobody waits in silence: a turn that takes long is explained. */
  explainWaiting(isThinking) {
    if (isThinking && this.waiting === null) this.waiting = setTimeout(() => this.say(SLOW), PATIENCE);
    if (isThinking || this.waiting === null) return;
    clearTimeout(this.waiting);
    this.waiting = null;
    if (this.notes.textContent === SLOW) this.say("");
  }

  drawButtons(view, mine) {
    const plays = view.yours.length > 0;
    // An engine's eyes are for both of two people or for neither, so they wait until the end.
    const open = !areApart(view) || Boolean(view.over);
    const offered = isOfferedDraw(view);
    this.actions.show({
      shown: { end: view.has_drops && plays, pass: view.has_pass && plays, swap: view.can.swap && plays, undo: plays,
        hint: plays && open, draw: view.can.draw, resign: plays },
      can: { end: view.can.end && mine, pass: view.can.pass && mine, swap: view.can.swap && mine, undo: view.can.undo,
        hint: mine && !this.thinking, draw: view.can.draw && (view.draw_offer === null || offered), resign: view.can.resign },
      drops: view.has_drops && plays, over: view.over,
    });
    this.buttons.draw.textContent = offered ? "Accept the draw" : "Offer a draw";
    this.analyse.hidden = !open;
    this.buttons.hint.textContent = this.thinking ? "Thinking…" : "Hint";
  }

  /** Return the address of the position in view, to be analysed. */
  analysis(view) {
    return analysisAddress({ id: view.id, game: view.game, turn: this.past.at ?? view.turns.length, rates: [] });
  }

  advice(view) {
    const side = view.to_move[0].toUpperCase() + view.to_move.slice(1);
    return element("div", { class: "card hints" },
      element("p", {}, winsInGames(side, this.thought.win_rate, this.thought)), thoughtTable(this.thought));
  }

  gone(code, reason) {
    this.leave();
    showGone(this.page, this.facts, this.name, code, reason);
  }
}
