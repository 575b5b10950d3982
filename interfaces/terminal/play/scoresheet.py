"""The game so far with its players and times, kept in a file after every turn."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import datetime
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple

from oddly.game_records import KeptGame
from oddly.game_records.kept_game import colour_at_the_end
from oddly.game_records.line_formats import json_line
from oddly.interfaces.human_play.game_in_progress import GameInProgress
from oddly.interfaces.human_play.recording import PeopleClock, played_turns, record_of, state_folder
from oddly.protocol import parse_turn
from oddly.safe_files import new_file, replace_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from oddly.games import Colour, Game, Position, Turn
    from oddly.referee import GameRecord, PlayedTurn


def default_file(game: Game) -> Path:
    """Return a new file in the user's state folder (XDG). Raises NoHomeError.

    Its name is like `20260131-201500-yodd-6-4711.jsonl`, with the process id at the end.
    """
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    name = f"{stamp}-{game.name}-{game.size}-{os.getpid()}.jsonl"
    return state_folder() / "games" / name


class Autosave:
    """Keeps the game as one line of JSON in a new file; a crash leaves the last state or the new.

    If writing fails, `failure` says why until it succeeds again, and play goes on.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failure = ""
        self.has_kept = False

    def keep(self, record: GameRecord) -> bool:
        """Write the game. Returns False when that fails and the last time did not."""
        had_failed = bool(self.failure)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            line = json_line(KeptGame(record))
            if self.has_kept:
                replace_file(self.path, line)
            else:
                with new_file(self.path) as file:
                    file.write(line)
        except OSError as error:
            self.failure = f"cannot write {self.path}: {error.strerror}"
            return had_failed
        self.failure, self.has_kept = "", True
        return True


class Participant(NamedTuple):
    """A player: the name, and whether it is a human."""

    name: str
    is_human: bool


class Scoresheet:
    """A game with its players. Participant 0 opens as Black; a swap exchanges colours.

    The game begins with `turns`, which took `seconds`, or no time where that has fewer values.
    `clock` is the people's clock, if they have one.
    """

    def __init__(
        self,
        game: Game,
        participants: tuple[Participant, Participant],
        turns: Iterable[str] = (),
        *,
        seconds: Sequence[float] = (),
        clock: PeopleClock | None = None,
    ) -> None:
        self.current = GameInProgress.of(game)
        self.participants = participants
        self.seconds: list[float] = []
        self.clock = clock
        for turn, spent in zip(turns, chain(seconds, repeat(0.0)), strict=False):
            self.play(parse_turn(turn), spent)

    @property
    def position(self) -> Position:
        """The position before the next turn."""
        return self.current.position

    @property
    def mover(self) -> Participant:
        """The participant to move."""
        return self.participants[self.current.mover]

    @property
    def is_over(self) -> bool:
        """Whether the rules or a resignation have ended the game."""
        return self.current.is_over

    @property
    def human_is_to_move(self) -> bool:
        """Whether it is a human's turn."""
        return not self.is_over and self.mover.is_human

    @property
    def turns(self) -> tuple[PlayedTurn, ...]:
        """The turns with their colours and times."""
        return played_turns(self.current, self.seconds)

    def name_the_engine(self, name: str) -> None:
        """Replace the engine's name."""
        first, second = (
            participant if participant.is_human else Participant(name, False)
            for participant in self.participants
        )
        self.participants = first, second

    def play(self, turn: Turn, seconds: float = 0.0) -> None:
        """Play a turn for the side to move. Raises IllegalTurn."""
        self.current = self.current.play(turn)
        self.seconds.append(seconds)

    def time_left(self) -> float | None:
        """Return the seconds that the human to move has for this turn; None without a clock."""
        if self.clock is None or not self.human_is_to_move:
            return None
        return self.clock.left(self.current.mover, self.seconds)

    @property
    def clock_runs(self) -> bool:
        """Whether the clock of the human to move runs: the first turn of a game is free."""
        return self.clock is not None and self.human_is_to_move and bool(self.current.turns)

    def lose_on_time(self) -> None:
        """End the game because the side to move has no time left."""
        self.current = self.current.resign(on_time=True)

    def resign(self, participant: int) -> None:
        """Resign for a participant."""
        self.current = replace(self.current, resigned=self.colour_of(participant))

    def take_back(self) -> tuple[PlayedTurn, ...]:
        """Take back the last turn of a human and all after it. Returns the turns taken back.

        After a human's resignation or loss on time, only this is taken back. Without a human's
        turn, no turn is.
        """
        loser = self.current.resigned
        if loser is not None:
            self.current = replace(self.current, resigned=None, on_time=False)
            one = self.participants[0 if self.colour_of(0) is loser else 1]
            if one.is_human:
                return ()
        played = self.turns
        humans = [number for number in range(len(played)) if self.participants[number % 2].is_human]
        if not humans:
            return ()
        self.current = self.current.back_to(humans[-1])
        del self.seconds[humans[-1] :]
        return played[humans[-1] :]

    def colour_of(self, participant: int) -> Colour:
        """Return the colour that a participant holds now."""
        return colour_at_the_end(self.turns, participant)

    def record(self, engines: tuple[str, str] = ("", ""), seed: int | None = None) -> GameRecord:
        """Return the record of the game; an unfinished one is void."""
        names = self.participants[0].name, self.participants[1].name
        return record_of(self.current, names, engines, self.seconds, seed)
