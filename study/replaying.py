"""Games replayed from their records: positions, turns, and the actions of each turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oddly.games.drop_level import END
from oddly.games.turns import Drops
from oddly.protocol.notation import parse_turn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oddly.games.drop_level import Action
    from oddly.games.game import Game, Position
    from oddly.games.turns import Turn
    from oddly.referee.justice.record import GameRecord


@dataclass(frozen=True, slots=True)
class ReplayedGame:
    """One game: the position before each turn, the turns, and the last position."""

    positions: tuple[Position, ...]
    turns: tuple[Turn, ...]
    last: Position

    @property
    def game(self) -> Game:
        """The game that was played."""
        return self.last.game

    def actions(self) -> list[list[Action]]:
        """Return the actions of each turn."""
        return [
            actions_of(position, turn)
            for position, turn in zip(self.positions, self.turns, strict=True)
        ]


def replayed(records: Iterable[GameRecord]) -> list[ReplayedGame]:
    """Return the games of records that the referee has judged."""
    return [_replayed(record) for record in records]


def _replayed(record: GameRecord) -> ReplayedGame:
    position, positions, turns = record.game.start(), [], []
    for played in record.turns:
        turn = parse_turn(played.turn)
        positions.append(position)
        turns.append(turn)
        position = position.play(turn)
    return ReplayedGame(tuple(positions), tuple(turns), position)


def actions_of(position: Position, turn: Turn) -> list[Action]:
    """Return the actions of a turn: its drops and its end if it could go on, or the turn itself."""
    if not isinstance(turn, Drops):
        return [turn]
    ends = len(turn.drops) < position.most_drops
    return [*turn.drops, *([END] if ends else [])]
