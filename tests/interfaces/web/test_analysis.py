"""Analysis with a real engine process, and what the page gets of games and files."""

import json
import sys
from contextlib import aclosing
from dataclasses import replace

import pytest
import trio

from oddly.games import create_game
from oddly.games.turns import Colour
from oddly.interfaces.web.analysis import MAX_WAITING, AnalysisRequest, Analyst, proof_thought
from oddly.interfaces.web.bounds import Bounds
from oddly.interfaces.web.game_request import InstalledEngine
from oddly.interfaces.web.practice import (
    BoardRequest,
    FileRequest,
    PracticeError,
    games_view,
    line_view,
)
from oddly.referee import EngineSeat, Resources, find_program
from oddly.referee.justice.record import RecordError
from tests.interfaces.web import serving
from tests.patience import PATIENCE

THINKER = InstalledEngine("thinker", "", (sys.executable, serving.THINKER))
ANALYST = InstalledEngine("uct", "", find_program(("oddly", "engine", "uct")), is_compiled=True)
MUTE = InstalledEngine("mute", "", (sys.executable, serving.FAKE))
ODD = {"game": "odd", "size": 2, "settings": {"min_group": "1"}}


async def heard(engine, *requests):
    """What an analyst says to requests, one after the other."""
    found = []
    async with trio.open_nursery() as nursery:
        analyst = Analyst(engine, nursery, Bounds(memory=0, hint=PATIENCE))
        for request in requests:
            thinking = analyst.begin(AnalysisRequest(**request))
            found.append([json.loads(line) async for line in thinking.lines()])
        await analyst.stop()
    return found


async def test_an_engine_thinks_of_one_position_after_the_other():
    first, second = await heard(THINKER, ODD, {**ODD, "turns": ["Bb2"]})
    assert first[0] == {"kind": "begun", "engine": "thinker"}
    thought = next(said for said in first if said["kind"] == "thought")
    assert thought["win_rate"] == 0.75
    assert thought["turns"][0]["turn"] == "Bb2"
    assert second[0]["kind"] == "begun"


async def test_a_look_at_a_finished_game_is_done_at_once():
    over = {"game": "yodd", "size": 2, "turns": ["Bb2", "pass", "pass"]}
    ((begun, done),) = await heard(THINKER, over)
    assert (begun["kind"], done["kind"]) == ("begun", "done")


async def test_an_engine_that_cannot_is_named():
    ((*_, problem),) = await heard(MUTE, ODD)
    assert problem["kind"] == "problem"
    assert problem["sentence"].startswith("No analysis: mute: ")


async def test_who_leaves_is_not_waited_for():
    async with trio.open_nursery() as nursery:
        analyst = Analyst(THINKER, nursery, Bounds(memory=0, hint=PATIENCE))
        async with aclosing(analyst.begin(AnalysisRequest(**ODD)).lines()) as left:
            assert json.loads(await anext(left))["kind"] == "begun"
        with trio.fail_after(PATIENCE):
            stays = analyst.begin(AnalysisRequest(**ODD)).lines()
            assert json.loads(await anext(stays))["kind"] == "begun"
            analyst.close()
            async for _ in stays:
                pass
        await analyst.stop()


async def test_the_address_that_asks_most_makes_room_for_another():
    async with trio.open_nursery() as nursery:
        analyst = Analyst(THINKER, nursery, Bounds(memory=0, hint=PATIENCE))
        greedy = [analyst.begin(AnalysisRequest(**ODD), "greedy") for _ in range(MAX_WAITING + 1)]
        other = analyst.begin(AnalysisRequest(**ODD), "other")
        assert not other.is_over
        assert [thinking.is_over for thinking in greedy] == [
            True, *[False] * (MAX_WAITING - 1), True
        ]  # fmt: skip
        analyst.close()
        await analyst.stop()


@pytest.mark.sampled
async def test_several_positions_are_thought_of_a_slice_at_a_time():
    heard = []

    async def hear(name, thinking):
        async for line in thinking.lines():
            if json.loads(line)["kind"] == "thought":
                heard.append(name)
            if {"one", "other"} <= set(heard):
                analyst.close()

    async with trio.open_nursery() as nursery:
        analyst = Analyst(ANALYST, nursery, Bounds(memory=0, hint=PATIENCE))
        with trio.fail_after(PATIENCE):
            async with trio.open_nursery() as both:
                for name, size in (("one", 6), ("other", 7)):
                    asked = AnalysisRequest(game="yodd", size=size, seconds=30)
                    both.start_soon(hear, name, analyst.begin(asked, name))
        # Neither had its 30 seconds when both had been thought of.
        assert set(heard) == {"one", "other"}
        await analyst.stop()


async def test_our_engines_think_by_the_plain_rules_until_they_are_compiled(tmp_path, monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    configuration = replace(ANALYST.configuration(1, Bounds()), resources=Resources())
    heard = []
    async with trio.open_nursery() as nursery:
        seat = EngineSeat(configuration, nursery, wire=lambda _, data, at: heard.append(data))
        with trio.fail_after(PATIENCE):
            async with seat.analyze(create_game("yodd", 3).start(), [], 0.1) as stream:
                assert await anext(stream)
        await seat.stop()
    assert b"rules plain" in b"".join(heard)


async def test_a_game_that_is_none_is_refused():
    async with trio.open_nursery() as nursery:
        analyst = Analyst(THINKER, nursery, Bounds(memory=0))
        with pytest.raises(PracticeError, match="b2 is occupied"):
            analyst.begin(AnalysisRequest(**ODD, turns=["Bb2", "Bb2"]))


@pytest.mark.parametrize(
    ("reply", "margin", "sentence"),
    [
        ("B Wc3", (Colour.BLACK, 3), "Proven: Black wins by 3 groups."),
        ("B Wc3", (Colour.BLACK, 1), "Proven: Black wins by one group."),
        ("B Wc3", (Colour.WHITE, 1), "Proven: Black wins."),
        ("W", None, "Proven: White wins."),
        ("0 a1-a2", None, "Proven: a draw."),
    ],
)
def test_a_proof_is_a_sentence(reply, margin, sentence):
    assert proof_thought(reply, margin)["sentence"] == sentence


@pytest.mark.parametrize("reply", ["unknown", "", "B\nW", "X c3"])
def test_what_proves_nothing_is_not_shown(reply):
    assert proof_thought(reply, None) is None


def test_who_opened_has_the_other_colour_after_a_swap():
    turns = ["b5-b4", "swap", "a4-a3"]
    request = BoardRequest(game="ayu", size=5, settings={"pie": "true"}, turns=turns)
    shown = [(frame["first"], frame["to_move"]) for frame in line_view(request)["frames"]]
    assert shown == [("black", "black"), ("black", "white"), ("white", "white"), ("white", "black")]


def test_nobody_leads_where_the_parity_of_all_groups_decides():
    yodd = line_view(BoardRequest(game="yodd", size=3, turns=["Bc3", "Ba3,Be3"]))
    odd = line_view(BoardRequest(game="odd", size=3, turns=["Bc3"]))
    assert [frame["lead"] for frame in yodd["frames"]] == [0, -1, -3]
    assert [frame["lead"] for frame in odd["frames"]] == [None, None]


def test_a_line_is_shown_up_to_its_first_illegal_turn():
    found = line_view(BoardRequest(game="yodd", size=3, turns=["Bc3", "Bc4,Bc4", "pass"]))
    assert [frame["turn"] for frame in found["frames"]] == ["", "Bc3"]
    assert found["problem"].startswith("Turn 2, Bc4,Bc4: ")
    assert line_view(BoardRequest(game="yodd", size=2, turns=["Bb2", "pass", "pass"]))["over"] == (
        "White wins by one group: both players passed."
    )
    with pytest.raises(PracticeError):
        line_view(BoardRequest(game="chess", size=8))


def test_games_come_out_of_files_of_every_kind():
    (game,) = games_view(FileRequest(text="# yodd 3\nBc3 pass pass\n"))
    assert (game["turns"], game["score"]) == (["Bc3", "pass", "pass"], "W+1")
    board = BoardRequest(game="odd", size=3, settings={"min_group": "3"})
    (game,) = games_view(FileRequest(text="Bc3 Wd3", board=board))
    assert game["game"]["settings"]["min_group"] == "3"
    for text in ("(;GM[100]GN[x])", json.dumps({"game": "yodd"})):
        with pytest.raises(RecordError):
            games_view(FileRequest(text=text))
    with pytest.raises(PracticeError, match="no game in it"):
        games_view(FileRequest(text="# nothing"))
