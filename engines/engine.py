"""What an engine is, and the engines that come with oddly.

An engine is a name, a choice of turns, and the options that its users set. Ours are found by name.
A module is imported when its engine is wanted.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from importlib import import_module
from random import Random
from typing import TYPE_CHECKING, ClassVar, Literal

from oddly.games import (
    VERSION,
    Action,
    Colour,
    DropPosition,
    Game,
    IllegalTurn,
    Position,
    Turn,
    did_you_mean,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oddly.protocol import (
        Analysis,
        Command,
        Evaluation,
        MalformedCommand,
        Resign,
        TimeControl,
        TurnEvaluation,
    )


OptionKind = Literal["integer", "number", "boolean", "choice", "text"]
OptionValue = int | float | bool | str

# Python would take 1_000, nan and digits of any script too; other programs would not.
WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,30}")
NUMBER = re.compile(r"[+-]?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,2})?")


class OptionError(ValueError):
    """A value that an option does not take. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option's name, type, default, range (both ends included) and purpose."""

    name: str
    kind: OptionKind
    default: OptionValue
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    summary: str = ""
    """What it does, in a few words, for `--help`; `list_options` leaves it out."""

    def read(self, text: str) -> OptionValue:
        """Return the value that `text` stands for. Raises OptionError."""
        match self.kind:
            case "boolean":
                return self._read_word(text, ("true", "false")) == "true"
            case "choice":
                return self._read_word(text, self.choices)
            case "text":
                return text
            case "integer" | "number":
                return self._read_number(text)

    def __str__(self) -> str:
        """Return the option's line in the answer to `list_options`."""
        words = [self.name, "type", self.kind, "default", _written(self.default)]
        if self.minimum is not None:
            words += ["min", _written(self.minimum)]
        if self.maximum is not None:
            words += ["max", _written(self.maximum)]
        if self.choices:
            words += ["choices", *self.choices]
        return " ".join(words)

    @property
    def description(self) -> str:
        """What it does, which values it takes, and its default, in words."""
        match self.kind:
            case "integer" | "number":
                noun = "whole number" if self.kind == "integer" else "number"
                values = noun + self._range()
            case "boolean":
                values = "true or false"
            case "choice":
                values = ", ".join(self.choices)
            case "text":
                values = "text"
        facts = f"{values} (default: {_written(self.default)})"
        return f"{self.summary}: {facts}" if self.summary else facts

    def _read_word(self, text: str, words: tuple[str, ...]) -> str:
        for word in words:
            if text.lower() == word.lower():
                return word
        expected = " or ".join(words)
        raise OptionError(
            f"option {self.name} is {expected}, not {text!r}{did_you_mean(text, words)}"
        )

    def _read_number(self, text: str) -> OptionValue:
        is_integer = self.kind == "integer"
        shown = repr(text)
        if (WHOLE_NUMBER if is_integer else NUMBER).fullmatch(text):
            value = int(text) if is_integer else float(text)
            is_low = self.minimum is not None and value < self.minimum
            is_high = self.maximum is not None and value > self.maximum
            if not (is_low or is_high):
                return value
            shown = text
        noun = "a whole number" if is_integer else "a number"
        raise OptionError(f"option {self.name} is {noun}{self._range()}, not {shown}")

    def _range(self) -> str:
        """Return the range in words that follow `a number`."""
        least = "" if self.minimum is None else f" from {_written(self.minimum)}"
        return least + ("" if self.maximum is None else f" to {_written(self.maximum)}")


def option_text(value: object) -> str:
    """Return a value as the protocol writes it: booleans are `true` and `false`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _written(value: OptionValue) -> str:
    """Return a default or an end of a range, where whole numbers have no decimals."""
    return option_text(int(value) if isinstance(value, float) and value.is_integer() else value)


SEED = Option("seed", "integer", 0, 0, 2**63 - 1, summary="seed of the random numbers")
"""Every reference engine has it: equal seeds make equal games."""


@dataclass(slots=True)
class KnownTime:
    """What an engine knows of its clock."""

    control: TimeControl | None = None
    left: dict[Colour, tuple[float, int]] = field(default_factory=dict)
    """Per player: seconds, and turns or periods (0 where there are none)."""


class Engine(ABC):
    """A program that chooses turns. Subclasses set `name` and write `choose`.

    >>> import oddly
    >>> class Hasty(oddly.Engine):
    ...     name = "hasty"
    ...     def choose(self, position):
    ...         return next(position.legal_turns())
    >>> print(Hasty().choose(oddly.create_game("yodd", 3).start()))
    Bc1

    `oddly.engines.run(Hasty())` makes it a program for matches.
    """

    name: str
    version: str = VERSION
    can_analyze: ClassVar[bool] = False
    """Whether `analyze`, `last_evaluation` and `ponder` are implemented, and so listed."""
    options: ClassVar[tuple[Option, ...]] = (SEED,)
    on_thought: Callable[[Thought], None] | None = None
    """Called now and then while the engine chooses a turn, by engines that search."""

    def __init__(self) -> None:
        self.values: dict[str, OptionValue] = {o.name: o.default for o in self.options}
        self.time = KnownTime()
        self.random = Random(0)
        self.is_stopped: Callable[[], bool] = lambda: False
        """Whether the controller wants the running search to end; costs a system call."""

    @abstractmethod
    def choose(self, position: Position) -> Turn | Resign:
        """Return a legal turn in `position`, which is not over, or RESIGN."""

    def evaluate(self, at: DropPosition) -> Evaluation | None:
        """Return what the engine thinks of a position that is not over; None if it rates none."""
        return None

    def finish(self, at: DropPosition) -> Turn | None:
        """Return a turn that completes the drops of `at`, by another drop or an end.

        None if the engine rates no positions inside a turn, or its best action is illegal there.
        """
        while (evaluation := self.evaluate(at)) is not None and evaluation.candidates:
            action = evaluation.candidates[0].action
            try:
                after = at.act(action)
            except IllegalTurn:
                return None
            if not after.drops:
                return at.turn_with(action)
            at = after
        return None

    def analyze(
        self, position: Position, interval: float, has_more: Callable[[float], bool]
    ) -> Iterator[Analysis]:
        """Yield what is known of `position`, which is not over, about every `interval` seconds.

        The analyses end once `has_more`, which waits up to the seconds it is given, says that
        another command has come.
        """
        raise NotImplementedError

    def ponder(self, position: Position) -> None:  # noqa: B027 - most engines need nothing
        """Get ready to think about `position` once this command is answered."""

    def stop_pondering(self) -> None:  # noqa: B027
        """Stop thinking about the position given to `ponder`."""

    def last_evaluation(self) -> TurnEvaluation | None:
        """Return what the engine thought of the turn that it chose last in this game, if any."""
        return None

    def game_over(self, score: str, reason: str) -> None:  # noqa: B027 - most engines need nothing
        """Take note of how a game ended: its score, and why in words."""

    def prepare(self, game: Game) -> None:  # noqa: B027 - most engines need nothing
        """Begin to get ready for positions of `game`. Raises GameError.

        Called before the first reply, and inside the answer to a command that changes the game or
        its size: never while this engine's clock runs. What takes longer than a second is done
        before it returns. An error leaves everything as it was.
        """

    def wait_until_ready(self) -> None:  # noqa: B027
        """Wait until a turn could be chosen at once: the last step of setting up a game.

        Called inside the answer to `boardsize`, `clear_board`, `setup` and the commands for clocks,
        and to any command but `quit` after `set_game`, whose board `boardsize` may replace.
        """

    def new_game(self) -> None:
        """Forget the last game. Called whenever a starting position is set up."""
        self.random = Random(int(self.values.get(SEED.name, 0)))

    def deliver(
        self,
        command: Command | MalformedCommand,
        reply: bytes,
        write: Callable[[bytes], None],
    ) -> None:
        """Send a reply. An engine may go on working afterwards, such as by pondering."""
        write(reply)

    def set_option(self, name: str, text: str) -> None:
        """Give an option the value that `text` stands for. Raises OptionError."""
        known = {option.name: option for option in self.options}
        if name not in known:
            expected = f"expected one of {', '.join(known)}" if known else "there are none"
            raise OptionError(f"unknown option {name!r}: {expected}{did_you_mean(name, known)}")
        self.values[name] = known[name].read(text)
        if name == SEED.name:
            self.random = Random(int(self.values[name]))


@dataclass(frozen=True, slots=True)
class Thought:
    """The position being searched, what is known of its actions, and the best line so far."""

    at: DropPosition
    evaluation: Evaluation
    line: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class EngineEntry:
    """Where an engine is found, and its line in `oddly engine --help`."""

    module: str
    class_name: str
    summary: str
    is_compiled: bool = False
    """Whether it has machine code to prepare, which `oddly warm` does in advance."""

    def load(self) -> type[Engine]:
        """Return the engine's class."""
        engine: type[Engine] = getattr(import_module(self.module), self.class_name)
        return engine


ENGINES: dict[str, EngineEntry] = {
    "random": EngineEntry(
        "oddly.engines.plain_engines",
        "RandomEngine",
        "any legal turn, each with the same probability",
    ),
    "greedy": EngineEntry(
        "oddly.engines.plain_engines",
        "GreedyEngine",
        "the best group difference after its turn, ties at random",
    ),
    "uct": EngineEntry(
        "oddly.engines.search_engine",
        "UctEngine",
        "Monte Carlo tree search, plain: a yardstick",
        is_compiled=True,
    ),
    "rave": EngineEntry(
        "oddly.engines.rave_engine",
        "RaveEngine",
        "Monte Carlo tree search with all-moves-as-first statistics: the strongest",
        is_compiled=True,
    ),
    "mirror": EngineEntry(
        "oddly.engines.plain_engines",
        "MirrorEngine",
        "the image of the opponent's last turn, or any turn where that is illegal",
    ),
    "misbehave": EngineEntry(
        "oddly.engines.misbehaving_engine",
        "MisbehavingEngine",
        "random turns and one fault (--fault, --at; --list shows them), to try referees on",
    ),
}
"""Our engines by their names."""


class UnknownEngineError(ValueError):
    """A name that is not one of our engines. The message is one sentence."""


def known_name(name: str) -> str:
    """Return `name` if an engine has it. Raises UnknownEngineError."""
    if name in ENGINES:
        return name
    raise UnknownEngineError(
        f"unknown engine {name!r}: expected one of {', '.join(ENGINES)}"
        + did_you_mean(name, ENGINES)
    )


def engine_class(name: str) -> type[Engine]:
    """Return the class of the engine of that name. Raises UnknownEngineError."""
    return ENGINES[known_name(name)].load()


def create_engine(name: str) -> Engine:
    """Return the engine of that name that comes with oddly. Raises UnknownEngineError.

    >>> import oddly
    >>> position = oddly.create_game("yodd", 3).start()
    >>> turn = oddly.create_engine("greedy").choose(position)
    >>> turn in position.legal_turns()
    True
    """
    return engine_class(name)()
