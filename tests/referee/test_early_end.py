"""Games that the referee ends: at a limit of turns, or since an adjudicator proves who wins."""

from contextlib import asynccontextmanager
from typing import ClassVar

import pytest
import trio

from oddly.games.catalogue import create_game
from oddly.games.turns import Colour
from oddly.protocol.notation import NO_CLOCK, parse_turn
from oddly.referee.justice.outcome import EngineFault, LimitResult, Termination, count_winner
from oddly.referee.justice.record import GameRecord, PlayedTurn, RecordError, replay
from oddly.referee.match import adjudication as module
from oddly.referee.match.adjudication import MAX_FAILURES, EarlyEnds, EngineAdjudicator, Verdict
from oddly.referee.match.game import play_game
from oddly.referee.program.configuration import EngineConfiguration, Limits
from tests.referee.fakes import ScriptedChannel, scripted

YODD = create_game("yodd", 3)
ODD = create_game("odd", 2, {"min_group": 2})
AYU = create_game("ayu", 5)
PIE = create_game("ayu", 3, {"pie": True})


def position_of(game, *turns):
    position = game.start()
    for turn in turns:
        position = position.play(parse_turn(turn))
    return position


def played(game, *turns):
    position, found = game.start(), []
    for turn in turns:
        found.append(PlayedTurn(position.to_move, turn, 0.0))
        position = position.play(parse_turn(turn))
    return position, found


class Listening(ScriptedChannel):
    """A channel that knows `game_over`."""

    also_lists = "game_over"

    opened: ClassVar[list[ScriptedChannel]] = []

    def __init__(self, *arguments) -> None:
        super().__init__(*arguments)
        self.opened.append(self)


class Deaf(Listening):
    """A channel that does not, and refuses everything after the end."""

    also_lists = ""


@pytest.fixture(autouse=True)
def _nobody_opened():
    Listening.opened = []


async def ended(ends, channel=Listening, game=YODD) -> GameRecord:
    players = (scripted("Ba3", "one"), scripted("Wc1,We1", "two #1"))
    return await play_game(game, players, open_channel=channel, ends=ends)


async def test_at_the_limit_the_count_decides_and_both_hear_why(autojump_clock):
    record = await ended(EarlyEnds(max_turns=2))
    outcome = record.outcome
    assert (outcome.termination, outcome.score) == (Termination.TURN_LIMIT, "B+")
    assert outcome.turns == 2
    for channel in Listening.opened:
        told = [command for command in channel.received if command.name == "game_over"]
        assert [" ".join(each.arguments) for each in told] == [
            "B+ turn limit: the limit of 2 turns is reached"
        ]
    # The one to move hears the last turn, too. Engines start in any order.
    heard = [
        [each.arguments[1] for each in channel.received if each.name == "play"]
        for channel in Listening.opened
    ]
    assert sorted(heard) == [["Ba3"], ["Wc1,We1"]]
    assert str(replay(record).result) == "None"
    assert GameRecord.from_json(record.as_json()).as_json() == record.as_json()


async def test_an_engine_that_does_not_know_the_command_reads_a_comment(autojump_clock):
    record = await ended(EarlyEnds(max_turns=1), Deaf)
    assert record.outcome.score == "W+"
    for channel in Listening.opened:
        assert [command.name for command in channel.received][-2:] == ["name", "quit"]


def test_the_count_is_that_of_two_passes_where_players_may_pass():
    one_to_none = position_of(YODD, "Ba3")
    assert count_winner(one_to_none, LimitResult.COUNT) is Colour.WHITE
    assert count_winner(one_to_none, LimitResult.DRAW) is None
    assert count_winner(position_of(ODD, "Bb2"), LimitResult.COUNT) is None
    assert count_winner(AYU.start(), LimitResult.COUNT) is None


async def test_a_record_with_another_count_does_not_replay(autojump_clock):
    value = (await ended(EarlyEnds(max_turns=1))).as_json()
    value |= {"score": "B+", "winning_colour": "black", "winner_index": 0}
    with pytest.raises(RecordError, match="the record says B\\+, the count white"):
        replay(GameRecord.from_json(value))


class Sure:
    """An adjudicator that knows from the start that White wins."""

    async def verdict(self, position, turns):
        return Verdict(Colour.WHITE, "it is clear", "W Wb2")


async def test_a_verdict_ends_the_game_and_is_told_and_recorded(autojump_clock):
    record = await ended(EarlyEnds(adjudicator=Sure()))
    outcome = record.outcome
    assert (outcome.termination, outcome.score, outcome.winner) == (
        Termination.ADJUDICATION, "W+", 1,
    )  # fmt: skip
    assert (outcome.reason, outcome.evidence, outcome.turns) == ("it is clear", "W Wb2", 1)
    assert not outcome.is_forfeit
    replay(record)


class Solver:
    """The seat of an adjudicator, which answers by the turns so far."""

    name = "solver"
    is_running = True

    def __init__(self, answers) -> None:
        self.answers = answers
        self.asked = []

    async def solve(self, game, turns, positions, patience):
        key = " ".join(str(turn) for _, turn in turns)
        self.asked.append(key)
        answer = self.answers.get(key, self.answers.get("*", "unknown"))
        if isinstance(answer, EngineFault):
            raise answer
        return answer

    async def stop(self) -> None:
        return


@asynccontextmanager
async def adjudicating(monkeypatch, answers, said=None):
    solver = Solver(answers)
    monkeypatch.setattr(module, "EngineSeat", lambda *_, **__: solver)
    configuration = EngineConfiguration("the adjudicator", ("solver",), NO_CLOCK)
    async with trio.open_nursery() as nursery:
        say = None if said is None else said.append
        yield (
            EngineAdjudicator(configuration, nursery, Limits(), positions=9, seconds=1, say=say),
            solver,
        )


@pytest.mark.parametrize(
    ("answers", "winner"),
    [
        ({"Bb2": "W Wc2", "Bb2 Wc2": "W"}, Colour.WHITE),
        ({"Bb2": "B", "*": "B Wa1"}, Colour.BLACK),
        ({"Bb2": "0 Wc2", "Bb2 Wc2": "0 Ba1"}, None),
        ({"Bb2": "unknown"}, "none"),
        ({"Bb2": "W Wc2"}, "none"),
        ({"Bb2": "B"}, "none"),
    ],
)
async def test_what_it_says_counts_if_it_stands_by_it(monkeypatch, answers, winner):
    position, turns = played(ODD, "Bb2")
    async with adjudicating(monkeypatch, answers) as (adjudicator, _):
        verdict = await adjudicator.verdict(position, turns)
    assert (verdict.winner if verdict else "none") == winner
    if verdict is not None:
        assert verdict.reason.startswith("the adjudicator, solver, proves that ")
        assert verdict.evidence == answers["Bb2"]


@pytest.mark.parametrize(
    ("answers", "winner"),
    [
        ({"b1-b2": "W swap", "b1-b2 swap": "B"}, Colour.WHITE),
        ({"b1-b2": "B", "b1-b2 swap": "W a2-a1", "*": "B a3-b3"}, Colour.BLACK),
        ({"b1-b2": "0 swap", "b1-b2 swap": "0 a2-a1"}, None),
    ],
)
async def test_after_a_swap_the_same_winner_has_the_other_colour(monkeypatch, answers, winner):
    position, turns = played(PIE, "b1-b2")
    async with adjudicating(monkeypatch, answers) as (adjudicator, solver):
        verdict = await adjudicator.verdict(position, turns)
    assert (verdict.winner, verdict.evidence) == (winner, answers["b1-b2"])
    assert "b1-b2 swap" in solver.asked


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"*": "W Wb2"}, "its turn is not legal: "),
        ({"*": "W"}, "a player who is not lost has a turn (W)"),
        ({"*": "B Wc2"}, "a player who is lost has no turn (B Wc2)"),
        ({"Bb2": "W Wc2", "*": "B Ba1"}, "it contradicts itself after Wc2 (B Ba1)"),
        ({"*": "W z99z"}, "its turn is malformed: "),
        ({"*": "I think White"}, "its answer to solve is invalid (I think White)"),
        ({"*": EngineFault(Termination.CRASH, "the engine exited")}, "the engine exited"),
    ],
)
async def test_what_it_does_wrong_costs_nobody_a_game(monkeypatch, answers, reason):
    position, turns = played(ODD, "Bb2")
    said = []
    async with adjudicating(monkeypatch, answers, said) as (adjudicator, solver):
        for _ in range(MAX_FAILURES + 2):
            assert await adjudicator.verdict(position, turns) is None
    assert len(said) == 1
    assert said[0].startswith(f"the adjudicator is no longer asked: {reason}")
    assert solver.asked.count("Bb2") == MAX_FAILURES
