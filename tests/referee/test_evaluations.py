"""What engines expect of their turns: asked with the turn, kept, and without any power."""

import pytest

from oddly.game_records.kept_game import KeptGame
from oddly.game_records.sgf_writing import sgf_game
from oddly.games.catalogue import create_game
from oddly.games.turns import Colour
from oddly.interfaces.report.page import replays
from oddly.protocol.evaluation import TurnEvaluation
from oddly.referee.justice.outcome import Termination
from oddly.referee.justice.record import GameRecord, PlayedTurn, RecordError
from oddly.referee.match.game import play_game
from tests.referee.fakes import ScriptedChannel, scripted


class Thinker(ScriptedChannel):
    """Says something of each turn, after a while."""

    also_lists = "last_evaluation"

    said: tuple[str, ...] = ()
    delay = 0.0

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.said = list(type(self).said)

    def answer(self, command):
        if command.name == "last_evaluation":
            text = self.said.pop(0)
            mark, text = ("?", "no evaluation") if text == "?" else ("=", text)
            self.write(f"{mark}{command.id} {text}\n\n".encode(), self.delay)
        else:
            super().answer(command)


async def game_with(said, delay=0.0):
    class Saying(Thinker):
        pass

    Saying.said, Saying.delay = said, delay
    players = scripted("Ba1 pass", "thinker"), scripted("Bb1 pass", "other")

    def open_channel(command, *rest):
        kind = Saying if command == players[0].command else ScriptedChannel
        return kind(command, *rest)

    return await play_game(create_game("xodd", 2), players, open_channel=open_channel)


async def test_an_evaluation_is_kept_with_its_turn(autojump_clock):
    record = await game_with(["win_rate 0.75 depth 3 lead 1", "mood good win_rate 1"])
    assert record.outcome.termination is Termination.DOUBLE_PASS
    assert [turn.evaluation for turn in record.turns] == [
        TurnEvaluation(0.75, 3, lead=1.0),
        None,
        TurnEvaluation(1.0),
        None,
    ]
    value = record.as_json()
    assert value["evaluations"][:2] == [{"win_rate": 0.75, "depth": 3, "lead": 1.0}, None]
    assert GameRecord.from_json(value).turns == record.turns
    del value["evaluations"]
    assert all(turn.evaluation is None for turn in GameRecord.from_json(value).turns)


@pytest.mark.parametrize("said", ["?", "splendid", "win_rate 7", "1 2 3", ""])
async def test_what_cannot_be_read_changes_nothing(autojump_clock, said):
    record = await game_with([said, "win_rate 0"])
    assert record.outcome.termination is Termination.DOUBLE_PASS
    assert record.turns[0].evaluation is None
    assert record.turns[2].evaluation == TurnEvaluation(0.0)


async def test_it_is_told_on_the_clock(autojump_clock):
    record = await game_with(["win_rate 0.5"] * 2, delay=6.0)
    assert record.outcome.termination is Termination.TIME
    assert record.outcome.winner == 1


async def test_without_any_a_record_is_as_before(autojump_clock):
    record = await game_with(["?", "?"])
    assert "evaluations" not in record.as_json()


async def test_an_engine_that_lists_opponent_hears_of_it_and_both_clocks(autojump_clock):
    opened = []

    class Curious(ScriptedChannel):
        also_lists = "clear_board opponent"

    def open_channel(command, *rest):
        kind = Curious if command == first.command else ScriptedChannel
        opened.append(kind(command, *rest))
        return opened[-1]

    first = scripted("Ba1 pass", "curious", "10+0", "1 1")
    players = first, scripted("Bb1 pass", "#1 <b>", "20+1", "2")
    await play_game(create_game("xodd", 2), players, open_channel=open_channel)
    names = ("clear_board", "opponent", "time_left", "genmove")
    curious = next(channel for channel in opened if isinstance(channel, Curious))
    heard = [" ".join((c.name, *c.arguments)) for c in curious.received if c.name in names]
    assert heard == [
        "clear_board",
        "opponent 20+1 1 <b>",
        "time_left white 20.000 0",
        "time_left black 10.000 0",
        "genmove black",
        "time_left white 19.000 0",
        "time_left black 9.000 0",
        "genmove black",
    ]


def test_malformed_evaluations_are_no_record():
    value = {"evaluations": [{"win_rate": "x"}], "turns": [["black", "Ba1", 0.0]]}
    with pytest.raises(RecordError):
        GameRecord.from_json(value)


def test_blacks_chance_is_that_of_who_holds_black():
    expected = TurnEvaluation(0.75)
    assert PlayedTurn(Colour.BLACK, "a1-a2", 0.0, expected).black_win_rate == 0.75
    assert PlayedTurn(Colour.WHITE, "a1-a2", 0.0, expected).black_win_rate == 0.25
    assert PlayedTurn(Colour.WHITE, "swap", 0.0, expected).black_win_rate == 0.75


async def test_sgf_and_the_report_tell_it(autojump_clock):
    record = await game_with(["win_rate 0.75 depth 3 lead 1", "win_rate 0.5"])
    text = sgf_game(KeptGame(record))
    assert "V[0.5000]" in text
    assert "Black wins 75.0% as black sees it, its own lead is 1.00 groups, 3 turns ahead" in text
    (game,) = replays([("1", record)]).games
    assert game["rates"] == [0.75, None, 0.5, None]
