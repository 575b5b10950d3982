// The board after each turn. This knows how turns are written, and no rules.

const OTHER = { black: "white", white: "black" };

/** Return the positions of a game: `start` has a character for each of `vertices`. */
export function framesOf(vertices, start, turns) {
  const index = new Map(vertices.map((vertex, number) => [vertex, number]));
  const stones = [...start];
  let [toMove, first] = ["black", "black"];
  const frames = [{ turn: "", stones: start, placed: [], left: [], to_move: toMove, first }];
  for (const turn of turns) {
    const [placed, left] = [[], []];
    if (turn === "swap") first = OTHER[first];
    else toMove = OTHER[toMove];
    if (turn.includes("-")) {
      const [origin, destination] = turn.split("-");
      stones[index.get(destination)] = stones[index.get(origin)];
      stones[index.get(origin)] = ".";
      placed.push(destination);
      left.push(origin);
    } else if (turn !== "pass" && turn !== "swap") {
      for (const drop of turn.split(",")) {
        stones[index.get(drop.slice(1))] = drop[0] === "B" ? "X" : "O";
        placed.push(drop.slice(1));
      }
    }
    frames.push({ turn, stones: stones.join(""), placed, left, to_move: toMove, first });
  }
  return frames;
}
