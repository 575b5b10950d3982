"""The game so far with its players and the seconds of each turn, and the record of it all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from game_records.kept_game import UNFINISHED, colour_at_the_end
from interfaces.human_play.game_in_progress import GameInProgress
from protocol.notation import parse_turn
from referee.outcome import Outcome, Termination, score_without_count
from referee.record import GameRecord, PlayedTurn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from games.colour import Colour
    from games.game import Game, Position
    from games.turns import Turn


class Participant(NamedTuple):
    """A player's name, and whether it is a human."""

    name: str
    is_human: bool


class Scoresheet:
    """A game with its players. Participant 0 opens as Black; a swap exchanges colours."""

    def __init__(
        self, game: Game, participants: tuple[Participant, Participant], turns: Iterable[str] = ()
    ) -> None:
        self.current = GameInProgress.of(game)
        self.participants = participants
        self.seconds: list[float] = []
        for turn in turns:
            self.play(parse_turn(turn))

    @property
    def position(self) -> Position:
        """Where the game stands."""
        return self.current.position

    @property
    def mover(self) -> Participant:
        """Who is to move."""
        return self.participants[self.current.mover]

    @property
    def is_over(self) -> bool:
        """Whether the rules or a resignation have ended the game."""
        return self.current.is_over

    @property
    def human_is_to_move(self) -> bool:
        """Whether the game waits for a human's turn."""
        return not self.is_over and self.mover.is_human

    @property
    def turns(self) -> tuple[PlayedTurn, ...]:
        """The turns with their colours and seconds."""
        played = zip(self.current.positions, self.current.turns, self.seconds, strict=False)
        return tuple(PlayedTurn(at.to_move, str(turn), seconds) for at, turn, seconds in played)

    def name_the_engine(self, name: str) -> None:
        """Call the engine what it calls itself."""
        first, second = (
            participant if participant.is_human else Participant(name, False)
            for participant in self.participants
        )
        self.participants = first, second

    def play(self, turn: Turn, seconds: float = 0.0) -> None:
        """Play a turn of whoever is to move. Raises IllegalTurn."""
        self.current = self.current.play(turn)
        self.seconds.append(seconds)

    def resign(self, participant: int) -> None:
        """Whoever sits there gives the game up."""
        self.current = replace(self.current, resigned=self.colour_of(participant))

    def take_back(self) -> tuple[PlayedTurn, ...]:
        """Take back turns to before the last one of a human; what was taken back.

        A resignation alone is taken back with no turn, and so is nothing if no human has played.
        """
        if self.current.resigned is not None:
            self.current = replace(self.current, resigned=None)
            return ()
        played = self.turns
        humans = [number for number in range(len(played)) if self.participants[number % 2].is_human]
        if not humans:
            return ()
        current = self.current
        self.current = GameInProgress(
            current.positions[: humans[-1] + 1], current.turns[: humans[-1]]
        )
        del self.seconds[humans[-1] :]
        return played[humans[-1] :]

    def colour_of(self, participant: int) -> Colour:
        """The colour that a participant holds now."""
        return colour_at_the_end(self.turns, participant)

    def record(self, engines: tuple[str, str] = ("", ""), seed: int | None = None) -> GameRecord:
        """What is kept of the game; one that is not finished is void."""
        names = self.participants[0].name, self.participants[1].name
        return GameRecord(self.current.game, names, engines, seed, self.turns, self._outcome())

    def _outcome(self) -> Outcome:
        number = len(self.seconds)
        if not self.is_over:
            return Outcome(None, None, "void", Termination.VOID, UNFINISHED, number)
        colour = self.current.winner
        winner = None if colour is None else int(self.colour_of(1) is colour)
        result = self.position.result
        if self.current.resigned is not None and winner is not None and colour is not None:
            score = score_without_count(colour, Termination.RESIGNATION)
            reason = f"{self.participants[1 - winner].name}: resigned"
            return Outcome(winner, colour, score, Termination.RESIGNATION, reason, number)
        if result is None:
            raise RuntimeError("a game without a result is not over")
        termination = Termination[result.ending.name]
        return Outcome(winner, colour, str(result), termination, result.ending.value, number)
