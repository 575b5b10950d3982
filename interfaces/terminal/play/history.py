"""The game so far: a table, who sits at it, how long turns took, and the record of it all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from game_records.kept_game import UNFINISHED, colour_at_the_end
from interfaces.human_play.table import Table
from protocol.notation import parse_turn
from referee.outcome import Outcome, Termination, score_without_count
from referee.record import GameRecord, PlayedTurn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from games.colour import Colour
    from games.game import Game, Position
    from games.turns import Turn


class Seat(NamedTuple):
    """A player's name, and whether it is a human."""

    name: str
    is_human: bool


class History:
    """A game in progress. Seat 0 opens as Black, seat 1 is the other; a swap changes colours."""

    def __init__(self, game: Game, seats: tuple[Seat, Seat], turns: Iterable[str] = ()) -> None:
        self.table = Table.of(game)
        self.seats = seats
        self.seconds: list[float] = []
        for turn in turns:
            self.play(parse_turn(turn))

    @property
    def position(self) -> Position:
        """Where the game stands."""
        return self.table.position

    @property
    def mover(self) -> Seat:
        """Who is to move."""
        return self.seats[self.table.mover]

    @property
    def is_over(self) -> bool:
        """Whether the rules or a resignation have ended the game."""
        return self.table.is_over

    @property
    def human_is_to_move(self) -> bool:
        """Whether the game waits for a human's turn."""
        return not self.is_over and self.mover.is_human

    @property
    def turns(self) -> tuple[PlayedTurn, ...]:
        """The turns with their colours and seconds."""
        played = zip(self.table.positions, self.table.turns, self.seconds, strict=False)
        return tuple(PlayedTurn(at.to_move, str(turn), seconds) for at, turn, seconds in played)

    def name_the_engine(self, name: str) -> None:
        """Call the engine what it calls itself."""
        first, second = (seat if seat.is_human else Seat(name, False) for seat in self.seats)
        self.seats = first, second

    def play(self, turn: Turn, seconds: float = 0.0) -> None:
        """Play a turn of whoever is to move. Raises IllegalTurn."""
        self.table = self.table.play(turn)
        self.seconds.append(seconds)

    def resign(self, seat: int) -> None:
        """Whoever sits there gives the game up."""
        self.table = replace(self.table, resigned=self.colour_of(seat))

    def take_back(self) -> tuple[PlayedTurn, ...]:
        """Take back turns to before the last one of a human; what was taken back.

        A resignation alone is taken back with no turn, and so is nothing if no human has played.
        """
        if self.table.resigned is not None:
            self.table = replace(self.table, resigned=None)
            return ()
        played = self.turns
        humans = [number for number in range(len(played)) if self.seats[number % 2].is_human]
        if not humans:
            return ()
        table = self.table
        self.table = Table(table.positions[: humans[-1] + 1], table.turns[: humans[-1]])
        del self.seconds[humans[-1] :]
        return played[humans[-1] :]

    def colour_of(self, seat: int) -> Colour:
        """The colour that a seat holds now."""
        return colour_at_the_end(self.turns, seat)

    def record(self, engines: tuple[str, str] = ("", ""), seed: int | None = None) -> GameRecord:
        """What is kept of the game; one that is not finished is void."""
        names = self.seats[0].name, self.seats[1].name
        return GameRecord(self.table.game, names, engines, seed, self.turns, self._outcome())

    def _outcome(self) -> Outcome:
        number = len(self.seconds)
        if not self.is_over:
            return Outcome(None, None, "void", Termination.VOID, UNFINISHED, number)
        colour = self.table.winner
        winner = None if colour is None else int(self.colour_of(1) is colour)
        result = self.position.result
        if self.table.resigned is not None and winner is not None and colour is not None:
            score = score_without_count(colour, Termination.RESIGNATION)
            reason = f"{self.seats[1 - winner].name}: resigned"
            return Outcome(winner, colour, score, Termination.RESIGNATION, reason, number)
        if result is None:
            raise RuntimeError("a game without a result is not over")
        termination = Termination[result.ending.name]
        return Outcome(winner, colour, str(result), termination, result.ending.value, number)
