"""A state machine of games on trio's mock clock: only the guilty one ever loses.

Its rules plan a game turn by turn: when the answer arrives, in which pieces, what else happens,
when the referee stands still meanwhile, how long the engines chatter on standard error, and which
watcher fails. A model says who is guilty of what, from when the bytes arrived and not from when
anybody looked. Then the game is played as in a run, with a log, records and an observer, and judged
again from its log.
"""

import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import trio
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)
from trio.testing import MockClock

from oddly.games.catalogue import create_game
from oddly.protocol.codec import encode_reply
from oddly.protocol.messages import Reply
from oddly.protocol.notation import parse_time_control
from oddly.referee.justice.clock import Clock
from oddly.referee.justice.outcome import Termination
from oddly.referee.justice.record import GameRecord, replay
from oddly.referee.match.engine_pool import EnginePool
from oddly.referee.match.judgement import judge
from oddly.referee.program.configuration import Limits
from oddly.tournaments import Observer, PlayedGame, RecordFile
from oddly.tournaments.executors.conditions import Conditions
from oddly.tournaments.executors.executor import LocalExecutor
from oddly.tournaments.results.schedule import scheduled, turns_digest
from oddly.tournaments.run.observer import Observers
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

    also_lists = "game_over"

    def __init__(self, acts, stand_still, words):
        super().__init__(("", ""))
        self.acts = list(acts)
        self.stand_still = stand_still
        self.words = words
        self.is_stopped = False

    async def attend(self):
        """Chatter: that many words, one each half a second."""
        for _ in range(self.words):
            await trio.sleep(0.5)
            if self.on_stderr is not None and not self.is_stopped:
                self.on_stderr(b"thinking\n")

    def answer(self, command):
        if command.name == "game_over":
            self.write(encode_reply(Reply(True, "", command.id)), 1.0)
            return
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


class Failing(Observer):
    """A watcher that raises an error when it hears of something."""

    def __init__(self, where, error=ValueError):
        self.where, self.error = where, error
        self.failures = 0

    def fail(self, where):
        if where == self.where:
            self.failures += 1
            raise self.error(where)

    def began(self, scheduled):
        self.fail("began")

    def turned(self, scheduled, snapshot):
        self.fail("turned")

    def ended(self, played, record):
        self.fail("ended")


class FailingRecords(RecordFile):
    """A file of records that may fail too."""

    def __init__(self, path, failing):
        super().__init__(path)
        self.path, self.failing = path, failing

    def _write(self, line):
        self.failing.fail("records")
        super()._write(line)


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
        self.words = (0, 0)
        self.failing = Failing("nothing")

    @initialize(
        words=st.tuples(st.sampled_from([0, 3, 40]), st.sampled_from([0, 40])),
        failing=st.builds(
            Failing,
            st.sampled_from(["nothing", "began", "turned", "ended", "records"]),
            st.sampled_from([OSError, ValueError, KeyError]),
        ),
    )
    def watch(self, words, failing):
        self.words, self.failing = words, failing

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
            words = self.words[len(channels)]
            channels.append(Planned(acts[len(channels) :: 2], stand_still, words))
            return channels[-1]

        def stand_still(after, seconds):
            async def do():
                await trio.sleep(after)
                clock.jump(seconds)
                for channel in channels:
                    channel.wake()

            nursery.start_soon(do)

        engines = {name: scripted("", name, time) for name, time in zip("ab", TIMES, strict=True)}
        game = scheduled(1, GAME, 1, "a", "b", 1)
        kept: list[GameRecord] = []
        with tempfile.TemporaryDirectory() as folder:
            records = FailingRecords(Path(folder) / "games.jsonl", self.failing)
            watchers = Observers([self.failing, records])
            log_folder = Path(folder) / "logs"

            def note(record):
                kept.append(record)
                watchers.ended(PlayedGame(game, record.outcome, turns_digest(record)), record)

            async with trio.open_nursery() as nursery:
                conditions = Conditions(
                    1, LIMITS, log_directory=log_folder, on_turn=watchers.turned
                )
                executor = LocalExecutor(engines, conditions, nursery)
                executor.pool = EnginePool(nursery, LIMITS, open_channel=open_channel)
                with trio.move_on_after(self.cancelled_after or EVER * 2):
                    # The first to be opened is the first player's.
                    for engine in engines.values():
                        player = await executor.pool.acquire(engine)
                        await executor.pool.release(player, at_fault=False)
                    watchers.began(game)
                    await executor.play(game, note)
                await executor.pool.stop()
                nursery.cancel_scope.cancel()
            records.finish()
            assert all(channel.is_stopped for channel in channels)
            if not kept:
                assert self.cancelled_after is not None
                return
            (record,) = kept
            (log,) = log_folder.iterdir()
            self.check(record, log.read_text())
            assert len(watchers.failures) == self.failing.failures
            if self.failing.where not in ("records", "ended"):
                (line,) = records.path.read_text().splitlines()
                assert json.loads(line)["score"] == record.outcome.score

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


LIMITS = Limits(margin=MARGIN, reply=1000, line=500)


@pytest.mark.sampled
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
