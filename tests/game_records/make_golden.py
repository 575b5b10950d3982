"""SGF files to compare to the letter.

`python -m tests.game_records.make_golden` writes them again, after a change that is
meant to show there.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from oddly.game_records.kept_game import KeptGame
from oddly.game_records.sgf_writing import sgf_game
from oddly.games.catalogue import create_game
from oddly.referee.justice.outcome import Termination
from oddly.referee.justice.record import GameRecord
from tests.game_records.random_games import outcome_of, turns_in

GOLDEN = Path(__file__).parent / "golden"

GOLDEN_GAMES: dict[str, tuple[str, int, dict[str, Any], str]] = {
    "yodd": ("yodd", 3, {}, "Bc3 Wb2,Wd4 pass pass"),
    "xodd": ("xodd", 4, {}, "Wa1 Bc3,Bd1 pass"),
    "odd": ("odd", 2, {"min_group": 2}, "Bb2 Wa2 Wa3 Wb1 Bb3 Bc1 Bc2"),
    "odd-square": ("odd", 3, {"board": "square", "min_group": 2}, "Bb2 Wa2"),
    "ayu-pie": ("ayu", 5, {"pie": True}, "b1-b2 swap a2-a3"),
}
"""File name -> game, size, settings and turns."""


def golden_game(name: str) -> KeptGame:
    """A game with a bit of everything."""
    game_name, size, settings, turns = GOLDEN_GAMES[name]
    game = create_game(game_name, size, settings)
    played = turns_in(game, turns)
    outcome = replace(outcome_of(game, played, Termination.RESIGNATION, "green [C]\\"), lag=0.001)
    players, engines = ("gr\u00fcn", "red [C]\\ \x1b"), ("a 1", "b 2")
    record = GameRecord(game, players, engines, 7, tuple(played), outcome, opening=1)
    return KeptGame(record, {"id": "1f", "round": 2, "event": "spring"})


def golden_text(name: str) -> str:
    """Its SGF, whatever version of oddly wrote it."""
    return re.sub(r"AP\[oddly:[^]]*\]", "AP[oddly:VERSION]", sgf_game(golden_game(name)))


def main() -> None:
    """Write the files."""
    for name in GOLDEN_GAMES:
        (GOLDEN / f"{name}.sgf").write_text(golden_text(name), encoding="utf-8")


if __name__ == "__main__":
    main()
