"""An engine that plays at random and commits one fault at one moment, to try referees on.

`oddly engine misbehave --fault hang --at middle` plays two turns and then never answers again.
Moments: `handshake` is its first command, `first` and `middle` its first and third genmove, `quit`
the command of that name.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, NoReturn

from engines.options import SEED, Option
from engines.random_engine import RandomEngine
from games.colour import EMPTY, Colour
from games.errors import Illegality, IllegalTurn
from games.turns import Drop, Drops, Move

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from games.game import Position
    from games.turns import Turn
    from protocol.messages import Command, MalformedCommand

    Write = Callable[[bytes], None]

MOMENTS = ("handshake", "first", "middle", "quit")
GENMOVES = {1: "first", 3: "middle"}
LIES = {"missing-command": "list_commands", "wrong-version": "protocol_version"}
"""Faults that are a false answer to one command, whenever it comes."""
MEGABYTE = b"x" * 1_000_000


class MisbehavingEngine(RandomEngine):
    """Random turns, and one fault."""

    name = "misbehave"
    summary = "random turns and one fault (--fault, --at), to try referees on"

    def __init__(self) -> None:
        super().__init__()
        self._genmoves = 0
        self._begun = False
        self._position: Position | None = None

    def choose(self, position: Position) -> Turn:
        """A random turn; the position is kept, to know what would be illegal in it."""
        self._position = position
        return super().choose(position)

    def deliver(self, command: Command | MalformedCommand, reply: bytes, write: Write) -> None:
        """Send the honest reply, or commit the fault if this is its moment."""
        name = getattr(command, "name", "")
        fault = str(self.values["fault"])
        if LIES.get(fault) == name:
            write(self._with_text(reply, "99"))
        elif self._moment(name) != self.values["at"] or fault in LIES:
            write(reply)
        elif fault.startswith("illegal-"):
            write(self._with_text(reply, self._illegal(fault)))
        else:
            FAULTS[fault](self, reply, write)

    def _moment(self, name: str) -> str | None:
        """Which moment this command is, if any."""
        if name == "genmove":
            self._genmoves += 1
            return GENMOVES.get(self._genmoves)
        if name == "quit":
            return "quit"
        begun, self._begun = self._begun, True
        return None if begun else "handshake"

    @staticmethod
    def _with_text(reply: bytes, text: str) -> bytes:
        """The reply with another text."""
        return reply.split(b" ", 1)[0].rstrip(b"\n") + b" " + text.encode() + b"\n\n"

    def _illegal(self, fault: str) -> str:
        """A turn that breaks the wanted rule in the position of the last genmove."""
        if fault == "illegal-malformed" or self._position is None:
            return "knight to f3"
        wanted = ILLEGAL[fault]
        for turn in _suspects(self._position):
            try:
                self._position.play(turn)
            except IllegalTurn as error:
                if error.illegality is wanted:
                    return str(turn)
        return "Bz99"


ILLEGAL = {
    "illegal-occupied": Illegality.OCCUPIED,
    "illegal-off-board": Illegality.OFF_BOARD,
    "illegal-count": Illegality.DROP_COUNT,
    "illegal-parity": Illegality.PARITY,
    "illegal-kind": Illegality.WRONG_KIND,
    "illegal-twice": Illegality.SAME_VERTEX,
    "illegal-piece": Illegality.WRONG_PIECE,
}


def _suspects(position: Position) -> Iterator[Turn]:
    """Turns of many kinds, among which most rules are broken."""
    vertices = position.game.board.vertices
    empty = [vertices[i] for i, stone in enumerate(position.stones) if stone == EMPTY]
    for origin in vertices:
        yield Move(origin, empty[0])
    yield Drops((Drop(Colour.BLACK, "z99"),))
    yield Drops(tuple(Drop(Colour.BLACK, vertex) for vertex in empty[:3]))
    for vertex in vertices:
        for colour in Colour:
            yield Drops((Drop(colour, vertex),))
    yield Drops((Drop(Colour.BLACK, empty[0]), Drop(Colour.WHITE, empty[0])))


def _forever() -> NoReturn:
    while True:
        time.sleep(3600)


def crash(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """Exit with a code."""
    sys.stderr.write("misbehave: crashing as told\n")
    sys.stderr.flush()
    os._exit(3)


def killed(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """Be killed by a signal."""
    os.kill(os.getpid(), signal.SIGKILL)


def hang(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """Never answer, never read."""
    _forever()


def busy(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """Compute and never answer."""
    while True:
        pass


def stopped(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """Be stopped like a job in a shell."""
    os.kill(os.getpid(), signal.SIGSTOP)


def endless_lines(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """A reply that never ends."""
    write(reply.rstrip(b"\n") + b"\n")
    while True:
        write(b"and so on\n" * 100)


def endless_line(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """A line that never ends."""
    while True:
        write(MEGABYTE)


def drip(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """One byte at a time, for ever."""
    write(b"=")
    while True:
        write(b" ")
        time.sleep(0.01)


def close_stdout(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """Close the output and live on."""
    os.close(1)
    _forever()


def close_stdin(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """Answer once more, close the input and live on."""
    os.close(0)
    write(reply)
    _forever()


def flood_stderr(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """A hundred megabytes of standard error, then the honest reply."""
    for _ in range(100):
        os.write(2, MEGABYTE)
    write(reply)


def long_line(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """A reply whose only line has 64 MB."""
    write(b"=1 ")
    for _ in range(64):
        write(MEGABYTE)
    write(b"\n\n")


def binary(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """Bytes that are no text."""
    write(b"\x00\xff\xfe\x1b[2J\x07\n\n")


def garbage(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """Text that is no reply."""
    write(b"Segmentation fault (core dumped)\n\n")


def half_reply(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """A reply without its end, then silence."""
    write(reply.rstrip(b"\n"))
    _forever()


def wrong_id(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """The reply under another id."""
    write(b"=99999 pass\n\n")


def no_id(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """The reply without its id."""
    write(b"= pass\n\n")


def twice(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """The reply twice."""
    write(reply + reply)


def unrequested(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """A reply that nobody asked for, before the right one."""
    write(b"= by the way\n\n" + reply)


def refuse(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """`?` where `=` is due."""
    write(b"?" + reply[1:].split(b" ", 1)[0].rstrip(b"\n") + b" I would rather not\n\n")


def leave(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """Exit in good order, without an answer."""
    os._exit(0)


def answer_and_leave(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """Answer, then exit."""
    write(reply)
    os._exit(0)


def child(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """Leave a child behind that holds the pipes."""
    subprocess.Popen(["sleep", "3600"])  # noqa: S607 - wherever it is
    write(reply)


def stray(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """Leave a child behind in a session of its own."""
    subprocess.Popen(["sleep", "3600"], start_new_session=True)  # noqa: S607
    write(reply)


def slow(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """Take a moment that is still within the limit."""
    time.sleep(0.3)
    write(reply)


def ignore_quit(engine: MisbehavingEngine, reply: bytes, write: Write) -> None:
    """Ignore SIGTERM, and from now on everything."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    write(reply)
    _forever()


FAULTS: dict[str, Callable[[MisbehavingEngine, bytes, Write], None]] = {
    "crash": crash,
    "killed": killed,
    "hang": hang,
    "busy": busy,
    "stopped": stopped,
    "endless-lines": endless_lines,
    "endless-line": endless_line,
    "drip": drip,
    "close-stdout": close_stdout,
    "close-stdin": close_stdin,
    "flood-stderr": flood_stderr,
    "long-line": long_line,
    "binary": binary,
    "garbage": garbage,
    "half-reply": half_reply,
    "wrong-id": wrong_id,
    "no-id": no_id,
    "twice": twice,
    "unrequested": unrequested,
    "refuse": refuse,
    "leave": leave,
    "answer-and-leave": answer_and_leave,
    "child": child,
    "stray": stray,
    "slow": slow,
    "ignore-quit": ignore_quit,
}

MisbehavingEngine.options = (
    SEED,
    Option("fault", "choice", "crash", choices=(*FAULTS, *ILLEGAL, "illegal-malformed", *LIES)),
    Option("at", "choice", "middle", choices=MOMENTS),
)
