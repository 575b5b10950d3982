"""A state machine of games on trio's mock clock: only the guilty one ever loses.

Its rules plan a game turn by turn: when the answer arrives, in which pieces, what else happens, and
when the referee stands still meanwhile. A model says who is guilty of what, from when the bytes
arrived and not from when anybody looked. Then the game is played, and judged again from its log.
"""

import io
from dataclasses import dataclass, field

import pytest
import trio
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test
from trio.testing import MockClock

from oddly.games.catalogue import create_game
from oddly.protocol.time_control import parse_time_control
from oddly.referee.justice.clock import Clock
from oddly.referee.justice.outcome import Termination
from oddly.referee.justice.record import replay
from oddly.referee.match.game import play_pooled_game
from oddly.referee.match.pool import EnginePool
from oddly.referee.match.wire_log import WireLog, judge
from oddly.referee.program.limits import Limits
from tests.referee.fakes import ScriptedChannel, scripted

GAME = create_game("odd", 2)
TURNS = ("Bb1", "Wc2", "Bc1", "Wa3", "Ba2", "Wb3", "Bb2")
MARGIN = 0.1
TIMES = ("2", "1.5+0.5")
MOMENT = 0.001
EVER = 1e6
ANSWERS = ("an answer", "an illegal turn", "a refusal", "a greeting", "a flood", "an exit", "two")
RULINGS = {
    "an illegal turn": Termination.ILLEGAL_TURN,
    "a refusal": Termination.PROTOCOL,
    "a greeting": Termination.PROTOCOL,
    "a flood": Termination.PROTOCOL,
    "an exit": Termination.CRASH,
}


@dataclass
class Act:
    """What happens in one turn; times are in seconds from the question on."""

    turn: str
    kind: str = "an answer"
    arrives: float = 0.0
    pieces: int = 1
    stands_still: list[tuple[float, float]] = field(default_factory=list)

    def bytes(self, number: int) -> bytes:
        """What the engine writes; none if it exits."""
        answer = f"={number} {self.turn}\n\n"
        return {
            "an answer": answer,
            "an illegal turn": f"={number} Bz99\n\n",
            "a refusal": f"?{number} no\n\n",
            "a greeting": "hello\n\n",
            "a flood": f"={number} " + "x\n" * 600,
            "an exit": "",
            "two": answer + answer,
        }[self.kind].encode()


class Planned(ScriptedChannel):
    """An engine that acts as planned, and can make the referee stand still."""

    def __init__(self, acts, stand_still):
        super().__init__(("", ""))
        self.acts = list(acts)
        self.stand_still = stand_still
        self.is_stopped = False

    def answer(self, command):
        if command.name != "genmove":
            super().answer(command)
            return
        act = self.acts.pop(0)
        data = act.bytes(command.id)
        size = max(1, -(-len(data) // act.pieces))
        pieces = [data[at : at + size] for at in range(0, len(data), size)] or [b""]
        for index, piece in enumerate(pieces, start=1):
            # The last piece arrives at that very moment: 1.6 * 3 / 3 would be later.
            self.write(piece, act.arrives * (index / len(pieces)))
        for after, seconds in act.stands_still:
            self.stand_still(after, seconds)

    async def stop(self, grace, farewell=b""):
        self.is_stopped = True


STANDSTILLS = st.tuples(st.floats(0, 3), st.sampled_from([0.2, 0.5, 3.0]))
"""After how many seconds of the turn, and for how many."""


class Games(RuleBasedStateMachine):
    """Plans a game, with the clocks as they are by the times of arrival."""

    def __init__(self):
        super().__init__()
        self.acts: list[Act] = []
        self.clocks = [Clock(parse_time_control(time)) for time in TIMES]
        self.margins = [MARGIN, MARGIN]
        self.stood_still = False
        self.unasked = [False, False]
        self.allowed: set[tuple[Termination, int | None]] = set()
        self.is_over = False
        self.cancelled_after: float | None = None

    @precondition(lambda self: not self.is_over and self.cancelled_after is None)
    @rule(after=st.floats(0, 8))
    def cancel(self, after):
        self.cancelled_after = after

    @precondition(lambda self: self.is_over)
    @rule()
    def nothing_more(self):
        """Leave the game as it is: it is over."""

    @precondition(lambda self: not self.is_over)
    @rule(
        kind=st.sampled_from([*ANSWERS, *["an answer"] * 8]),
        share=st.floats(0, 1),
        moment=st.sampled_from(["early", "early", "in time", "at the limit", "late", "never"]),
        pieces=st.integers(1, 4),
        stands_still=st.sampled_from([0, 0, 1, 2]).flatmap(
            lambda times: st.lists(STANDSTILLS, min_size=times, max_size=times)
        ),
    )
    def turn(self, kind, share, moment, pieces, stands_still):
        """Plan a turn, and know what the rulings on it may be."""
        mover = len(self.acts) % 2
        allowance = self.clocks[mover].allowance()
        limit = allowance + self.margins[mover]
        arrives = {
            "early": share * allowance,
            "in time": limit - MOMENT,
            "at the limit": limit,
            "late": limit + MOMENT + share,
            "never": EVER,
        }[moment]
        # The second of two answers would come at a time of its own.
        pieces = 1 if kind == "two" else pieces
        act = Act(TURNS[len(self.acts)], kind, max(0.0, arrives), pieces, stands_still)
        self.acts.append(act)
        self.stood_still |= bool(stands_still)
        if self.unasked[mover]:
            self.end(Termination.PROTOCOL, mover)
        elif moment in ("late", "never") and not self.stood_still:
            # Bytes that are wrong by themselves may come before the time is over.
            self.allow(Termination.TIME, mover)
            if kind in ("a greeting", "a flood") and pieces > 1:
                self.allow(Termination.PROTOCOL, mover)
            self.is_over = True
        else:
            if stands_still:
                self.allow(Termination.ABANDONED, None)
            if moment in ("late", "never"):
                self.allow(Termination.TIME, mover)
            self.answered(act, mover, allowance)

    def answered(self, act, mover, allowance):
        if act.kind in RULINGS:
            self.end(RULINGS[act.kind], mover)
            return
        self.clocks[mover].spend(min(act.arrives, allowance))
        self.margins[mover] = max(0.0, self.margins[mover] - max(0.0, act.arrives - allowance))
        self.unasked[mover] = act.kind == "two"
        if len(self.acts) == len(TURNS):
            self.end(Termination.BOARD_FULL, None)

    def allow(self, termination, loser):
        self.allowed.add((termination, loser))

    def end(self, termination, loser):
        self.allow(termination, loser)
        self.is_over = True

    def teardown(self):
        if self.acts:
            trio.run(self.play, clock=MockClock(autojump_threshold=0))

    async def play(self):
        acts = [*self.acts, *map(Act, TURNS[len(self.acts) :])]
        channels: list[Planned] = []
        clock = trio.lowlevel.current_clock()

        def open_channel(command, most_stderr, resources=None):
            channels.append(Planned(acts[len(channels) :: 2], stand_still))
            return channels[-1]

        def stand_still(after, seconds):
            async def do():
                await trio.sleep(after)
                clock.jump(seconds)
                for channel in channels:
                    channel.wake()

            nursery.start_soon(do)

        names = [scripted("", name, time) for name, time in zip("ab", TIMES, strict=True)]
        record = None
        async with trio.open_nursery() as nursery:
            pool = EnginePool(nursery, LIMITS, open_channel=open_channel)
            with trio.move_on_after(self.cancelled_after or EVER * 2):
                sink = io.StringIO()
                sink.close = lambda: None
                log = WireLog(sink, trio.current_time())
                log.header({**HEADER, "controls": list(TIMES), "margin": MARGIN})
                # The first to be opened is the first player's.
                for name in names:
                    player = await pool.acquire(name)
                    await pool.release(player, at_fault=False)
                record = await play_pooled_game(pool, GAME, tuple(names), log=log)
                log.outcome(record.as_json())
            await pool.stop()
            nursery.cancel_scope.cancel()
        assert all(channel.is_stopped for channel in channels)
        if record is None:
            assert self.cancelled_after is not None
            return
        self.check(record, sink.getvalue())

    def check(self, record, log):
        outcome = record.outcome
        loser = None if outcome.winner is None or not outcome.is_forfeit else 1 - outcome.winner
        allowed = set(self.allowed)
        if not self.is_over:
            allowed |= self.later()
        assert (outcome.termination, loser) in allowed, (outcome, allowed, self.acts)
        replay(record)
        assert judge(log.splitlines()).contradictions() == []

    def later(self):
        """What may come of the turns that are not planned, which are answered at once."""
        ahead = range(len(self.acts), len(TURNS))
        guilty = [number % 2 for number in ahead if self.unasked[number % 2]]
        if guilty:
            return {(Termination.PROTOCOL, guilty[0])}
        return {(Termination.BOARD_FULL, None)}


HEADER = {"game": "odd", "size": 2, "settings": {}}
LIMITS = Limits(margin=MARGIN, reply=1000, line=500)


def test_only_the_guilty_one_ever_loses():
    run_state_machine_as_test(
        Games, settings=settings(max_examples=150, stateful_step_count=12, deadline=None)
    )


@pytest.mark.parametrize("turn", range(7))
def test_an_answer_that_nobody_could_rule_on_contradicts_nothing(turn):
    """It is on the wire and no turn of the game, whether or not it would have ended the game."""
    planned = Games()
    for number in range(7):
        late = number == turn
        stands_still = [(0.0, 3.0)] if late else []
        share = 1.0 if late else 0.0
        planned.turn("an answer", share, "early", 1, stands_still)
    planned.teardown()
