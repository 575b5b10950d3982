"""Games on the page with real engine processes, good ones and others."""

from __future__ import annotations

import json
import sys
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import trio

from oddly.interfaces.human_play.game_in_progress import Click
from oddly.interfaces.web.game_store import GamesFile, GameStore
from oddly.interfaces.web.installed_engines import InstalledEngine, installed_engines
from oddly.interfaces.web.lobby import GameRequestError, Lobby
from oddly.interfaces.web.security import Bounds
from oddly.interfaces.web.websockets import Outbox
from oddly.referee.justice.outcome import Termination
from oddly.tournaments.ledger.store import Ledger
from tests.patience import PATIENCE

FAKE = str(Path(__file__).parents[2] / "fakes" / "engine.py")


def fake(name, *words):
    return InstalledEngine(name, "", (sys.executable, FAKE, *words))


ENGINES = {
    "good": fake("good"),
    "crasher": fake("crasher", "--fault", "crash", "--at", "2"),
    "liar": fake("liar", "--fault", "illegal", "--at", "1"),
    "sleeper": fake("sleeper", "--fault", "hang", "--at", "1"),
}


class Visitor:
    """A browser without a screen."""

    def __init__(self, game, link=None):
        self.game = game
        self.outbox = Outbox()
        game.join(self.outbox, link)

    def do(self, action, **more):
        self.game.hear(self.outbox, {"do": action, **more})

    async def plays_somewhere(self):
        """One stone on the first vertex that may have one."""
        current = self.game.current
        self.do("click", vertex=next(v for v, c in current.clicks.items() if c is Click.DROP))
        self.do("end")

    async def sees(self, true):
        """The next view of which something is true."""
        with trio.fail_after(PATIENCE):
            while True:
                for text in await self.outbox.get():
                    view = json.loads(text)
                    if true(view):
                        return view


@asynccontextmanager
async def room(tmp_path, **bounds):
    limits = Bounds(memory=0, **bounds)
    with (
        GamesFile(tmp_path / "played.sqlite") as file,
        GameStore(tmp_path / "open.sqlite", limits.kept) as store,
    ):
        async with trio.open_nursery() as nursery:
            play = Lobby(nursery, ENGINES, limits, file, store)
            try:
                yield play
            finally:
                play.close()


def request(game="yodd", size=2, seats=("human", "good"), **more):
    return json.dumps({"game": game, "size": size, "seats": seats, **more})


def is_game(view):
    return view["kind"] == "game"


def refusal(view):
    return view["kind"] == "refused"


async def test_a_human_plays_takes_back_and_passes_to_the_end(tmp_path):
    async with room(tmp_path) as play:
        visitor = Visitor(play.open(request()))
        visitor.do("click", vertex="b2")
        visitor.do("end")
        view = await visitor.sees(lambda v: is_game(v) and len(v["turns"]) == 2)
        assert view["turns"] == ["Bb2", "pass"]
        visitor.do("undo")
        view = await visitor.sees(is_game)
        assert (view["turns"], view["to_move"]) == ([], "black")
        visitor.do("click", vertex="b2")
        visitor.do("end")
        await visitor.sees(lambda v: is_game(v) and len(v["turns"]) == 2)
        visitor.do("pass")
        view = await visitor.sees(is_game)
        assert view["over"] == "White wins by one group: both players passed."
    with Ledger(tmp_path / "played.sqlite", read_only=True) as ledger:
        (record,) = ledger.records().values()
    assert record.players == ("human", "good")
    assert [turn.turn for turn in record.turns] == ["Bb2", "pass", "pass"]
    assert record.outcome.winner == 1


async def test_an_engine_that_dies_is_restarted_and_the_game_kept(tmp_path):
    async with room(tmp_path) as play:
        body = request("odd", 2, ["human", "crasher"], settings={"min_group": "1"})
        visitor = Visitor(play.open(body))
        await visitor.plays_somewhere()
        await visitor.sees(lambda v: is_game(v) and len(v["turns"]) == 2)
        await visitor.plays_somewhere()
        view = await visitor.sees(lambda v: is_game(v) and v["fault"])
        assert view["fault"].startswith("crasher: the engine ")
        assert len(view["turns"]) == 3
        visitor.do("restart")
        view = await visitor.sees(lambda v: is_game(v) and len(v["turns"]) == 4)
        assert not view["fault"]


@pytest.mark.parametrize(
    ("name", "words"),
    [("liar", "is not legal"), ("sleeper", "no turn within 1.000 s")],
)
async def test_what_an_engine_does_wrong_is_told_and_costs_no_game(tmp_path, name, words):
    async with room(tmp_path) as play:
        visitor = Visitor(play.open(request(seats=[name, "human"])))
        view = await visitor.sees(lambda v: is_game(v) and v["fault"])
        assert words in view["fault"]
        assert (view["turns"], view["over"]) == ([], "")


async def test_a_turn_of_the_engine_can_be_taken_back_while_it_thinks(tmp_path):
    async with room(tmp_path) as play:
        visitor = Visitor(play.open(request(seats=["human", "sleeper"], seconds=10)))
        visitor.do("click", vertex="b2")
        visitor.do("end")
        await visitor.sees(lambda v: is_game(v) and v["thinking"])
        visitor.do("click", vertex="a2")
        assert (await visitor.sees(refusal))["sentence"] == "It is the turn of sleeper."
        visitor.do("undo")
        assert (await visitor.sees(lambda v: is_game(v) and not v["thinking"]))["turns"] == []


async def test_a_human_may_resign_while_the_engine_thinks(tmp_path):
    async with room(tmp_path) as play:
        visitor = Visitor(play.open(request(seats=["human", "sleeper"], seconds=10)))
        visitor.do("click", vertex="b2")
        visitor.do("end")
        visitor.do("resign")
        view = await visitor.sees(lambda v: is_game(v) and v["over"])
        assert view["over"] == "White wins: Black resigned."
        visitor.do("undo")
        view = await visitor.sees(lambda v: is_game(v) and not v["over"])
        assert (view["turns"], view["thinking"]) == (["Bb2"], True)


async def test_players_exchange_colours_by_a_swap_and_the_engine_plays_on(tmp_path):
    async with room(tmp_path) as play:
        body = request("ayu", 5, ["good", "human"], settings={"pie": "true"})
        visitor = Visitor(play.open(body))
        view = await visitor.sees(lambda v: is_game(v) and len(v["turns"]) == 1)
        assert view["can"]["swap"]
        visitor.do("swap")
        view = await visitor.sees(lambda v: is_game(v) and len(v["turns"]) == 3)
        assert view["turns"][1] == "swap"
        assert (view["to_move"], view["seats"][view["mover"]], view["fault"]) == (
            "black",
            "human",
            "",
        )


async def test_two_browsers_see_one_game_and_a_late_click_is_told(tmp_path):
    async with room(tmp_path) as play:
        game = play.open(request(seats=["human", "human"]))
        one, other = Visitor(game), Visitor(game)
        one.do("click", vertex="b2", turn=0)
        one.do("end", turn=0)
        view = await other.sees(lambda v: is_game(v) and v["turns"])
        assert view["players"] == ["human #1", "human #2"]
        other.do("end", turn=0)
        assert (await other.sees(refusal))["sentence"] == "The board has changed meanwhile."
        other.do("click", vertex="b2")
        assert (await other.sees(refusal))["sentence"] == "b2 is occupied."


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"do": 3},
        {"do": ["click"]},
        {"do": "click"},
        {"do": "click", "vertex": "z" * 1000},
        {"do": "click", "vertex": {"a": 1}},
        {"do": "remove", "vertex": None},
        {"do": "end"},
        {"do": "swap"},
        {"do": "undo"},
        {"do": "restart"},
        {"do": "click", "vertex": "b2", "turn": "0"},
        {"do": "__class__"},
    ],
)
async def test_malformed_wishes_are_refused_and_change_nothing(tmp_path, message):
    async with room(tmp_path) as play:
        visitor = Visitor(play.open(request(seats=["human", "human"])))
        before = await visitor.sees(is_game)
        visitor.game.hear(visitor.outbox, message)
        assert (await visitor.sees(refusal))["sentence"].endswith(".")
        assert visitor.game.view(visitor.game.links[0]) == before


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "JSON"),
        (b"[]", "object"),
        (request("chess"), "unknown game 'chess'"),
        (request(size=99), "unacceptable size 99"),
        (request("ayu", 4), "unacceptable size 4"),
        (request("odd", 2, settings={"min_group": "x"}), "a whole number"),
        (request("odd", 2, settings={"colour": "x"}), "no setting"),
        (request(seats=["human", "rm -rf /"]), "no engine 'rm -rf /'"),
        (request(seats=["good", "good"]), "One player must be human"),
        (request(seats=["human"]), "seats"),
        (request(seconds=600), "one of 1, 3, 10"),
        (request(command="true"), "command"),
        (request(turns=["Bb2", "Bb2"]), "Turn 2, Bb2: b2 is occupied"),
        (request(turns=["x"]), "Turn 1, x"),
        (request(turns=["pass"] * 5000), "A game may have 2000 turns"),
    ],
)
async def test_games_that_cannot_be_are_refused_with_a_sentence(tmp_path, body, said):
    async with room(tmp_path) as play:
        with pytest.raises(GameRequestError) as refused:
            play.open(body if isinstance(body, bytes) else body.encode())
        assert said in str(refused.value)
        assert str(refused.value).endswith(".")
        assert not play.games


async def test_a_game_that_the_server_lost_goes_on_from_its_turns(tmp_path):
    async with room(tmp_path) as play:
        visitor = Visitor(play.open(request(turns=["Bb2", "pass"])))
        view = await visitor.sees(is_game)
        assert (view["turns"], view["to_move"]) == (["Bb2", "pass"], "black")


async def test_the_game_that_was_left_first_makes_room(tmp_path, autojump_clock):
    async with room(tmp_path, games=2) as play:
        old = play.open(request(seats=["human", "human"]))
        await trio.sleep(1)
        young = Visitor(play.open(request(seats=["human", "human"])))
        newest = play.open(request(seats=["human", "human"]))
        assert set(play.games) == {young.game.name, newest.name}
        assert old.name not in play.games


async def test_games_opened_in_a_row_start_no_end_of_engines(tmp_path):
    async with room(tmp_path, games=2) as play:
        for _ in range(4):
            play.open(request(seats=["sleeper", "human"], seconds=10))
            await trio.sleep(0.01)
        with pytest.raises(GameRequestError, match="still stopping"):
            play.open(request(seats=["sleeper", "human"], seconds=10))
        with trio.fail_after(PATIENCE):
            while play._attended > 2:
                await trio.sleep(0.05)
        play.open(request(seats=["sleeper", "human"], seconds=10))


async def test_people_have_names_and_a_clock_that_ends_the_game(tmp_path):
    terms = {"names": ["Ann", " "], "clock": {"main": 10, "increment": 5}}
    async with room(tmp_path) as play:
        visitor = Visitor(play.open(request(seats=["human", "human"], terms=terms)))
        view = await visitor.sees(is_game)
        assert view["players"] == ["Ann", "human"]
        assert (view["clocks"], view["ticking"]) == ([10.0, 10.0], None)
        visitor.do("click", vertex="b2")
        visitor.do("end")
        view = await visitor.sees(lambda v: is_game(v) and v["turns"])
        assert view["ticking"] == 1
        visitor.game._since -= 11
        visitor.do("click", vertex="a2")
        visitor.game._news.set()
        view = await visitor.sees(lambda v: is_game(v) and v["over"])
        assert view["over"] == "Black wins: White lost on time."
        visitor.do("undo")
        view = await visitor.sees(lambda v: is_game(v) and not v["over"])
    with Ledger(tmp_path / "played.sqlite", read_only=True) as ledger:
        (record,) = ledger.records().values()
    assert record.outcome.termination is Termination.TIME
    assert record.outcome.reason == "human: lost on time"


async def test_two_people_agree_on_a_draw_where_the_game_has_draws(tmp_path):
    async with room(tmp_path) as play:
        game = play.open(request("ayu", 5, ["human", "friend"]))
        owner, friend = Visitor(game), Visitor(game)
        game.outboxes[friend.outbox] = next(link for link in game.links if link.seats == (1,))
        owner.do("draw")
        view = await friend.sees(lambda v: is_game(v) and v["draw_offer"] == 0)
        assert view["can"]["draw"]
        owner.do("draw")
        assert not game.current.is_over
        friend.do("draw")
        view = await owner.sees(lambda v: is_game(v) and v["over"])
        assert view["over"] == "A draw: the players agreed."
        yodd = Visitor(play.open(request("yodd", 2, ["human", "human"])))
        yodd.do("draw")
        assert "knows draws" in (await yodd.sees(refusal))["sentence"]


async def test_an_engine_plays_at_a_level_and_says_so(tmp_path):
    async with room(tmp_path) as play:
        play.opponents = {
            **ENGINES,
            "leveller": replace(ENGINES["good"], id="leveller", has_levels=True),
        }
        game = play.open(request(seats=["human", "leveller"], terms={"level": 2}))
        assert game.players == ("human", "leveller, beginner")
        assert game._configurations["leveller"].options == {"level": "2"}
        with pytest.raises(GameRequestError, match=r"terms\.level"):
            play.open(request(terms={"level": 11}))
        with pytest.raises(GameRequestError, match="printable"):
            play.open(request(terms={"names": ["a\nb", ""]}))


def test_the_engines_are_ours_and_those_that_were_named():
    found = installed_engines(["mine=python3 engine.py"])
    assert {"random", "greedy", "mirror", "rave", "uct", "mine"} == set(found)
    assert found["mine"].command[1:] == ("engine.py",)
    assert found["mine"].configuration(3, Bounds()).resources.memory == Bounds().memory
