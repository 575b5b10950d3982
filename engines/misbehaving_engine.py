"""An engine that plays at random and commits one fault at one moment, to try referees on.

`oddly engine misbehave --fault hang --at middle` plays two turns and then never answers again.
Moments: `handshake` is its first command, `first` and `middle` its first and third genmove, `quit`
the command of that name. A fault with one possible moment is committed then, whatever `at` says; an
illegal turn as soon as there is one of its kind.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from oddly.engines.engine import SEED, Option, OptionError
from oddly.engines.faults import AT_A_COMMAND, AT_THE_START, ILLEGAL, LIES, MOMENTS, RULINGS
from oddly.engines.plain_engines import RandomEngine
from oddly.games import EMPTY, SWAP, Colour, Drop, Drops, IllegalTurn, Move, Position, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oddly.engines.faults import Write
    from oddly.protocol import Command, MalformedCommand

GENMOVES = {1: "first", 3: "middle"}


class MisbehavingEngine(RandomEngine):
    """Random turns, and one fault."""

    name = "misbehave"
    options = (
        SEED,
        Option("fault", "choice", "crash", choices=tuple(RULINGS)),
        Option("at", "choice", "middle", choices=MOMENTS),
    )

    def __init__(self) -> None:
        super().__init__()
        self._genmoves = 0
        self._started = False
        self._greeted = False
        self._is_due = False
        self._position: Position | None = None

    def set_option(self, name: str, text: str) -> None:
        """Give an option a value. Raises OptionError, also for a fault at an impossible moment."""
        before = self.values.get(name, "")
        super().set_option(name, text)
        fault, at, moments = self._fault, self.values["at"], RULINGS[self._fault]
        if len(moments) > 1 and at not in moments:
            self.values[name] = before
            expected = " or ".join(moments)
            raise OptionError(f"fault {fault} cannot be committed at {at}: expected {expected}")

    def new_game(self) -> None:
        """Forget the last game; the first time, commit a fault that belongs at the start."""
        super().new_game()
        started, self._started = self._started, True
        if not started and self._fault in AT_THE_START:
            AT_THE_START[self._fault](b"", _to_stdout)

    def choose(self, position: Position) -> Turn:
        """Return a random turn, and keep the position to know what is illegal in it."""
        self._position = position
        return super().choose(position)

    def deliver(self, command: Command | MalformedCommand, reply: bytes, write: Write) -> None:
        """Send the honest reply, or commit the fault if this is its moment."""
        name = getattr(command, "name", "")
        due = self._moment(name) == self._at
        if LIES.get(self._fault) == name:
            write(_with_text(reply, "99"))
        elif self._fault in ILLEGAL:
            self._is_due = self._is_due or due
            illegal = self._illegal_turn() if self._is_due and name == "genmove" else None
            self._is_due = self._is_due and illegal is None
            write(reply if illegal is None else _with_text(reply, illegal))
        elif due and self._fault in AT_A_COMMAND:
            AT_A_COMMAND[self._fault](reply, write)
        else:
            write(reply)

    @property
    def _fault(self) -> str:
        return str(self.values["fault"])

    @property
    def _at(self) -> str:
        """The moment of the fault."""
        moments = RULINGS[self._fault]
        return next(iter(moments)) if len(moments) == 1 else str(self.values["at"])

    def _moment(self, name: str) -> str | None:
        """Return which moment this command is, if any."""
        if name == "genmove":
            self._genmoves += 1
            return GENMOVES.get(self._genmoves)
        if name == "quit":
            return "quit"
        greeted, self._greeted = self._greeted, True
        return None if greeted else "handshake"

    def _illegal_turn(self) -> str | None:
        """Return a turn that breaks the wanted rule in the position of this genmove, or None."""
        wanted = ILLEGAL[self._fault]
        position = self._position
        if wanted is None or position is None:
            return "knight to f3"
        for turn in _suspects(position):
            try:
                position.play(turn)
            except IllegalTurn as error:
                if error.illegality is wanted:
                    return str(turn)
        return None


def _suspects(position: Position) -> Iterator[Turn]:
    """Yield turns of many kinds, which together break most rules."""
    vertices = position.game.board.vertices
    empty = [vertices[i] for i, stone in enumerate(position.stones) if stone == EMPTY]
    for origin in vertices:
        for destination in vertices:
            if origin != destination:
                yield Move(origin, destination)
    yield SWAP
    yield Drops((Drop(Colour.BLACK, "z99"),))
    yield Move("z99", "z98")
    for number in (2, 3):
        yield Drops(tuple(Drop(Colour.BLACK, vertex) for vertex in empty[:number]))
    for vertex in vertices:
        for colour in Colour:
            yield Drops((Drop(colour, vertex),))
    for vertex in empty[:1]:
        yield Drops((Drop(Colour.BLACK, vertex), Drop(Colour.WHITE, vertex)))


def _with_text(reply: bytes, text: str) -> bytes:
    """Return the reply with another text."""
    return reply.split(b" ", 1)[0].rstrip(b"\n") + b" " + text.encode() + b"\n\n"


def _to_stdout(data: bytes) -> None:
    os.write(1, data)
