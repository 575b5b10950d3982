#!/usr/bin/env node
// An engine for all four games, Yodd, Xodd, Odd and Ayu: Monte Carlo by successive halving.
//
// Node, no packages:  node full.js [PLAYOUTS]
//
// From the top: the board, turns, the rules, random turns, choosing a turn, the
// clock, the protocol.
'use strict';

const EMPTY = '.', BLACK = 'B', WHITE = 'W';
const COLOURS = [BLACK, WHITE];
const COLOUR_NAMES = { B: 'Black', W: 'White' };
const other = (colour) => (colour === BLACK ? WHITE : BLACK);

/** What stands after the `?` of a reply. */
class Failure extends Error {}

// --- The board -------------------------------------------------------------------------------------

/** Cells are numbers, lower rows first, so that their order is that of written drops. */
class Board {
  constructor(isHexhex, size) {
    const steps = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, -1], [-1, 1]].slice(0, isHexhex ? 6 : 4);
    const exists = (letter, number) => {
      const q = letter - size, r = number - size;
      if (isHexhex) return Math.max(Math.abs(q), Math.abs(r), Math.abs(q + r)) < size;
      return letter >= 1 && letter <= size && number >= 1 && number <= size;
    };
    this.points = [];
    for (let number = 1; number < 2 * size; number++) {
      for (let letter = 1; letter < 2 * size; letter++) {
        if (exists(letter, number)) this.points.push([letter, number]);
      }
    }
    const name = ([letter, number]) => String.fromCharCode(96 + letter) + number;
    this.names = this.points.map(name);
    this.cells = new Map(this.names.map((text, cell) => [text, cell]));
    this.neighbours = this.points.map(([letter, number]) =>
      steps
        .map(([x, y]) => this.cells.get(name([letter + x, number + y])))
        .filter((cell) => cell !== undefined));
  }

  /** The cells of the group that a stone belongs to, the stone first. */
  groupAt(stones, start) {
    const group = [start];
    const seen = new Set(group);
    for (const cell of group) {
      for (const near of this.neighbours[cell]) {
        if (stones[near] === stones[start] && !seen.has(near)) {
          seen.add(near);
          group.push(near);
        }
      }
    }
    return group;
  }

  /** The groups of both colours, and for each cell the number of its group. */
  groups(stones) {
    const groups = [];
    const labels = new Int16Array(stones.length).fill(-1);
    for (let start = 0; start < stones.length; start++) {
      if (stones[start] === EMPTY || labels[start] >= 0) continue;
      const group = [start];
      labels[start] = groups.length;
      for (let i = 0; i < group.length; i++) {
        for (const near of this.neighbours[group[i]]) {
          if (stones[near] === stones[start] && labels[near] < 0) {
            labels[near] = groups.length;
            group.push(near);
          }
        }
      }
      groups.push(group);
    }
    return { groups, labels };
  }

  /** Empty points between a unit of Ayu and the closest friendly one; Infinity without a path. */
  distance(stones, unit) {
    const colour = stones[unit[0]];
    const seen = new Set(unit);
    let frontier = unit;
    for (let emptyPoints = 0; frontier.length > 0; emptyPoints++) {
      const reached = [];
      for (const cell of frontier) {
        for (const near of this.neighbours[cell]) {
          if (seen.has(near)) continue;
          if (stones[near] === colour) return emptyPoints;
          if (stones[near] === EMPTY) {
            seen.add(near);
            reached.push(near);
          }
        }
      }
      frontier = reached;
    }
    return Infinity;
  }
}

// --- Turns -----------------------------------------------------------------------------------------

// A turn is one of { kind: 'pass' }, { kind: 'swap' }, { kind: 'move', origin, destination } and
// { kind: 'drops', drops: [{ cell, colour }, ...] }.
const PASS = { kind: 'pass' };
const SWAP = { kind: 'swap' };
const dropsTurn = (...drops) => ({ kind: 'drops', drops });

const VERTEX = '[a-z][1-9][0-9]?';
const MOVE = new RegExp(`^(${VERTEX})-(${VERTEX})$`);
const DROPS = new RegExp(`^[bw]${VERTEX}(,[bw]${VERTEX})*$`);

/** Reads a turn, legal or not. Throws a Failure if it is none, or off the board. */
function readTurn(text, board) {
  const lower = text.toLowerCase();
  const cellAt = (name) => {
    if (!board.cells.has(name)) throw new Failure(`illegal move: ${name} is off the board`);
    return board.cells.get(name);
  };
  if (lower === 'pass') return PASS;
  if (lower === 'swap') return SWAP;
  const move = MOVE.exec(lower);
  if (move) return { kind: 'move', origin: cellAt(move[1]), destination: cellAt(move[2]) };
  if (!DROPS.test(lower)) throw new Failure(`syntax error: malformed turn '${text}'`);
  const drops = lower.split(',').map((drop) => (
    { cell: cellAt(drop.slice(1)), colour: drop[0].toUpperCase() }));
  return dropsTurn(...drops);
}

function written(turn, { names }) {
  switch (turn.kind) {
    case 'move':
      return `${names[turn.origin]}-${names[turn.destination]}`;
    case 'drops':
      return [...turn.drops]
        .sort((a, b) => a.cell - b.cell)
        .map(({ cell, colour }) => colour + names[cell])
        .join(',');
    default:
      return turn.kind;
  }
}

// --- The rules -------------------------------------------------------------------------------------

const DEFAULTS = {
  yodd: { name: 'yodd', size: 8, isHexhex: true },
  xodd: { name: 'xodd', size: 12, isHexhex: false },
  odd: { name: 'odd', size: 5, isHexhex: true, minGroup: 5 },
  ayu: { name: 'ayu', size: 11, isHexhex: false, pie: false },
};

class Position {
  constructor(game, board, stones) {
    Object.assign(this, { game, board, stones, toMove: BLACK, turnsPlayed: 0, passes: 0 });
    this.isDraw = false;
  }

  static start(game) {
    const board = new Board(game.isHexhex, game.size);
    const stones = board.points.map(([letter, number]) => {
      if (game.name !== 'ayu' || (letter + number) % 2 === 0) return EMPTY;
      return number % 2 === 1 ? BLACK : WHITE;
    });
    return new Position(game, board, stones);
  }

  copy() {
    const copy = Object.assign(Object.create(Position.prototype), this);
    copy.stones = [...this.stones];
    return copy;
  }

  isSameAs(earlier) {
    return this.toMove === earlier.toMove
      && this.stones.every((stone, cell) => stone === earlier.stones[cell]);
  }

  /** Groups of each colour, of those that the game counts. */
  counts() {
    const least = this.game.minGroup ?? 1;
    const counts = { B: 0, W: 0 };
    for (const group of this.board.groups(this.stones).groups) {
      if (group.length >= least) counts[this.stones[group[0]]]++;
    }
    return counts;
  }

  isOver() {
    return this.legalTurns().next().done;
  }

  /** The winner of a game that is over; null for a draw. */
  winner() {
    if (this.game.name === 'ayu') return this.isDraw ? null : this.toMove;
    const { B, W } = this.counts();
    if (this.game.name === 'odd') return (B + W) % 2 === 1 ? BLACK : WHITE;
    return B < W ? BLACK : WHITE;
  }

  score() {
    const winner = this.winner();
    if (winner === null) return '0';
    const { B, W } = this.counts();
    return `${winner}+${'odd ayu'.includes(this.game.name) ? '' : Math.abs(B - W)}`;
  }

  /** Changes this position by a legal turn. Draws take the game's past to see. */
  apply(turn) {
    this.turnsPlayed++;
    if (turn.kind === 'swap') return this;
    this.passes = turn.kind === 'pass' ? this.passes + 1 : 0;
    for (const { cell, colour } of turn.drops ?? []) this.stones[cell] = colour;
    if (turn.kind === 'move') {
      this.stones[turn.origin] = EMPTY;
      this.stones[turn.destination] = this.toMove;
    }
    this.toMove = other(this.toMove);
    return this;
  }

  takesOneDrop() {
    return this.game.name === 'odd' || this.turnsPlayed === 0;
  }

  /** Why a turn is illegal; undefined if it is not. */
  problemWith(turn) {
    if (this.isOver()) return 'the game is over';
    if (this.game.name === 'ayu') {
      if (turn.kind === 'move') return this.problemWithMove(turn.origin, turn.destination);
      const maySwap = this.game.pie && this.turnsPlayed === 1;
      return turn.kind === 'swap' && maySwap ? undefined : 'a turn is a move';
    }
    const isPass = turn.kind === 'pass' && this.game.name !== 'odd';
    if (!isPass && turn.kind !== 'drops') return 'no such turn in this game';
    return this.problemWithDrops(turn.drops ?? []);
  }

  problemWithDrops(drops) {
    if (drops.length > 2 || (drops.length !== 1 && this.takesOneDrop())) {
      return 'a wrong number of drops';
    }
    if (drops.some(({ cell }) => this.stones[cell] !== EMPTY)) return 'an occupied cell';
    if (drops.length === 2 && drops[0].cell === drops[1].cell) return 'two drops on one cell';
    if (this.game.name === 'odd') return undefined;
    const { B, W } = this.copy().apply(dropsTurn(...drops)).counts();
    return (B + W) % 2 === 1 ? undefined : `that would leave ${B + W} groups, an even number`;
  }

  problemWithMove(origin, destination) {
    if (this.stones[origin] !== this.toMove) return 'no piece of yours to move';
    if (this.stones[destination] !== EMPTY) return 'an occupied destination';
    const { board } = this;
    const unit = board.groupAt(this.stones, origin);
    if (!unit.some((cell) => board.neighbours[cell].includes(destination))) {
      return 'not a point next to the unit';
    }
    const before = board.distance(this.stones, unit);
    if (before === Infinity) return 'no path to a friendly unit';
    const stones = [...this.stones];
    stones[origin] = EMPTY;
    stones[destination] = this.toMove;
    const moved = [destination, ...unit.slice(1)];
    const joined = new Set(board.groupAt(stones, destination));
    if (!moved.every((cell) => joined.has(cell))) return 'that would split the group';
    if (board.distance(stones, moved) >= before) return 'no closer to the closest friendly unit';
    return undefined;
  }

  /** Where a piece of Ayu may move to. */
  destinations(origin) {
    if (this.stones[origin] !== this.toMove) return [];
    const unit = this.board.groupAt(this.stones, origin);
    const near = new Set(unit.flatMap((cell) => this.board.neighbours[cell]));
    return [...near].filter((cell) => this.problemWithMove(origin, cell) === undefined);
  }

  /** All legal turns, each once. */
  * legalTurns() {
    if (this.game.name === 'ayu') {
      if (!this.isDraw) yield* this.legalMoves();
    } else if (this.passes < 2) {
      yield* this.legalDrops();
    }
  }

  * legalMoves() {
    if (this.game.pie && this.turnsPlayed === 1) yield SWAP;
    for (let origin = 0; origin < this.stones.length; origin++) {
      for (const destination of this.destinations(origin)) {
        yield { kind: 'move', origin, destination };
      }
    }
  }

  * legalDrops() {
    const isOdd = this.game.name === 'odd';
    const { groups, labels } = this.board.groups(this.stones);
    if (!isOdd && groups.length % 2 === 1) yield PASS;
    for (const [cell, stone] of this.stones.entries()) {
      if (stone !== EMPTY) continue;
      for (const colour of COLOURS) {
        const total = groups.length + this.change(labels, cell, colour);
        if (isOdd || total % 2 === 1) yield dropsTurn({ cell, colour });
        if (!this.takesOneDrop()) yield* this.secondDrops({ cell, colour }, total);
      }
    }
  }

  /** The turns that begin with a drop and go on with one on a later cell. */
  * secondDrops(first, total) {
    const next = this.copy().apply(dropsTurn(first));
    const { labels } = next.board.groups(next.stones);
    for (let cell = first.cell + 1; cell < next.stones.length; cell++) {
      if (next.stones[cell] !== EMPTY) continue;
      for (const colour of COLOURS) {
        if ((total + next.change(labels, cell, colour)) % 2 !== 0) {
          yield dropsTurn(first, { cell, colour });
        }
      }
    }
  }

  /** What a drop adds to the number of groups: one, less those that it joins. */
  change(labels, cell, colour) {
    const near = this.board.neighbours[cell].filter((each) => this.stones[each] === colour);
    return 1 - new Set(near.map((each) => labels[each])).size;
  }
}

// --- Random turns ----------------------------------------------------------------------------------

/** Numbers by lot that come again with the same seed (mulberry32), which Math.random cannot do. */
class Lot {
  constructor(seed) {
    this.state = Number(BigInt.asUintN(32, seed ^ (seed >> 32n)));
  }

  below(bound) {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  }

  of(array) {
    return array[this.below(array.length)];
  }
}

const TRIES = 20;

/** A legal turn by lot, a pass only if no drop was found; undefined if the game is over. */
function randomTurn(position, lot) {
  if (position.game.name === 'ayu') return randomMove(position, lot);
  const empty = [...position.stones.keys()].filter((cell) => position.stones[cell] === EMPTY);
  const randomDrop = () => ({ cell: lot.of(empty), colour: lot.of(COLOURS) });
  if (position.game.name === 'odd') return empty.length > 0 ? dropsTurn(randomDrop()) : undefined;
  if (position.passes === 2) return undefined;
  const { groups, labels } = position.board.groups(position.stones);
  for (let i = 0; i < TRIES && empty.length > 0; i++) {
    const first = randomDrop();
    const total = groups.length + position.change(labels, first.cell, first.colour);
    if (position.takesOneDrop() || (total % 2 === 1 && lot.below(2))) return dropsTurn(first);
    const next = position.copy().apply(dropsTurn(first));
    const after = next.board.groups(next.stones);
    for (let j = 0; j < TRIES; j++) {
      const second = randomDrop();
      const mended = total + next.change(after.labels, second.cell, second.colour);
      if (second.cell !== first.cell && mended % 2 !== 0) return dropsTurn(first, second);
    }
  }
  return PASS;
}

/** A move of the first piece that has one, from a random cell on. */
function randomMove(position, lot) {
  if (position.isDraw) return undefined;
  const cells = position.stones.length;
  const start = lot.below(cells);
  for (let i = 0; i < cells; i++) {
    const origin = (start + i) % cells;
    const destinations = position.destinations(origin);
    if (destinations.length > 0) return { kind: 'move', origin, destination: lot.of(destinations) };
  }
  return undefined;
}

// --- Choosing a turn -------------------------------------------------------------------------------

const MOST_CANDIDATES = 64;
const LONGEST_PLAYOUT = 1000;

/** Plays random turns to the end: 1 if the player wins, 0 if not, 0.5 if nobody does. */
function playout(start, player, lot) {
  const position = start.copy();
  for (let i = 0; i < LONGEST_PLAYOUT; i++) {
    const turn = randomTurn(position, lot);
    if (turn === undefined) {
      const winner = position.winner();
      return winner === null ? 0.5 : Number(winner === player);
    }
    position.apply(turn);
  }
  return 0.5;
}

/**
 * The best of some turns drawn by lot. In each round all that are left get playouts, and the worse
 * half leaves; each round may take the same share of the playouts and of the time.
 */
function choose(position, lot, playouts, seconds) {
  const began = performance.now();
  const drawn = new Map();
  const add = (turn) => drawn.set(written(turn, position.board), { turn, won: 0, tried: 0 });
  if (position.problemWith(PASS) === undefined) add(PASS);
  for (let i = 0; i < 2 * MOST_CANDIDATES && drawn.size < MOST_CANDIDATES; i++) {
    add(randomTurn(position, lot));
  }
  let left = [...drawn.values()].map((candidate) => (
    { ...candidate, after: position.copy().apply(candidate.turn) }));
  const rounds = Math.max(1, Math.ceil(Math.log2(left.length)));
  for (let round = 1; left.length > 1; round++) {
    const deadline = began + 1000 * seconds * (round / rounds);
    for (let i = 0; i < playouts / rounds && performance.now() < deadline; i++) {
      const candidate = left[i % left.length];
      candidate.won += playout(candidate.after, position.toMove, lot);
      candidate.tried++;
    }
    const rate = ({ won, tried }) => (won + 1) / (tried + 2);
    left = left.sort((a, b) => rate(b) - rate(a)).slice(0, Math.ceil(left.length / 2));
  }
  return left[0].turn;
}

// --- The clock -------------------------------------------------------------------------------------

const SECONDS = '[0-9]+(?:\\.[0-9]+)?';
const CONTROL = new RegExp(`^(?:none|(${SECONDS})(\\+(?:[0-9]+[/x])?${SECONDS})?)$`);

class Clock {
  constructor(control) {
    const match = CONTROL.exec(control);
    if (!match) throw new Failure(`syntax error: malformed time control '${control}'`);
    this.control = control;
    this.left = { B: Number(match[1]), W: Number(match[1]) };
    this.turns = { B: 0, W: 0 };
  }

  /** How long to think, with something left for the way there and back. */
  secondsForATurn(player) {
    if (this.control === 'none') return 60;
    if (!this.control.includes('+')) return 0.8 * this.left[player];
    const isBlock = this.control.includes('/') && this.turns[player] > 0;
    return (0.8 * this.left[player]) / (isBlock ? this.turns[player] : 30);
  }
}

// --- The protocol ----------------------------------------------------------------------------------

const DEFAULT_PLAYOUTS = Number(process.argv[2] ?? 1000);
const LARGEST_SEED = 2n ** 63n - 1n;

function playerOf(word) {
  if (!/^(b|black|w|white)$/i.test(word)) throw new Failure(`syntax error: '${word}' is no colour`);
  return word[0].toUpperCase();
}

function whole(word) {
  if (!/^[0-9]{1,15}$/.test(word)) throw new Failure(`syntax error: '${word}' is no whole number`);
  return Number(word);
}

class Engine {
  constructor() {
    this.lot = new Lot(0n);
    this.playouts = DEFAULT_PLAYOUTS;
    this.clock = new Clock('none');
    this.begin(DEFAULTS.yodd);
  }

  begin(game) {
    this.position = Position.start(game);
    this.past = [];
  }

  /** Plays a legal turn, and remembers the position before it. */
  advance(turn) {
    this.past.push(this.position);
    this.position = this.position.copy().apply(turn);
    this.position.isDraw = turn.kind === 'move'
      && this.past.some((earlier) => this.position.isSameAs(earlier));
  }

  itIsTheTurnOf() {
    return `it is ${COLOUR_NAMES[this.position.toMove]}'s turn`;
  }

  setGame(name, ...settings) {
    if (!Object.hasOwn(DEFAULTS, name)) throw new Failure(`unknown game '${name}'`);
    if (settings.length % 2) throw new Failure('syntax error: expected pairs of setting and value');
    const game = { ...DEFAULTS[name] };
    for (let i = 0; i < settings.length; i += 2) {
      const [setting, value] = [settings[i], settings[i + 1]];
      const setTo = `${name} ${setting} ${value}`;
      if (/^odd board (hexhex|square)$/.test(setTo)) game.isHexhex = value === 'hexhex';
      else if (/^odd min_group [1-9][0-9]*$/.test(setTo)) game.minGroup = Number(value);
      else if (/^ayu pie (true|false)$/.test(setTo)) game.pie = value === 'true';
      else throw new Failure(`${name} has no setting '${setting}' that can be '${value}'`);
    }
    this.begin(game);
  }

  boardsize(text) {
    const size = whole(text);
    const { game } = this.position;
    const largest = game.isHexhex ? 13 : 19;
    if (size < 2 || size > largest || (game.name === 'ayu' && size % 2 === 0)) {
      throw new Failure('unacceptable size');
    }
    this.begin({ ...game, size });
  }

  play(colour, text) {
    const player = playerOf(colour);
    const turn = readTurn(text, this.position.board);
    if (player !== this.position.toMove) {
      throw new Failure(`illegal move: ${this.itIsTheTurnOf()}`);
    }
    const problem = this.position.problemWith(turn);
    if (problem) throw new Failure(`illegal move: ${problem}`);
    this.advance(turn);
  }

  genmove(colour) {
    const player = playerOf(colour);
    if (this.position.isOver()) throw new Failure('the game is over');
    if (player !== this.position.toMove) throw new Failure(this.itIsTheTurnOf());
    const seconds = this.clock.secondsForATurn(player);
    const turn = choose(this.position, this.lot, this.playouts, seconds);
    this.advance(turn);
    return written(turn, this.position.board);
  }

  undo() {
    if (this.past.length === 0) throw new Failure('cannot undo');
    this.position = this.past.pop();
  }

  legalTurns(limit) {
    const most = limit === undefined ? Infinity : whole(limit);
    const turns = [];
    for (const turn of this.position.legalTurns()) {
      if (turns.length >= most) break;
      turns.push(written(turn, this.position.board));
    }
    return turns.join('\n');
  }

  finalScore() {
    if (!this.position.isOver()) throw new Failure('game is not over');
    return this.position.score();
  }

  setOption(name, value) {
    if (name === 'seed' && /^[0-9]+$/.test(value) && BigInt(value) <= LARGEST_SEED) {
      this.lot = new Lot(BigInt(value));
    } else if (name === 'playouts' && whole(value) >= 1 && whole(value) <= 1e9) {
      this.playouts = whole(value);
    } else {
      throw new Failure('no such option, or no such value');
    }
  }

  timeLeft(colour, seconds, turns = '0') {
    const player = playerOf(colour);
    if (!new RegExp(`^${SECONDS}$`).test(seconds)) {
      throw new Failure(`syntax error: '${seconds}' is not a number of seconds`);
    }
    this.clock.turns[player] = whole(turns);
    this.clock.left[player] = Number(seconds);
  }
}

// Each command: the fewest and the most arguments, and what answers it.
const COMMANDS = new Map(Object.entries({
  protocol_version: [0, 0, () => '2'],
  oddly_version: [0, 0, () => '1'],
  name: [0, 0, () => 'full-javascript'],
  version: [0, 0, () => '1'],
  known_command: [1, 1, (engine, name) => String(COMMANDS.has(name))],
  list_commands: [0, 0, () => [...COMMANDS.keys()].join('\n')],
  quit: [0, 0, () => ''],
  list_games: [0, 0, () => Object.keys(DEFAULTS).join('\n')],
  set_game: [1, Infinity, (engine, ...words) => engine.setGame(...words)],
  boardsize: [1, 1, (engine, size) => engine.boardsize(size)],
  clear_board: [0, 0, (engine) => engine.begin(engine.position.game)],
  play: [2, 2, (engine, colour, turn) => engine.play(colour, turn)],
  genmove: [1, 1, (engine, colour) => engine.genmove(colour)],
  undo: [0, 0, (engine) => engine.undo()],
  legal_turns: [0, 1, (engine, limit) => engine.legalTurns(limit)],
  group_counts: [0, 0, (engine) => Object.values(engine.position.counts()).join(' ')],
  final_score: [0, 0, (engine) => engine.finalScore()],
  list_options: [0, 0, () => `seed type integer default 0 min 0 max ${LARGEST_SEED}\n`
    + `playouts type integer default ${DEFAULT_PLAYOUTS} min 1 max 1000000000`],
  set_option: [2, 2, (engine, name, value) => engine.setOption(name, value)],
  time_control: [1, 1, (engine, control) => { engine.clock = new Clock(control); }],
  time_left: [2, 3, (engine, ...words) => engine.timeLeft(...words)],
}));

function answer(engine, [name, ...words]) {
  if (!COMMANDS.has(name)) throw new Failure('unknown command');
  const [fewest, most, handle] = COMMANDS.get(name);
  if (words.length < fewest || words.length > most) {
    throw new Failure('syntax error: a wrong number of arguments');
  }
  return handle(engine, ...words) ?? '';
}

function reply(mark, id, text) {
  process.stdout.write(`${mark}${id}${text ? ` ${text}` : ''}\n\n`);
}

/** The words of a line, without its comment and control characters. */
function wordsOf(line) {
  // eslint-disable-next-line no-control-regex
  const clean = line.replace(/#.*/s, '').replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '');
  return clean.split(/[ \t]+/).filter((word) => word !== '');
}

function serve() {
  const engine = new Engine();
  let unfinished = '';
  // Not readline: it ends lines at a carriage return too.
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    const lines = (unfinished + chunk).split('\n');
    unfinished = lines.pop();
    for (const words of lines.map(wordsOf)) {
      if (words.length === 0) continue;
      const id = /^[0-9]{1,10}$/.test(words[0]) && words[0] < 2 ** 31 ? words.shift() : '';
      try {
        reply('=', id, answer(engine, words));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        reply('?', id, error.message);
      }
      if (words.join(' ') === 'quit') {
        process.stdin.destroy();
        return;
      }
    }
  });
}

serve();
