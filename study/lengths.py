"""The length of games, in turns and in actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from study.document import Column, StudyTable
from study.estimates import mean
from study.replaying import replayed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.record import GameRecord
    from study.random_games import RandomGame
    from study.replaying import ReplayedGame


def actions_in(game: ReplayedGame) -> int:
    """Return the number of actions of a game: its drops, ends of turns, passes and moves."""
    return sum(map(len, game.actions()))


def length_table(
    random: Sequence[RandomGame], equal: Mapping[str, Sequence[GameRecord]]
) -> StudyTable:
    """Return the mean lengths of random games, and of games between equals by their name."""
    rows = [
        (
            "random actions",
            len(random),
            mean([float(game.turns) for game in random]),
            mean([float(len(game.choices)) for game in random]),
        )
    ]
    for name, records in equal.items():
        games = replayed(records)
        rows.append(
            (
                name,
                len(games),
                mean([float(len(game.turns)) for game in games]),
                mean([float(actions_in(game)) for game in games]),
            )
        )
    columns = (Column("both players"), Column("games"), Column("turns"), Column("actions"))
    note = (
        "An action is a drop, the end of a turn that could go on, a pass or a move. 'random "
        "actions' draws among actions, the engine 'random' among whole turns, of which hardly any "
        "is a pass."
    )
    return StudyTable("length", "Game length", columns, rows, note)
