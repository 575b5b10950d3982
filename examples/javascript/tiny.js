#!/usr/bin/env node
// A first engine: Odd on hexhex boards, random turns. Node, no packages.
'use strict';

/** What stands after the `?` of a reply. */
class Failure extends Error {}

const VERTEX = '[a-z][1-9][0-9]?';
// A turn of any of the games. Those of the others are illegal, not malformed.
const TURN = new RegExp(
  `^(pass|swap|${VERTEX}-${VERTEX}|[bw]${VERTEX}(,[bw]${VERTEX})*)$`, 'i');

let size = 5;
let stones = new Map(); // 'c3' -> 'B'

/** The empty cells of the hexhex board. */
function empty() {
  const cells = [];
  for (let q = 1 - size; q < size; q++) {
    for (let r = 1 - size; r < size; r++) {
      if (Math.abs(q + r) < size) cells.push(String.fromCharCode(96 + q + size) + (r + size));
    }
  }
  return cells.filter((cell) => !stones.has(cell));
}

/** Fails unless it is that player's turn: every turn is one drop, so their number says whose. */
function mustBeToMove(colour, prefix = '') {
  if (!/^(b|black|w|white)$/i.test(colour)) throw new Failure(`syntax error: no colour: ${colour}`);
  if (colour[0].toLowerCase() !== 'bw'[stones.size % 2]) {
    throw new Failure(`${prefix}it is the other player's turn`);
  }
}

const COMMANDS = {
  name: () => 'tiny-javascript',
  version: () => '1',
  list_commands: () => Object.keys(COMMANDS).join('\n'),
  quit: () => '',
  clear_board() {
    stones = new Map();
    return '';
  },
  boardsize(text) {
    if (!/^[0-9]+$/.test(text)) throw new Failure('syntax error: a size is a whole number');
    if (Number(text) < 2 || Number(text) > 13) throw new Failure('unacceptable size');
    size = Number(text);
    return COMMANDS.clear_board();
  },
  play(colour, turn) {
    if (!TURN.test(turn)) throw new Failure(`syntax error: no turn: ${turn}`);
    mustBeToMove(colour, 'illegal move: ');
    const cell = turn.slice(1).toLowerCase();
    if (!empty().includes(cell)) throw new Failure('illegal move: expected a drop on an empty cell');
    stones.set(cell, turn[0].toUpperCase());
    return '';
  },
  genmove(colour) {
    const cells = empty();
    if (cells.length === 0) throw new Failure('the game is over');
    mustBeToMove(colour);
    const stone = 'BW'[Math.floor(Math.random() * 2)];
    const cell = cells[Math.floor(Math.random() * cells.length)];
    stones.set(cell, stone);
    return stone + cell;
  },
};

function answer([name, ...words]) {
  if (!Object.hasOwn(COMMANDS, name ?? '')) throw new Failure('unknown command');
  if (words.length !== COMMANDS[name].length) {
    throw new Failure('syntax error: a wrong number of arguments');
  }
  return COMMANDS[name](...words);
}

let unfinished = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (unfinished + chunk).split('\n');
  unfinished = lines.pop();
  for (const line of lines) {
    // eslint-disable-next-line no-control-regex
    const clean = line.replace(/#.*/s, '').replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '');
    const words = clean.split(/[ \t]+/).filter((word) => word !== '');
    if (words.length === 0) continue;
    const id = /^[0-9]{1,10}$/.test(words[0]) && words[0] < 2 ** 31 ? words.shift() : '';
    try {
      const text = answer(words);
      process.stdout.write(`=${id}${text && ` ${text}`}\n\n`);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      process.stdout.write(`?${id} ${error.message}\n\n`);
    }
    if (words.join(' ') === 'quit') {
      process.stdin.destroy();
      return;
    }
  }
});
