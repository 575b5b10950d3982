"""The engine under test, and the time of a check: all its steps share both."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import trio

from oddly.protocol import TimeControl, TimeKind, parse_time_control
from oddly.referee.check.conversation import Conversation, Failed, Late, Skipped
from oddly.referee.check.replies import spelt_alike
from oddly.referee.check.turn_times import TurnTimes
from oddly.referee.check.variants import Playout, random_game, smallest
from oddly.referee.conversation.commands import STARTERS, setting_up
from oddly.referee.program.configuration import Isolation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from oddly.games import Colour, Game, Turn
    from oddly.protocol import Reply, Resign

ENOUGH_CELLS = 16
"""Cells of a board that has room for every kind of illegal turn."""
LARGEST_LISTED = 64
"""The most cells of a board on which all legal turns are compared, not just some."""
SOME = 200
ATTEMPTS, FEW_TURNS = 50, 4
"""Random games tried until one has a few turns: on Ayu's smallest board few have."""
TELLS_AFTER = 2.0
"""Seconds of getting ready before `progress` hears of it."""
SLOW = 0.02
"""Average seconds per command above which an engine is slow."""
MOST, AT_LEAST = 5, 300.0
"""A check takes at most this many times its budget, cores included, or these seconds if longer."""
HELD_BACK = 0.5
"""At most this part of that time is kept for games."""
T = TypeVar("T")
NO_LEGAL_TURN = ("illegal move", "syntax error")
"""How the refusal of a turn may begin: nobody need tell illegal turns from malformed ones."""

PlayedTurn = tuple["Colour", "Turn"]
ReportedPosition = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """How thorough a check is. Times in seconds."""

    games: int = 4
    time: float = 1.0
    """The fixed time per turn that the engine gets."""
    margin: float = 0.1
    timeout: float = 10.0
    """The time for a reply; for a genmove it comes on top of its time."""
    setup_limit: float = 300.0
    """The time for a reply the first time that a game or a board is set up."""
    seed: int = 0
    budget: float = 60.0
    """The time after which each step tries its core cases only."""
    until_failure: bool = False
    """Whether to stop at the first failed step."""
    isolation: Isolation = Isolation.AUTO
    """How the engine is isolated in the one game that is played so."""
    network: bool = False
    """Whether it has a network in that game."""


@dataclass
class Budget:
    """The time of a check's steps, and the number of cases they have tried.

    A step yields its cases in order of importance. Its core is always tried, the others while its
    share lasts. What a step does not need is left to later steps. After the `end` cores are left
    out too.
    """

    seconds: float
    began: float = field(default_factory=trio.current_time)
    until: float = 0.0
    """When the running step's share is used up."""
    known: int = 0
    left_out: int = 0
    """The running step's cases: all of them, and those for which its share was too short."""

    @property
    def most(self) -> float:
        """The seconds after which a check of any engine has ended."""
        return max(AT_LEAST, MOST * self.seconds)

    @property
    def end(self) -> float:
        """The time at which it has ended."""
        return self.began + self.most

    def has_time(self, needed_later: float) -> bool:
        """Return whether a step may begin, if later games need `needed_later` seconds."""
        kept = min(needed_later, HELD_BACK * self.most)
        return trio.current_time() < self.end - kept

    def begin_step(self, share: float, to_come: float, reserve: float = 0.0) -> None:
        """Begin a step, which has `share` of all the shares `to_come`, its own included.

        `reserve` is how many seconds the cores of the steps to come need.
        """
        left = max(0.0, self.left - reserve)
        self.until = trio.current_time() + left * share / to_come
        self.known = self.left_out = 0

    def extend(self, seconds: float) -> None:
        """Extend the check and the running step by seconds that do not count."""
        self.began += seconds
        self.until += seconds

    @property
    def left(self) -> float:
        """The seconds left; negative if cores took more than there were."""
        return self.began + self.seconds - trio.current_time()

    @property
    def is_used_up(self) -> bool:
        """Whether the running step should try no more."""
        return trio.current_time() >= self.until

    def goes_on(self) -> bool:
        """Return whether a case that may end early continues; if not, its rest is left out."""
        self.known += self.is_used_up
        self.left_out += self.is_used_up
        return not self.is_used_up

    def cases(self, every: Iterable[T], core: int = 1) -> Iterator[T]:
        """Yield the first `core` cases in any event, and the others while the step has time."""
        cases = list(every)
        self.known += len(cases)
        for number, case in enumerate(cases):
            if number >= core and self.is_used_up:
                self.left_out += len(cases) - number
                return
            yield case


@dataclass
class EngineUnderTest:
    """The engine that a check tries, and what the check has learnt about it."""

    conversation: Conversation
    game: Game
    options: CheckOptions
    progress: Callable[[str], None] = lambda _: None
    """Receives a sentence when an engine needs long to get ready."""
    engine_name: str = ""
    engine_version: str = ""
    commands: frozenset[str] = frozenset()
    turn_times: TurnTimes = field(default_factory=TurnTimes)
    not_canonical: Failed | None = None
    """The first turn that the engine did not write in canonical form."""
    other_text: Failed | None = None
    """The first failure whose text began otherwise than the protocol recommends."""
    not_set_up: list[str] = field(default_factory=list)
    """The referee's lines that it refused, for games that it says it plays."""
    defaults: tuple[str, ...] = ()
    """The names of its options, each with its default."""
    preparations: list[str] = field(default_factory=list)
    """The commands that take every fresh process long the first time."""
    findings: dict[str, Failed] | None = None
    """What the survey of random games found, by topic; None before it."""
    disturbing: dict[str, Failed] | None = None
    """What each command was found to change; None until that is examined."""
    budget: Budget = field(init=False)
    _small: Game | None = field(default=None)

    def __post_init__(self) -> None:
        self.budget = Budget(self.options.budget)

    async def start(self) -> None:
        """Start the process if none runs, and make it ready. Raises Failed."""
        if not self.conversation.is_running:
            await self.conversation.restart()
            await self.prepare()

    async def prepare(self) -> float:
        """Make the engine ready, and return the seconds that the slowest reply took.

        Raises Late if one takes longer than the limit for setting up, or else Failed.
        """
        longest = 0.0
        for line in self.preparations:
            began = trio.current_time()
            try:
                await self.ask_patiently(line)
            except Late as late:
                limit = self.options.setup_limit
                late.problem = f"{line!r} was not answered within {limit:g} s"
                raise
            longest = max(longest, trio.current_time() - began)
        return longest

    async def set_up(self, game: Game, time: str | None = None) -> None:
        """Set up the start of `game` as the referee does. Raises Skipped if the engine refuses."""
        lines = tuple(self.setting_up(game, time))
        if self.is_slow and lines == self.conversation.is_set_up and "clear_board" in lines:
            await self.accepted("clear_board")
            return
        for line, reply in zip(*await self.try_to_set_up(game, time), strict=True):
            if not reply.ok:
                raise Skipped(f"the game could not be set up: the engine refuses {line!r}")
        self.conversation.is_set_up = lines

    @property
    def is_slow(self) -> bool:
        """Whether the engine is slow, so that redundant commands are left out."""
        return self.conversation.pace > SLOW

    async def try_to_set_up(
        self, game: Game, time: str | None = None
    ) -> tuple[list[str], list[Reply]]:
        """Return the lines of the referee that set up `game`, and the replies. Raises Failed."""
        lines = self.setting_up(game, time)
        if STARTERS.isdisjoint(self.commands):
            if not self.conversation.is_fresh:
                await self.conversation.restart()
            # Its start must not count as thinking time.
            await self.conversation.ask("name")
        return lines, await self.conversation.ask_all(lines)

    def setting_up(self, game: Game, time: str | None = None) -> list[str]:
        """Return the referee's lines that set up the start of `game`."""
        control = parse_time_control(time) if time else self.control
        orders = setting_up(game, control, {}, self.commands)
        return [" ".join((order.name, *order.arguments)) for order in orders]

    @property
    def control(self) -> TimeControl:
        """The time control of the check's games."""
        return TimeControl(TimeKind.FIXED, self.options.time)

    async def takes(self, game: Game, time: str | None = None) -> bool:
        """Set up a game; return whether the engine takes it."""
        try:
            await self.set_up(game, time)
        except Skipped:
            return False
        return True

    def cases(self, every: Iterable[T], core: int = 1) -> Iterator[T]:
        """Yield the cases of a step, the first ones in any event: see `Budget.cases`."""
        return self.budget.cases(every, core)

    async def ask_patiently(self, line: str) -> Reply:
        """Return the reply to a command that may take as long as setting up.

        If it takes long, `progress` receives a sentence. Raises Failed as `ask` does.
        """
        limit = self.options.setup_limit
        sentence = f"the engine is getting ready: it has up to {limit:g} s for {line!r}"
        began = trio.current_time()
        with self.conversation.telling(lambda: self.progress(sentence), TELLS_AFTER):
            reply = await self.conversation.ask(line, limit)
        if (took := trio.current_time() - began) > TELLS_AFTER:
            # It counts neither for the budget nor for the pace.
            self.budget.extend(took)
            self.conversation.forget_last()
        allowed = self.conversation.limits.setting_up
        if took > allowed and line.split(" ", 1)[0] in STARTERS:
            self.progress(
                f"{line!r} took {took:.0f} s: in a match a game must be set up within "
                f"{allowed:g} s (--setup-limit)"
            )
        return reply

    def failure(self, problem: str, expected: str) -> Failed:
        """Return a failure with the bytes of the last exchange as its evidence."""
        return self.conversation.failure(problem, expected)

    async def play(self, turns: Sequence[PlayedTurn]) -> None:
        """Send legal turns to the engine. Raises Failed if it refuses one."""
        lines = [play_line(*each) for each in turns]
        for line, reply in zip(lines, await self.conversation.ask_all(lines), strict=True):
            if not reply.ok:
                raise self.failure(
                    f"refused the legal turn {line!r}: {reply.text}", "= for every legal turn"
                )

    async def accepted(self, line: str) -> str:
        """Return the text of the reply to a command. Raises Failed if the engine refuses it."""
        reply = await self.conversation.ask(line)
        if not reply.ok:
            raise self.failure(f"refused {line!r}", "= and the answer")
        return reply.text

    async def refused(self, line: str, *beginnings: str, why: str = "") -> None:
        """Check that a command fails, and note a text that begins with none of `beginnings`.

        Raises Failed if the command succeeds.
        """
        await self.all_refused({line: why}, *beginnings)

    async def all_refused(self, lines: Mapping[str, str], *beginnings: str) -> None:
        """Do as `refused` for many commands, each with the reason why it must fail."""
        replies = await self.conversation.ask_all(list(lines))
        for (line, why), reply in zip(lines.items(), replies, strict=True):
            expected = f"a failure, '? {beginnings[0] if beginnings else ''}...'"
            expected += f", because {why}" if why else ""
            if reply.ok:
                raise self.failure(f"accepted {line!r}", expected)
            if beginnings and not reply.text.startswith(beginnings) and not self.other_text:
                problem = f"refused {line!r} with another text"
                self.other_text = self.failure(problem, expected)

    async def reported_position(self) -> ReportedPosition:
        """Return all that the engine says about its position, to compare with later."""
        questions = [name for name in ("group_counts", "legal_turns") if name in self.commands]
        if len(self.game.board) > LARGEST_LISTED and self.small == self.game:
            questions = [name for name in questions if name != "legal_turns"]
        replies = await self.conversation.ask_all(questions) if questions else []
        return {
            question: sorted(map(spelt_alike, reply.text.splitlines()))
            for question, reply in zip(questions, replies, strict=True)
        }

    async def unchanged_since(self, before: ReportedPosition, event: str) -> None:
        """Compare the engine's position with an earlier one. Raises Failed if it has changed."""
        now = await self.reported_position()
        for question, lines in before.items():
            if now[question] != lines:
                raise self.failure(
                    f"{event} changed the position: {question} answered {in_short(lines)} "
                    f"before and {in_short(now[question])} after it",
                    "the position as it was",
                )

    def note_form(self, text: str, turn: Turn | Resign) -> None:
        """Keep the first turn that is not in canonical form, with its evidence."""
        if text != str(turn) and not self.not_canonical:
            self.not_canonical = self.failure(f"it wrote {text!r}", str(turn))

    def lists(self, line: str) -> bool:
        """Return whether the engine lists the command that a line begins with."""
        return line.split(" ", 1)[0] in self.commands

    @property
    def small(self) -> Game:
        """The game on a small board if the engine accepts that, or else as given."""
        return self._small or self.game

    async def find_small(self) -> None:
        """Find out whether the engine plays on a small board."""
        small = smallest(self.game, ENOUGH_CELLS)
        if small is self.game or "boardsize" not in self.commands:
            return
        self._small = small
        try:
            await self.set_up(small)
        except (Failed, Skipped):
            self._small = None

    def playout(self) -> Playout:
        """Return a random game on the small board. Raises Skipped if none has a few turns."""
        for attempt in range(ATTEMPTS):
            seed = f"{self.options.seed} 0" + attempt * " again"
            played = random_game(self.small, seed, most=math.inf)
            if len(played.turns) >= FEW_TURNS:
                return played
        raise Skipped("the games on this board are too short")


def in_parts(lines: Sequence[str], size: int = 12) -> list[Sequence[str]]:
    """Split lines into parts of `size`; a slow engine gets only the first ones."""
    return [lines[begin : begin + size] for begin in range(0, len(lines), size)]


def in_short(lines: list[str]) -> str:
    """Return a reply in a form that fits into a sentence."""
    return repr(lines[0]) if len(lines) == 1 else f"{len(lines)} lines"


def play_line(colour: Colour, turn: Turn) -> str:
    """Return the command that plays a turn."""
    return f"play {colour} {turn}"
