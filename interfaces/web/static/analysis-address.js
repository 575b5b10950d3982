// The address of an analysis: the game, the turn, the win rates that were found, and what was better than a mistake.
// All of it stands in the address, so that another browser shows the same, and the server keeps nothing.

import { addressOf } from "./address.js";

const NONE = "-";
const UNKNOWN = "zz";
const NUMBER = /^\d{1,3}$/;
const LONGEST = 40;

/** Write a text so that it holds none of the characters that separate. */
function quoted(text) {
  return encodeURIComponent(String(text)).replaceAll("~", "%7E").replaceAll(".", "%2E");
}

function read(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

/** Write turns: `Bc3.Wa3-Be3.pass`, with no character that an address must quote. */
export function writeTurns(turns) {
  return turns.map((turn) => turn.replaceAll(",", "-")).join(".") || NONE;
}

export function readTurns(text) {
  if (!text || text === NONE) return [];
  return text.split(".").map((turn) => /^[BW]/.test(turn) ? turn.replaceAll("-", ",") : turn);
}

/** Write Black's win rates, 0 to 1 or null where it is unknown: two characters each, to a thousandth. */
export function writeRates(rates) {
  if (rates.every((rate) => rate === null)) return NONE;
  return rates.map((rate) => rate === null ? UNKNOWN : Math.round(1000 * rate).toString(36).padStart(2, "0")).join("");
}

export function readRates(text) {
  const found = (!text || text === NONE ? [] : text.match(/../g) || []).map((each) => parseInt(each, 36) / 1000);
  return found.map((rate) => rate >= 0 && rate <= 1 ? rate : null);
}

function writeSettings(settings) {
  return Object.entries(settings).map((each) => each.map(quoted).join(".")).join("~") || NONE;
}

function readSettings(text) {
  if (!text || text === NONE) return {};
  return Object.fromEntries(text.split("~").map((each) => each.split(".").map(read)).filter(({ length }) => length === 2));
}

function writePlayers({ players, score }) {
  // Lists of turns name nobody.
  if (!players || players.join() === "Black,White") return NONE;
  // A text is cut between two characters, of which some are two units long.
  return [...players, score || ""].map((text) => quoted([...text].slice(0, LONGEST).join(""))).join("~");
}

function readPlayers(text) {
  if (!text || text === NONE) return {};
  const [one, other = "", score = ""] = text.split("~").map(read);
  return { players: [one, other], ...(score ? { score } : {}) };
}

/**
 * Return the address of a turn in an analysis. `id` is the game's on this server, if it has one; `turns` are those of
 * the line, if that is not the game as it was played.
 */
export function analysisAddress({ id = "", game, players, score, turns = null, turn, rates, better = [] }) {
  const found = [writeRates(rates), writeTurns(better)];
  while (found.at(-1) === NONE) found.pop();
  const parts = id && !turns ? [encodeURIComponent(id)]
    : ["line", game.name, game.size, writeSettings(game.settings), writePlayers({ players, score }), writeTurns(turns || [])];
  return addressOf({ hash: `#analyse/${[...parts, ...found].join("/")}`, game: id, turn });
}

/** Read the parts of an address behind `#analyse/`. Returns null for one that names no game. */
export function readAddress(parts) {
  const isLine = parts[0] === "line";
  const found = parts.slice(isLine ? 6 : 1);
  const shared = { rates: readRates(found[0]), better: readTurns(found[1]) };
  if (!isLine) return { id: parts[0], ...shared };
  const [, name, size, settings, players, turns] = parts;
  if (!name || !NUMBER.test(size)) return null;
  return { game: { name, size: Number(size), settings: readSettings(settings) }, ...readPlayers(players),
    turns: readTurns(turns), ...shared };
}
