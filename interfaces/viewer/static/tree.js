// A game with its variations: nodes after each turn, and what is known of each position.

export class GameTree {
  constructor(turns = []) {
    this.root = { turn: "", parent: null, children: [], depth: 0, frame: null, thought: null, proof: null };
    this.current = this.root;
    this.follow(turns);
    this.current = this.root;
  }

  /** Go to the node after these turns, and make it if it is new. */
  follow(turns) {
    let node = this.root;
    for (const turn of turns) node = node.children.find((child) => child.turn === turn) || this.grow(node, turn);
    this.current = node;
    return node;
  }

  grow(parent, turn) {
    const node = { turn, parent, children: [], depth: parent.depth + 1, frame: null, thought: null, proof: null };
    parent.children.push(node);
    return node;
  }

  /** Return the turns that lead to a node. */
  turns(node = this.current) {
    const turns = [];
    for (let at = node; at.parent; at = at.parent) turns.unshift(at.turn);
    return turns;
  }

  /** Return the nodes of the line through one, by default the current one, to its end. */
  line(through = this.current) {
    const nodes = [];
    for (let at = through; at; at = at.parent) nodes.unshift(at);
    for (let at = through.children[0]; at; at = at.children[0]) nodes.push(at);
    return nodes;
  }

  /** Take the current variation out of the tree and go to where it left the game. */
  prune() {
    let node = this.current;
    while (node.parent && node.parent.children[0] === node) node = node.parent;
    if (!node.parent) return false;
    node.parent.children = node.parent.children.filter((child) => child !== node);
    this.current = node.parent;
    return true;
  }

  /** Plain values for storage: each node as [turn, children]. */
  asJson(node = this.root) {
    return node.children.map((child) => [child.turn, this.asJson(child)]);
  }

  static of(json) {
    const tree = new GameTree();
    const add = (node, children) => {
      for (const [turn, below] of children) add(tree.grow(node, turn), below);
    };
    add(tree.root, json);
    return tree;
  }
}

/** Return how often Black wins from a node, 0 to 1, or null if it was not analysed. */
export function blackWins({ thought, proof, frame, shared = null }) {
  if (proof) return { black: 1, white: 0, draw: 0.5 }[proof.winner];
  // What somebody else found, until it is found here.
  if (typeof thought?.win_rate !== "number" || !frame) return shared;
  return frame.to_move === "black" ? thought.win_rate : 1 - thought.win_rate;
}

/** Return whether anybody has judged a node: here, or in the record of the game. */
export function isJudged(node) {
  return blackWins(node) !== null || (node.recorded ?? null) !== null;
}

/** Return Black's chances before and after a turn: as analysed, or else as the opponent saw them. */
function chances(node) {
  const analysed = [blackWins(node.parent), blackWins(node)];
  if (!analysed.includes(null)) return { rates: analysed, seen: "" };
  // Two engines may judge differently, so that both chances have to be of one: the opponent's,
  // after its turn before this one and after its reply.
  const recorded = [node.parent.recorded ?? null, node.children[0]?.recorded ?? null];
  return recorded.includes(null) ? null : { rates: recorded, seen: ", as the opponent saw it" };
}

const GRADES = [[0.3, "??", "a blunder"], [0.15, "?", "a mistake"], [0.07, "?!", "doubtful"]];

/** Return the mark of a turn that gave much away and what it means, or null. */
export function mistake(node) {
  if (!node.parent?.frame) return null;
  const found = chances(node);
  if (!found) return null;
  const [before, after] = found.rates;
  // Who swaps holds the other colour afterwards.
  const fall = before - (node.turn === "swap" ? 1 - after : after);
  const lost = node.parent.frame.to_move === "black" ? fall : -fall;
  const grade = GRADES.find(([least]) => lost >= least);
  return grade ? { mark: grade[1], words: `${grade[2]}: gave away ${Math.round(100 * lost)} %${found.seen}`, lost } : null;
}
