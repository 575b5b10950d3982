"""The state of each of our turns: asked for, decided, on its way, taken. Nothing here does I/O.

Each game has one `TurnTask`, for its newest position in which it was our turn. `keep` is called
with each new state of a task before anything is done about it. So a new process knows how far a
killed one came, but not whether the site took a turn that was on its way: it looks at the game
before it sends the turn again. botQuery names no position, so this also keeps a turn from being
played in a later position of its game.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING

from oddly.interfaces.bot.site_view import GameView, NextStep, SiteReply, TurnRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


LONGEST = 900.0
"""Seconds that no wait exceeds: a longer one is from a clock that was wrong."""
DELAYS = (1.0, 4.0, 15.0, 60.0, 240.0, LONGEST)
"""Seconds before each new attempt; the last one is repeated."""
SHARE = 20
"""An attempt waits for at most a 20th of the time left in the game."""
SETTLED = 35.0
"""Seconds after which a request without an answer can no longer take effect at the site: its
gateway gives up after 29."""
FRESH = 300.0
"""Seconds for which the site's last word on a game is believed without another look."""
MAX_REFUSALS = 2
"""How often the bot thinks again because the site refused its turn."""
SAME_WORDS = 3
"""This many answers with the same words about a turn, while it is ours, are a refusal."""
REST = LONGEST
"""Seconds before a turn at which the engine failed is thought about again."""
BEFORE_OPENING = 3600.0
"""Seconds that a clock must have left when the machine opens; if not, engines think before."""
MAX_TASKS = 10_000
"""Games that are remembered."""


class TurnStage(Enum):
    """How far a turn has come."""

    ASKED = "asked"
    """It is our turn; engines think, or wait for it."""
    DECIDED = "decided"
    """The turn is chosen, and the site has not got it."""
    SENDING = "sending"
    """The turn is on its way, or nobody knows whether the site took it."""
    TAKEN = "taken"
    REFUSED = "refused"
    """The bot has thought again, and the site refused that too. Only a new process tries again."""
    FAILED = "failed"
    """The engines failed. The turn may be asked for again after a rest."""
    CLOSED = "closed"
    """The game is over or has gone on."""


OPEN = frozenset({TurnStage.ASKED, TurnStage.DECIDED, TurnStage.SENDING})
"""Stages after which there is something to do."""


@dataclass(frozen=True, slots=True)
class TurnTask:
    """One turn of ours. Times are Unix seconds."""

    request: TurnRequest
    stage: TurnStage
    seen: float
    """When the site last said that it is our turn."""
    deadline: float | None = None
    """When our clock runs out, as far as it is known."""
    move: str = ""
    attempts: int = 0
    next_try: float = 0.0
    refused: tuple[str, ...] = ()
    """Turns that the site refused here."""
    said: str = ""
    """The last words about it: the site's, or why there is no turn."""
    same_words: int = 0

    @property
    def is_open(self) -> bool:
        """Whether there is something to do."""
        return self.stage in OPEN

    def is_due(self, now: float) -> bool:
        """Return whether the wait before the next attempt is over."""
        return not now < self.next_try <= now + LONGEST

    @property
    def urgency(self) -> tuple[float, float]:
        """A sort key: the most urgent task has the smallest."""
        return (math.inf if self.deadline is None else self.deadline, self.seen)


@dataclass
class TurnOutbox:
    """The tasks of all games. `keep` stores a new state of a task."""

    keep: Callable[[TurnTask], None]
    tasks: dict[str, TurnTask] = field(default_factory=dict)

    def resume(self, now: float) -> None:
        """Go on after another process: what it sent last may still be on its way.

        A turn that it gave up gets another chance, since the cause may be gone.
        """
        for task in list(self.tasks.values()):
            if task.stage is TurnStage.SENDING:
                last = now if task.is_due(now) else task.next_try
                self._set(replace(task, next_try=max(last, now + SETTLED)))
            elif task.stage is TurnStage.REFUSED:
                self._set(replace(task, stage=TurnStage.ASKED, refused=()))

    def wants(self, gameid: str, plies: int, now: float) -> bool:
        """Return whether our turn after this number of plies is news."""
        known = self.tasks.get(gameid)
        if known is None or plies > known.request.plies:
            return True
        return (
            plies == known.request.plies and known.stage is TurnStage.FAILED and known.is_due(now)
        )

    def ask(self, request: TurnRequest, now: float, deadline: float | None = None) -> bool:
        """Note that it is our turn; return whether that is news."""
        known = self.tasks.get(request.gameid)
        if self.wants(request.gameid, request.plies, now):
            refused = known.refused if known and known.request.plies == request.plies else ()
            self._set(TurnTask(request, TurnStage.ASKED, now, deadline, refused=refused))
            self._forget()
            return True
        if known is not None and known.request.plies == request.plies and known.is_open:
            # What the site says now is newer than what it said then, and it answers.
            known = replace(known, deadline=known.deadline if deadline is None else deadline)
            if known.stage is not TurnStage.SENDING:
                known = replace(known, seen=now, next_try=min(known.next_try, now))
            self._set(known)
        return False

    def decide(self, request: TurnRequest, move: str, now: float) -> None:
        """Note the turn that was chosen."""
        if task := self._current(request, TurnStage.ASKED):
            self._set(replace(task, stage=TurnStage.DECIDED, move=move, attempts=0, next_try=now))

    def fail(self, request: TurnRequest, said: str, now: float) -> None:
        """Note that engines found no turn."""
        if task := self._current(request, TurnStage.ASKED):
            self._set(replace(task, stage=TurnStage.FAILED, said=said, next_try=now + REST))

    def close(self, request: TurnRequest, said: str) -> None:
        """Note that there is no turn to make."""
        if task := self._current(request, *OPEN, TurnStage.FAILED):
            self._set(replace(task, stage=TurnStage.CLOSED, said=said))

    def to_think(self, now: float, opening: float | None = None) -> list[TurnTask]:
        """Return the turns to think about, the most urgent first.

        `opening` is when the machine opens, None if it is open. Until then, only turns whose clocks
        would not last are returned.
        """
        found = [task for task in self.tasks.values() if task.stage is TurnStage.ASKED]
        if opening is not None and opening > now:
            last = opening + BEFORE_OPENING
            found = [task for task in found if task.deadline is not None and task.deadline < last]
        return sorted(found, key=lambda task: task.urgency)

    def to_send(self, now: float) -> list[TurnTask]:
        """Return the turns to send now, the most urgent first."""
        return sorted(
            (task for task in self._unsent() if task.is_due(now)),
            key=lambda task: task.urgency,
        )

    def next_time(self) -> float:
        """Return when to send the next turn; infinity if there is none."""
        return min((task.next_try for task in self._unsent()), default=math.inf)

    def site_is_back(self, now: float) -> None:
        """Let no turn wait longer, because the site answers again."""
        for task in list(self._unsent()):
            soon = now if task.stage is TurnStage.DECIDED else now + SETTLED
            if task.next_try > soon:
                self._set(replace(task, next_try=soon))

    def look(self, task: TurnTask, view: GameView | None, now: float) -> bool:
        """Learn how the game stands, None if the site does not say; return whether to send."""
        current = self._current(task.request, TurnStage.DECIDED, TurnStage.SENDING)
        if current is None:
            return False
        plies = task.request.plies
        if view is None or len(view.texts) < plies:
            self._wait(current, now, "")
        elif len(view.texts) > plies:
            is_ours = view.texts[plies] == current.move
            self._end(current, is_ours, "taken" if is_ours else "the game has gone on")
        elif view.is_over:
            # A resignation is no ply.
            self._end(current, current.move == RESIGN, "the game is over")
        elif not view.is_our_turn:
            self._wait(current, now, "it is not our turn")
        else:
            self._set(replace(current, seen=now, deadline=view.deadline, stage=TurnStage.DECIDED))
            return True
        return False

    def begin(self, task: TurnTask, now: float) -> bool:
        """Note that a turn is sent now; return whether it is still wanted.

        If nothing more is heard of it, nobody knows whether the site took it.
        """
        current = self._current(task.request, TurnStage.DECIDED)
        if current is None:
            return False
        attempts = current.attempts + 1
        self._set(
            replace(current, stage=TurnStage.SENDING, attempts=attempts, next_try=now + SETTLED)
        )
        return True

    def answer(self, task: TurnTask, reply: SiteReply, now: float) -> None:
        """Note the site's answer to a turn that was sent."""
        current = self._current(task.request, TurnStage.SENDING)
        if current is None:
            return
        words = reply.sentence
        if reply.next_step is NextStep.DONE:
            self._set(replace(current, stage=TurnStage.TAKEN, said="taken"))
            return
        same = current.same_words + 1 if reply.may_refuse and words == current.said else 1
        current = replace(current, said=words, same_words=same)
        if reply.next_step is NextStep.REFUSED or (reply.may_refuse and same >= SAME_WORDS):
            refused = (*current.refused, current.move)
            is_last = len(refused) > MAX_REFUSALS
            stage = TurnStage.REFUSED if is_last else TurnStage.ASKED
            self._set(replace(current, stage=stage, refused=refused, move="", same_words=0))
            return
        if not reply.was_sent:
            current = replace(current, stage=TurnStage.DECIDED)
        delay = delay_before(current.attempts, _left(current, now), reply.retry_after)
        if reply.was_sent and not reply.has_words:
            delay = max(delay, SETTLED)
        self._set(replace(current, next_try=now + delay))

    def postpone(self, task: TurnTask, now: float) -> None:
        """Let a turn wait for its next attempt after a bug. It is not kept: that may be the bug."""
        if current := self._current(task.request, TurnStage.DECIDED, TurnStage.SENDING):
            least = SETTLED if current.stage is TurnStage.SENDING else 0.0
            self.tasks[task.request.gameid] = _waiting(current, now, current.said, least)

    def _unsent(self) -> Iterable[TurnTask]:
        return (t for t in self.tasks.values() if t.stage in (TurnStage.DECIDED, TurnStage.SENDING))

    def _current(self, request: TurnRequest, *stages: TurnStage) -> TurnTask | None:
        """Return a request's task, if its game has not gone on and it is at one of the stages."""
        task = self.tasks.get(request.gameid)
        if task is None or task.request.plies != request.plies or task.stage not in stages:
            return None
        return task

    def _wait(self, task: TurnTask, now: float, said: str) -> None:
        self._set(_waiting(task, now, said or task.said))

    def _end(self, task: TurnTask, is_taken: bool, said: str) -> None:
        self._set(replace(task, stage=TurnStage.TAKEN if is_taken else TurnStage.CLOSED, said=said))

    def _set(self, task: TurnTask) -> None:
        self.tasks[task.request.gameid] = task
        self.keep(task)

    def _forget(self) -> None:
        """Forget the oldest finished tasks if there are more than MAX_TASKS."""
        if len(self.tasks) > MAX_TASKS:
            done = [task for task in self.tasks.values() if not task.is_open]
            for task in sorted(done, key=lambda task: task.seen)[: MAX_TASKS // 10]:
                del self.tasks[task.request.gameid]


RESIGN = "resign"


def must_look(task: TurnTask, now: float) -> bool:
    """Return whether to look at the game before the turn is sent."""
    return task.stage is TurnStage.SENDING or task.attempts > 0 or abs(now - task.seen) > FRESH


def delay_before(attempt: int, left: float | None, wished: float | None = None) -> float:
    """Return the seconds to wait before the next attempt after number `attempt`, from 1.

    `left` is the time on our clock, None if unknown or run out; `wished` is the wait that the site
    asked for. Both are in seconds.
    """
    delay = DELAYS[min(attempt, len(DELAYS)) - 1]
    if left is not None:
        delay = min(delay, max(DELAYS[0], left / SHARE))
    return max(delay, wished or 0.0)


def _waiting(task: TurnTask, now: float, said: str, least: float = 0.0) -> TurnTask:
    """Return a task that waits for one more attempt, for at least that many seconds."""
    attempts = task.attempts + 1
    delay = delay_before(attempts, _left(task, now), least)
    return replace(task, attempts=attempts, next_try=now + delay, said=said)


def _left(task: TurnTask, now: float) -> float | None:
    """Return the seconds on our clock. The site takes late turns too, unless the game has ended."""
    return None if task.deadline is None or task.deadline <= now else task.deadline - now
