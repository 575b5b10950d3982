// The game that an address leads to: one of this server, or one that stands in the address itself.

import { addressNow } from "./address.js";
import { readAddress } from "./analysis-address.js";
import { ask } from "./link.js";

/** An address that leads to no game that can be analysed; `title` says so in a few words. */
export class UnknownGame extends Error {
  constructor(title, sentence, game = "") {
    super(sentence);
    Object.assign(this, { title, game });
  }
}

/** Return the start of a game with its usual settings. */
export function openingOf(facts, name) {
  const game = facts.games.find((each) => each.name === name) || facts.games[0];
  const settings = Object.fromEntries(Object.entries(game.settings).map(([key, { value }]) => [key, value]));
  return { game: { name: game.name, size: game.size, settings }, turns: [] };
}

/**
 * Return the game of an address, given its parts behind `#analyse/`, with the turn that it names and what was found.
 * `kept` is the last analysis of this browser, whose variations are shown if it is of the same game. Throws UnknownGame.
 */
export async function gameOf(parts, kept) {
  const read = readAddress(parts);
  if (!read) throw new UnknownGame("No such analysis", "This address names no game. It may be incomplete: ask for it again.");
  const { turn } = addressNow();
  const shared = { rates: read.rates, better: read.better, at: turn };
  const { game, players, score, turns } = read;
  const found = read.id ? await fromServer(read.id) : { game, players, score, turns };
  const what = ({ id, game: { name, size, settings }, turns: all }) => JSON.stringify([id, name, size, settings, all]);
  const tree = kept && what(kept) === what(found) ? kept.tree : undefined;
  return { ...found, tree, at: turn ?? 0, shared };
}

/** Return a game of this server. */
async function fromServer(id) {
  try {
    return await ask(`/api/games/${encodeURIComponent(id)}/record`);
  } catch (error) {
    if (error.status === 409) throw new UnknownGame("Not yet", error.message, id);
    throw new UnknownGame(error.status === 404 ? "No such game" : "The game does not open", error.message);
  }
}
