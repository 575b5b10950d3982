"""Whole games written out turn by turn, to be read by people and compared to the letter.

Run `python -m tests.games.playthrough` at the top of the tree to record the games in
`tests/data/playthroughs/` again, after a change that is meant to show there. The games are random
but always the same.
"""

from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from oddly.games.catalogue import create_game
from oddly.games.diagram import draw_board
from oddly.games.game import Position
from tests.games.lockstep import turn_from_text

FOLDER = Path(__file__).parent.parent / "data" / "playthroughs"

GAMES: dict[str, tuple[str, int, dict[str, Any]]] = {
    "yodd": ("yodd", 3, {}),
    "xodd": ("xodd", 4, {}),
    "odd": ("odd", 3, {"min_group": 3}),
    "odd-square": ("odd", 4, {"board": "square", "min_group": 2}),
    "ayu": ("ayu", 5, {}),
    "ayu-pie": ("ayu", 5, {"pie": True}),
}
"""File name -> game, size and settings."""


def write_out(position: Position, turns: Iterable[str]) -> str:
    """The game that starts at `position` and goes on with these turns."""
    blocks = [f"game: {position.game}"]
    for number, turn in enumerate(turns, start=1):
        blocks.append(_describe(position))
        blocks.append(f"turn {number}: {position.to_move} plays {turn}")
        position = position.play(turn_from_text(turn))
    blocks.append(_describe(position))
    return "\n\n".join(blocks) + "\n"


def _describe(position: Position) -> str:
    black, white = position.group_counts
    return "\n".join(
        [
            *draw_board(position),
            f"to move: {position.to_move}",
            f"groups: {black} black, {white} white",
            f"legal turns: {sum(1 for _ in position.legal_turns())}",
            f"result: {position.result or 'none yet'}",
        ]
    )


def turns_in(text: str) -> list[str]:
    """The turns of a game that was written out."""
    lines = (line for line in text.splitlines() if line.startswith("turn "))
    return [line.split(" plays ")[1] for line in lines]


def random_game(position: Position, random: Random) -> list[str]:
    """Turns of a whole game: a swap where there is one, else any legal turn alike."""
    turns = []
    while not position.is_over:
        legal = sorted(map(str, position.legal_turns()))
        turns.append("swap" if "swap" in legal else random.choice(legal))
        position = position.play(turn_from_text(turns[-1]))
    return turns


def write(folder: Path) -> None:
    """Record every game."""
    for file, (name, size, settings) in GAMES.items():
        start = create_game(name, size, settings).start()
        text = write_out(start, random_game(start, Random(file)))
        (folder / f"{file}.txt").write_text(text)


if __name__ == "__main__":
    write(FOLDER)
