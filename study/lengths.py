"""The length of games, in turns and in actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oddly.study.document import Column, StudyTable
from oddly.study.estimates import mean
from oddly.study.game_words import action_words, has_pairs
from oddly.study.replaying import replayed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.games.game import Game
    from oddly.referee.justice.record import GameRecord
    from oddly.study.random_games import RandomGame


@dataclass(frozen=True, slots=True)
class GameLength:
    """The length of one game; actions are its drops, ends of turns, passes and moves."""

    turns: int
    actions: int


def lengths_of(records: Sequence[GameRecord]) -> list[GameLength]:
    """Return the length of each game."""
    return [
        GameLength(len(game.turns), sum(map(len, game.actions()))) for game in replayed(records)
    ]


def length_table(
    game: Game, random: Sequence[RandomGame], equal: Mapping[str, Sequence[GameLength]]
) -> StudyTable:
    """Return the mean lengths of random games, and of games between equals by their name."""
    measured = {
        "random actions": [GameLength(each.turns, len(each.choices)) for each in random],
        **equal,
    }
    rows = [
        (
            name,
            len(lengths),
            mean([float(each.turns) for each in lengths]),
            mean([float(each.actions) for each in lengths]),
        )
        for name, lengths in measured.items()
    ]
    columns = (Column("both players"), Column("games"), Column("turns"), Column("actions"))
    note = f"An action is {action_words(game)}. "
    if has_pairs(game):
        note += (
            "'random actions' draws among actions, the engine 'random' among whole turns, of which "
            "hardly any is a pass."
        )
    else:
        note += (
            "Every turn is one action, so 'random actions' and the engine 'random' play alike: the "
            "kernel makes the games of the one, the referee those of the other."
        )
    return StudyTable("length", "Game length", columns, rows, note)
