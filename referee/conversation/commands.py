"""The commands to an engine and their ids, and looking for a quick answer, which saves a wait."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from oddly.games import Colour, Game, did_you_mean, one_line, setting_text
from oddly.protocol import Command, Reply
from oddly.protocol.messages import MAX_ID
from oddly.referee.justice.outcome import EngineFault, Termination

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from oddly.protocol import TimeControl
    from oddly.referee.program.channel import Channel


COLOUR_WORDS = {colour: str(colour) for colour in Colour}
EVALUATION = "last_evaluation"
MAX_TIME_LEFT = 999_999_999.999
"""Seconds: the protocol has no more than nine digits for them."""


def setting_up(
    game: Game,
    time: TimeControl,
    options: Mapping[str, str],
    known: Container[str],
    opponent: tuple[str, TimeControl] | None = None,
) -> list[Command]:
    """Return the orders that set up `game`, as far as the engine knows them, and the options.

    An engine may receive the name and the clock of its `opponent`.
    """
    settings = [word for name, v in game.settings.items() for word in (name, setting_text(v))]
    orders = [
        Command("set_game", (game.name, *settings)),
        Command("boardsize", (str(game.size),)),
        Command("clear_board"),
        Command("time_control", (str(time),)),
    ]
    if opponent is not None:
        name, clock = opponent
        words = one_line(name).replace("#", "").split()
        orders.append(Command("opponent", (str(clock), *words)))
    return [order for order in orders if order.name in known] + [
        Command("set_option", (name, *value.split())) for name, value in options.items()
    ]


def question(
    colour: Colour,
    last: tuple[Colour, str] | None,
    left: tuple[float, int] | None,
    opponents: tuple[float, int] | None,
    known: Container[str],
) -> list[str]:
    """Return the lines that ask for a turn: the opponent's last one, the clocks, and `genmove`."""
    side = COLOUR_WORDS[colour]
    lines = [f"play {COLOUR_WORDS[last[0]]} {last[1]}"] if last else []
    if "time_left" in known:
        if opponents is not None and "opponent" in known:
            lines.append(_time_left(COLOUR_WORDS[colour.other], *opponents))
        if left is not None:
            lines.append(_time_left(side, *left))
    lines.append(f"genmove {side}")
    if EVALUATION in known:
        lines.append(EVALUATION)
    return lines


def _time_left(side: str, seconds: float, turns: int) -> str:
    return f"time_left {side} {min(seconds, MAX_TIME_LEFT):.3f} {turns}"


def play_order(colour: Colour, turn: str) -> Command:
    """Return `play` with these arguments."""
    return Command("play", (str(colour), turn))


STARTERS = frozenset({"set_game", "boardsize", "clear_board"})
"""The commands that begin a new game; an engine with none of them plays one game per process."""

HANDSHAKE = ("protocol_version", "name", "version", "list_commands")
GTP_VERSION = "2"
REQUIRED_COMMANDS = ("play", "genmove")


def identity(replies: Sequence[Reply]) -> tuple[str, str, frozenset[str]]:
    """Return the name, the version and the commands in the replies to HANDSHAKE.

    Raises EngineFault if the engine speaks another protocol, or cannot play.
    """
    protocol, name, version, listed = replies
    if protocol.ok and protocol.text.strip() != GTP_VERSION:
        said = protocol.text.encode()
        raise EngineFault(Termination.PROTOCOL, f"protocol_version is not {GTP_VERSION}", said)
    if not listed.ok:
        raise EngineFault(Termination.PROTOCOL, "refused list_commands", listed.text.encode())
    commands = frozenset(listed.text.split())
    for required in REQUIRED_COMMANDS:
        if required not in commands:
            raise EngineFault(Termination.PROTOCOL, f"list_commands does not list {required!r}")
    return name.text.strip(), version.text.strip(), commands


LIST_OPTIONS = Command("list_options")
"""The command that asks an engine for its options."""

TAKES_OPTIONS = frozenset({"list_options", "set_option"})
"""The commands of an engine that has options."""


def names_of_options(listed: Reply) -> list[str]:
    """Return the names in a reply to LIST_OPTIONS."""
    return [line.split(" ", 1)[0] for line in listed.text.splitlines()]


MAX_COMPARED = 200
"""The options among which the nearest is looked for: no game waits for a list without end."""


def refusal(order: Command, options: Sequence[str]) -> str:
    """Return in words that an engine refused an order; `options` are those that it lists, if known.

    >>> refusal(Command("set_option", ("sead", "1")), ["seed"])
    "refused 'set_option sead 1', as it lists no such option; did you mean 'seed'?"
    """
    words = repr(" ".join((order.name, *order.arguments)))
    if order.name != "set_option" or not options or order.arguments[0] in options:
        return f"refused {words}"
    near = did_you_mean(order.arguments[0], options[:MAX_COMPARED])
    return f"refused {words}, as it lists no such option{near}"


RESERVED_IDS = 1 << 27
"""Ids that a game may need."""
RANDOM_BYTES = 512
"""Random bytes that are drawn at a time, two for a step."""


class CommandIds:
    """Gives each write the ids of its commands, after a step of 1 to 4,096 from the last one.

    An engine that answers before it is asked would have to guess the step.
    """

    def __init__(self) -> None:
        self._last = 0
        self._steps = iter(memoryview(b""))

    def next(self, number: int) -> int:
        """Return the first of `number` ids in a row."""
        chance = next(self._steps, None)
        if chance is None:
            self._steps = iter(memoryview(os.urandom(RANDOM_BYTES)).cast("H"))
            chance = next(self._steps)
        first = self._last + chance % 4096 + 1
        self._last = first + number - 1
        return first

    @property
    def are_running_out(self) -> bool:
        """Whether too few ids may be left for another game."""
        return self._last > MAX_ID - RESERVED_IDS


def other_id(reply: Reply, number: int) -> str:
    """Return in words what a reply has in place of the id `number` behind its mark."""
    if reply.id is not None:
        return f"id {reply.id}"
    begins_with_id = reply.text.split(maxsplit=1)[:1] == [str(number)]
    return "a space between its mark and its id" if begins_with_id else "no id"


QUICK = 0.002
"""Seconds within which an answer is worth looking for before we wait for the pipe."""
LOOKS = 16
"""Looks into the pipe after a question, which cost about as much time as a wait."""
MAX_VAIN = 15
"""The most turns with a single look, after one at which all looks were in vain."""
IN_A_ROW = 4
"""The most turns of an engine that are read before other games get their turn."""


class Glance:
    """How to look for one engine's answers, learnt from its earlier turns."""

    def __init__(self) -> None:
        self.is_quick = True
        self._in_a_row = self._vain = self._single = 0

    def note(self, seconds: float) -> None:
        """Note how long the engine took for an answer."""
        self.is_quick = seconds < QUICK

    @property
    def is_others_turn(self) -> bool:
        """Whether other games should get their turn before we look."""
        return self.is_quick and self._in_a_row >= IN_A_ROW

    def at(self, channel: Channel) -> bytes | None:
        """Return what a quick engine answers while we look; None or b"" if nothing."""
        if not self.is_quick:
            return None
        self._in_a_row = 1 if self._in_a_row >= IN_A_ROW else self._in_a_row + 1
        look, looks = channel.receive_nowait, LOOKS
        if self._single:
            self._single -= 1
            looks = 1
        for _ in range(looks):
            if (data := look()) is not None:
                self._vain = self._single = 0
                return data
        if looks == LOOKS:
            self._vain = self._single = min(MAX_VAIN, 2 * self._vain + 1)
        return None
