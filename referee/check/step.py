"""A step of a check and its result, the topics of steps, and what makes them fair.

Many steps come from a table of the protocol's commands and their arguments.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from oddly.games import IllegalTurn, Position, Turn
from oddly.protocol import NotationError, Resign, parse_answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.referee.check.engine_under_test import EngineUnderTest


Verdict = Literal["pass", "fail", "skip"]
StepFunction = Callable[["EngineUnderTest"], Awaitable[None]]

TOPICS: dict[str, tuple[str, ...]] = {
    "starting": (),
    "framing": ("starting",),
    "ids": ("starting",),
    "input": ("starting",),
    "lines": ("starting",),
    "commands": ("starting",),
    "setting up": ("input",),
    "keeping input": ("setting up",),
    "boards": ("keeping input",),
    "counting": ("boards",),
    "ending": ("boards",),
    "turns": ("boards", "counting", "ending"),
    "notation": ("turns",),
    "scores": ("counting", "ending"),
    "passing": ("turns",),
    "swapping": ("turns",),
    "repetition": ("turns",),
    "refusing": ("notation", "the past"),
    "settings": ("turns", "scores", "swapping"),
    "undo": ("turns",),
    "the past": ("undo", "passing", "swapping", "repetition"),
    "setup": ("turns", "scores", "passing", "swapping", "repetition"),
    "beginning anew": ("setup", "the past", "refusing"),
    "changing nothing": ("the past", "refusing"),
    "choosing": ("turns", "undo", "changing nothing"),
    "solving": ("scores", "undo"),
    "opinions": ("ids", "choosing", "undo", "changing nothing"),
    "options": ("choosing",),
    "clock": ("choosing",),
    "pace": ("choosing", "clock"),
    "spelling": ("turns",),
    "games": (
        "framing",
        "ids",
        "scores",
        "choosing",
        "settings",
        "beginning anew",
        "clock",
        "opinions",
    ),
    "leaving": ("starting",),
}
"""The topics of steps, each with those that it rests on: a fault there spoils it too."""
APART = frozenset(
    {"lines", "commands", "refusing", "changing nothing", "opinions", "options", "settings"}
)
"""Topics whose steps are about many things, so that one says nothing about another."""


@cache
def rests_on(topic: str) -> frozenset[str]:
    """Return all topics that a topic rests on, directly or not."""
    below = TOPICS[topic]
    return frozenset(below).union(*map(rests_on, below))


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to check; `section` is its place in docs/reference/protocol.md.

    `function` raises Failed if the engine does it wrong, and Skipped if it cannot be judged.
    """

    name: str
    section: str
    topic: str
    """What it is about, one of TOPICS."""
    function: StepFunction
    needs: tuple[str, ...] = ()
    """The commands without which the step is skipped."""
    should: bool = False
    """Whether the protocol says SHOULD here, not MUST."""
    share: float = 1.0
    """Its share of the check's time, relative to other steps."""

    def follows(self, earlier: Step) -> bool:
        """Return whether an earlier step's failure alone may explain a failure of this one."""
        if self.topic == earlier.topic:
            return self.topic not in APART
        return earlier.topic in rests_on(self.topic)


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of a step; `reason` says why it failed or was skipped."""

    step: Step
    verdict: Verdict
    seconds: float
    reason: str = ""
    expected: str = ""
    sent: bytes = b""
    received: bytes = b""
    follows_from: str = ""
    """The name of the first failed step that this failure may follow from."""
    cases: int = 0
    left_out: int = 0
    """How many cases the step has, and how many of them were left out for a slow engine."""
    is_cut: bool = False
    """Whether it was skipped because the check had no time left."""


def step(
    section: str, topic: str, *needs: str, should: bool = False, share: float = 1.0
) -> Callable[[StepFunction], Step]:
    """Return a decorator that turns a function into a step, with its docstring as the name."""

    def made(function: StepFunction) -> Step:
        name = function.__doc__ or str(getattr(function, "__name__", "")).replace("_", " ")
        return Step(name.strip().rstrip("."), section, topic, function, needs, should, share)

    return made


def spread(length: int) -> Sequence[int]:
    """Return the numbers below `length`, ordered so that the first ones lie far apart.

    >>> spread(7)
    [0, 6, 3, 2, 4, 1, 5]
    """
    found = [0, length - 1]
    step = 2
    while step <= 2 * length:
        found += [round((length - 1) * part / step) for part in range(1, step, 2)]
        step *= 2
    return list(dict.fromkeys(each for each in found if 0 <= each < length))


def judged(engine: EngineUnderTest, position: Position, answer: str) -> Turn | Resign:
    """Return what the engine answered, and note it if it is not canonical.

    Raises Failed if it is illegal.
    """
    try:
        turn = parse_answer(answer)
        if not isinstance(turn, Resign):
            position.play(turn)
    except (IllegalTurn, NotationError) as error:
        raise engine.failure(f"answered {answer!r}: {error}", "a legal turn or resign") from None
    engine.note_form(answer, turn)
    return turn


async def chosen(
    engine: EngineUnderTest, position: Position, command: str = "genmove"
) -> Turn | Resign:
    """Return the turn that the engine chooses in a position. Raises Failed if it is illegal."""
    return judged(engine, position, await engine.accepted(f"{command} {position.to_move}"))


BUSY = 0.02
"""Seconds by which our own loop is late on a machine too busy for engines."""


def is_busy(worst_lag: float) -> bool:
    """Return whether our own loop was late, or more programs want to run than there are cores."""
    return worst_lag > BUSY or os.getloadavg()[0] > (os.cpu_count() or 1)


def in_words(seconds: float) -> str:
    """Return a time in seconds, or in milliseconds if it is short."""
    return f"{seconds:.1f} s" if seconds >= 0.9995 else f"{1000 * seconds:.0f} ms"


class Form(NamedTuple):
    """A command: its section, arguments with which it changes no game, and wrong ones."""

    section: str
    harmless: tuple[str, ...] = ()
    """Arguments with which it may be answered or refused; `MOVER` is the player to move."""
    wrong: tuple[str, ...] = ()
    """Arguments that are a syntax error."""
    refused: tuple[str, ...] = ()
    """Arguments that are refused for another reason; `OTHER`, `LEGAL` and `GAME` are filled in."""


COMMANDS = {
    "protocol_version": Form("5.1", ("",), ("2",)),
    "oddly_version": Form("5.1", ("",), ("1",)),
    "name": Form("5.1", ("",), ("x",)),
    "version": Form("5.1", ("",), ("1", "1 2")),
    "known_command": Form("5.1", ("name", "no_such_command"), ("", "a b")),
    "list_commands": Form("5.1", ("",), ("all",)),
    "quit": Form("5.1", (), ("now",)),
    "list_games": Form("5.2", ("",), ("yodd",)),
    "set_game": Form("5.2", refused=("no_such_game", "GAME no_such_setting 1")),
    "boardsize": Form("5.2", (), ("", "big", "3 3"), ("0", "99")),
    "clear_board": Form("5.2", (), ("now",)),
    "list_settings": Form("5.2", ("",), ("odd",)),
    "setup": Form("5.2", (), ("", "b"), ("b B",)),
    "play": Form(
        "5.3",
        (),
        ("", "b", "b pass pass", "green pass"),
        ("MOVER Bc", "MOVER z26-z25", "MOVER Bz26", "OTHER LEGAL", "OTHER pass"),
    ),
    "genmove": Form("5.3", (), ("", "b b", "green"), ("OTHER",)),
    "reg_genmove": Form("5.3", ("MOVER",), ("", "b b"), ("OTHER",)),
    "undo": Form("5.3", (), ("1",)),
    "legal_turns": Form("5.3", ("0", "1", "3"), ("many", "1 2")),
    "showboard": Form("5.4", ("",), ("1",)),
    "group_counts": Form("5.4", ("",), ("b",)),
    "final_score": Form("5.4", ("",), ("b",)),
    "solve": Form("5.4", ("0", "20"), ("x", "1 2")),
    "game_over": Form(
        "5.4", ("B+R resignation: x: resigned", "W+3", "void nobody knows", "0"), ("",)
    ),
    "evaluate": Form("5.4", ("", "DROP"), (), ("Bz26",)),
    "list_options": Form("5.5", ("",), ("x",)),
    "set_option": Form("5.5", ("OPTION",), ("",), ("no_such_option 1",)),
    "time_control": Form("5.6", ("300+2.5", "600+5x30", "0.2"), ("", "soon", "1 1")),
    "time_left": Form(
        "5.6", ("black 8.250 0", "white 7.500"), ("", "b", "green 10", "b soon", "b 1 0 0")
    ),
    "time_settings": Form("5.6", ("300 30 5",), ("", "1 2", "1 2 3 4")),
    "opponent": Form("5.6", ("none", "300+2.5 Deep Odd 1.2"), ("", "soon x")),
    "analyze": Form("5.7", ("0.05", "1"), ("", "soon", "1 2", "0", "0.009", "1000001")),
    "stop": Form("5.7", ("",), ("1",)),
    "ponder": Form("5.7", ("",), ("1",)),
    "last_evaluation": Form("5.7", ("",), ("b",)),
}


def wrong_lines() -> list[str]:
    """Return every command with every wrong number or kind of arguments."""
    return [
        f"{name} {words}".rstrip()
        for name, form in COMMANDS.items()
        if name != "quit"
        for words in form.wrong
    ]
