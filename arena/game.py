"""One running game as a state machine: answers and their times go in, rulings come out.

Times are in seconds of the arena's clock, which stands still while the arena does not run. A
player's clock runs from `ask` to the arrival of the turn; `hold` stops it and `release` starts it
again. `plan`, `counted` and `asked` are all that is needed to go on after a crash.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from oddly.arena.wire.messages import RESIGN
from oddly.games import draw
from oddly.protocol import TurnEvaluation, parse_turn
from oddly.referee import EngineFault, GameRecord, Outcome, PlayedTurn, Termination
from oddly.referee.justice.clock import Clock, LagCredits, LagQuota, Timing, Wait, quota_rule
from oddly.referee.justice.legality import rule_on
from oddly.referee.justice.outcome import ended_by_rules, lost_by

if TYPE_CHECKING:
    from collections.abc import Container

    from oddly.games import Position
    from oddly.protocol import TimeControl
    from oddly.tournaments import ScheduledGame

SET_WITHIN = 30.0
"""Seconds in which both engines must set a game up."""


class GamePlan(NamedTuple):
    """A game as paired. Players are engines' names; the first one opens."""

    scheduled: ScheduledGame
    pool: str
    control: TimeControl
    programs: tuple[str, str] = ("", "")
    """The names and versions that the engines give themselves."""
    rated: bool = True
    is_second: bool = False
    """Whether the pair has played the same opening with seats swapped."""
    seat: str = ""
    """The digest of the secret that holds a visitor's seat; empty without a visitor."""
    opening_turns: int | None = None
    """The `opening_turns` of the pool; its opening may be longer. None in older games."""
    address: str = ""
    """A hash of the visitor's address, which stays private."""


class CountedTurn(NamedTuple):
    """A turn that counts, with the timestamps that give its duration."""

    number: int
    """The number of turns played before it."""
    turn: str
    wait: Wait
    """In seconds of the arena's clock."""
    credit: float
    evaluation: TurnEvaluation | None = None


class GameEnding(NamedTuple):
    """How a game ended, for its players and for lists."""

    winner: int | None
    score: str
    reason: str
    termination: str
    turns: int
    last: str
    """The last turn; empty if there was none."""
    is_void: bool

    @classmethod
    def of(cls, record: GameRecord) -> GameEnding:
        """Return how a game ended."""
        outcome = record.outcome
        last = record.turns[-1].turn if record.turns else ""
        return cls(
            outcome.winner,
            outcome.score,
            outcome.reason,
            outcome.termination.value,
            len(record.turns),
            last,
            outcome.is_void,
        )

    def unknown_to(self, player: int) -> tuple[str, ...]:
        """Return the turns since the player's own last one."""
        return (self.last,) if self.last and (self.turns - 1) % 2 != player else ()


class UnheardEnd(NamedTuple):
    """The end of a game, for a player who does not know it yet."""

    game: str
    pool: str
    """Empty for an unrated game."""
    player: int
    name: str
    ending: GameEnding


class Answered(Enum):
    """The result of a turn that was sent."""

    IGNORED = "ignored"
    ACCEPTED = "accepted"
    OVER = "over"
    """It ended the game: accepted or not, see the outcome."""


@dataclass(frozen=True, slots=True)
class TimesLeft:
    """Both players' seconds, and periods or turns, as in `time_left`."""

    clocks: tuple[float, float]
    periods: tuple[int, int]


class ArenaGame:
    """A running game. Player 0 opened; the arena knows who that is."""

    def __init__(self, plan: GamePlan, began: float) -> None:
        self.plan = plan
        self.began = began
        self.id = plan.scheduled.id
        self.opening = len(plan.scheduled.opening)
        self.position = plan.scheduled.game.start()
        self.turns: list[PlayedTurn] = []
        self.counted: list[CountedTurn] = []
        self.clocks = (Clock(plan.control), Clock(plan.control))
        rule = quota_rule(plan.control)
        self.quotas = (LagQuota(rule), LagQuota(rule))
        self.is_set = [False, False]
        self.waits_since = began
        """Since when the arena waits for the engines to set the game up."""
        self.asked: float | None = None
        """When the mover was asked; None if it was not."""
        self.outcome: Outcome | None = None
        self.held: float | None = None
        """Since when the mover's clock stands still; None if it runs."""
        self._last: tuple[Wait, float] | None = None
        """The last wait that brought no valid turn, and its credit."""
        for turn in plan.scheduled.opening:
            self.turns.append(PlayedTurn(self.position.to_move, turn, 0.0))
            self.position = self.position.play(parse_turn(turn))

    @property
    def players(self) -> tuple[str, str]:
        """The names of both engines."""
        return self.plan.scheduled.first, self.plan.scheduled.second

    @property
    def mover(self) -> int:
        """The player to move."""
        return len(self.turns) % 2

    @property
    def is_running(self) -> bool:
        """Whether both engines have set the game up and it is not over."""
        return self.outcome is None and all(self.is_set)

    @property
    def must_ask(self) -> bool:
        """Whether the mover must be asked."""
        return self.is_running and self.asked is None

    def set_by(self, player: int) -> bool:
        """Note that a player has set the game up; return whether this is new."""
        is_new = not self.is_set[player] and self.outcome is None
        self.is_set[player] = True
        return is_new

    def ask(self, now: float) -> None:
        """Start the mover's clock, now that its socket has the question."""
        if self.must_ask:
            self.asked, self.held = now, None

    def hold(self, now: float) -> None:
        """Stop the clock."""
        if self.held is None:
            self.held = now

    def release(self, now: float) -> None:
        """Start the clock again, as if the mover had been asked later."""
        if self.held is not None and self.asked is not None:
            self.asked += now - self.held
        self.held = None

    def used(self, now: float) -> float:
        """Return the seconds for which the mover's clock has run."""
        if self.asked is None:
            return 0.0
        return max(0.0, (now if self.held is None else self.held) - self.asked)

    def answer(
        self,
        player: int,
        number: int,
        text: str,
        took: float,
        now: float,
        justified: float,
        evaluation: TurnEvaluation | None = None,
    ) -> Answered:
        """Judge a turn or resignation that a player sent after `number` turns, read at `now`.

        `took` is the engine's time in seconds, as its side reports it; at most `justified` seconds
        of lag are credited. A turn that is already known, or has not been asked for, is ignored.
        """
        if not self.is_running:
            return Answered.IGNORED
        if text.strip().lower() == RESIGN:
            self._resign(player, now, took, justified)
            return Answered.OVER
        if number < len(self.turns):
            return Answered.IGNORED
        if number > len(self.turns) or player != self.mover:
            reason = f"turn {number + 1} was sent before its time"
            self._forfeit(player, EngineFault(Termination.PROTOCOL, reason, text.encode()))
            return Answered.OVER
        if self.asked is None:
            return Answered.IGNORED
        wait, credit = self._wait(now, took, justified)
        allowance = self.clocks[player].allowance()
        if wait.taken > allowance:
            self._lose_on_time(wait, credit)
            return Answered.OVER
        try:
            turn, after = rule_on(self.position, text)
        except EngineFault as fault:
            self._last = wait, credit
            self._forfeit(player, fault)
            return Answered.OVER
        self._count(CountedTurn(number, str(turn), wait, credit, evaluation))
        self._move_to(after)
        return Answered.OVER if after.is_over else Answered.ACCEPTED

    def restore(self, turn: CountedTurn) -> None:
        """Replay a turn that counted before a crash. Raises EngineFault if it is not legal."""
        _, after = rule_on(self.position, turn.turn)
        self._count(turn)
        self._move_to(after)

    def look(self, now: float, justified: float) -> bool:
        """Rule on the mover's time if no turn has come by `now`; return whether the game is over.

        Lag that is `justified` may still be credited, so the time ends that much later.
        """
        if not self.is_running or self.asked is None or now < self.deadline(justified):
            return self.outcome is not None
        self._lose_on_time(*self._wait(now, 0.0, justified))
        return True

    def deadline(self, justified: float) -> float:
        """Return when the mover's time ends; infinity while no clock runs."""
        if self.asked is None or self.held is not None or not self.is_running:
            return math.inf
        credit = min(justified, self.quotas[self.mover].left)
        return self.asked + self.clocks[self.mover].allowance() + credit

    def not_set(self, forgiven: Container[str]) -> None:
        """End the game because engines did not set it up; a forgiven engine does not lose."""
        missing = [player for player in (0, 1) if not self.is_set[player]]
        names = " and ".join(self.players[player] for player in missing)
        reason = f"{names}: did not set up the game within {SET_WITHIN:g} s"
        if len(missing) == 1 and self.players[missing[0]] not in forgiven:
            fault = EngineFault(Termination.NO_START, reason.partition(": ")[2])
            self._forfeit(missing[0], fault)
            return
        self.void(reason)

    def void(self, reason: str) -> None:
        """End the game without a result, unless it is over."""
        if self.outcome is None:
            self.outcome = Outcome(None, None, "void", Termination.VOID, reason, len(self.turns))

    def times_left(self, now: float) -> TimesLeft:
        """Return the time left on each player's clock."""
        used = [0.0, 0.0]
        used[self.mover] = self.used(now)
        one, other = (clock.left(each) for clock, each in zip(self.clocks, used, strict=True))
        return TimesLeft((one[0], other[0]), (one[1], other[1]))

    def texts(self) -> tuple[str, ...]:
        """Return all turns so far."""
        return tuple(turn.turn for turn in self.turns)

    def record(self) -> GameRecord:
        """Return the record of the game. Raises RuntimeError before it is over."""
        if self.outcome is None:
            raise RuntimeError("the game is not over")
        plan = self.plan
        return GameRecord(
            plan.scheduled.game,
            self.players,
            plan.programs,
            plan.scheduled.seed,
            tuple(self.turns),
            self.outcome,
            self.opening,
            timing=self._timing(),
        )

    def _timing(self) -> Timing | None:
        stamped = [(turn.wait, turn.credit) for turn in self.counted]
        if self._last is not None:
            stamped.append(self._last)
        if not stamped:
            return None
        waits = tuple(
            Wait(wait.asked - self.began, wait.looked - self.began, wait.taken)
            for wait, _ in stamped
        )
        credited = LagCredits(self.quotas[0].rule, tuple(credit for _, credit in stamped))
        control = str(self.plan.control)
        return Timing((control, control), 0.0, waits, credited)

    def _wait(self, now: float, took: float, justified: float) -> tuple[Wait, float]:
        """Return the mover's wait up to `now`, and its credit."""
        if self.asked is None:
            raise RuntimeError("nobody was asked")
        used = self.used(now)
        credit = max(0.0, min(used - took, justified, self.quotas[self.mover].left))
        return Wait(self.asked, now, used - credit), credit

    def _resign(self, player: int, now: float, took: float, justified: float) -> None:
        if player == self.mover and self.asked is not None:
            self._last = self._wait(now, took, justified)
        self.outcome = self._lost(player, Termination.RESIGNATION, "resigned")

    def _count(self, turn: CountedTurn) -> None:
        """Add a turn of the mover that has been judged."""
        mover = self.mover
        clock = self.clocks[mover]
        clock.spend(min(turn.wait.taken, clock.allowance()))
        self.quotas[mover].spend(turn.credit)
        self.counted.append(turn)
        colour = self.position.to_move
        self.turns.append(PlayedTurn(colour, turn.turn, turn.wait.taken, turn.evaluation))
        self.asked = self.held = None

    def _move_to(self, position: Position) -> None:
        """Take the position after a turn that counts, which may end the game."""
        self.position = position
        if position.is_over:
            self.outcome = ended_by_rules(position, self.mover, len(self.turns))

    def _lose_on_time(self, wait: Wait, credit: float) -> None:
        self._last = wait, credit
        reason = f"no turn within {self.clocks[self.mover].allowance():.3f} s"
        self.outcome = self._lost(self.mover, Termination.TIME, reason)

    def _forfeit(self, loser: int, fault: EngineFault) -> None:
        is_illegal = fault.termination is Termination.ILLEGAL_TURN
        outcome = self._lost(loser, fault.termination, fault.reason)
        diagram = draw(self.position) if is_illegal else ""
        self.outcome = replace(outcome, evidence=fault.evidence, diagram=diagram)

    def _lost(self, loser: int, termination: Termination, reason: str) -> Outcome:
        side = self.position.to_move
        winner = side.other if loser == self.mover else side
        return lost_by(loser, self.players[loser], winner, termination, reason, len(self.turns))
