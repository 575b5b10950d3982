"""Games on the page with real engine processes, good ones and others."""

import json
import sys
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
import trio

from oddly.interfaces.human_play.game_in_progress import Click
from oddly.interfaces.web.bounds import Bounds
from oddly.interfaces.web.game_request import InstalledEngine, installed_engines
from oddly.interfaces.web.game_store import GameStore
from oddly.interfaces.web.lobby import GameRequestError, Lobby
from oddly.interfaces.web.play_routes import Invitations
from oddly.interfaces.web.seats import hashed
from oddly.interfaces.web.stored_games import GamesFile
from oddly.interfaces.web.websockets import Outbox
from oddly.referee.justice.outcome import Termination
from oddly.tournaments.ledger.store import Ledger
from tests.interfaces.web.serving import FAKE, FAKES
from tests.patience import PATIENCE


def fake(name, *words):
    return InstalledEngine(name, "", (sys.executable, FAKE, *words))


ENGINES = {
    "good": fake("good"),
    "crasher": fake("crasher", "--fault", "crash", "--at", "2"),
    "liar": fake("liar", "--fault", "illegal", "--at", "1"),
    "sleeper": fake("sleeper", "--fault", "hang", "--at", "1"),
    "foreseer": InstalledEngine("foreseer", "", (sys.executable, str(FAKES / "foreseer.py"))),
}


OWNER = "the secret of the owner"
FRIEND = "the secret of a friend"


class Looker:
    """A browser without a screen that hears of a room or a game."""

    def __init__(self, room, *more):
        self.outbox = Outbox()
        room.join(self.outbox, *more)

    async def hears(self, kind, true):
        """The next message of a kind of which something is true."""
        with trio.fail_after(PATIENCE):
            while True:
                for text in await self.outbox.get():
                    view = json.loads(text)
                    if view["kind"] == kind and true(view):
                        return view


class Visitor(Looker):
    """A browser that plays with the hash of a secret, by default the owner's."""

    def __init__(self, game, secret=None):
        super().__init__(game, hashed(OWNER) if secret is None else secret)
        self.game = game

    def do(self, action, **more):
        self.game.hear(self.outbox, {"do": action, **more})

    def plays(self, vertex=None):
        """One stone there, or on the first vertex that may have one."""
        clicks = self.game.current.clicks
        self.do("click", vertex=vertex or next(v for v, c in clicks.items() if c is Click.DROP))
        self.do("end")

    async def sees(self, true=lambda _: True, turns=None):
        """The next view of the game of which something is true, or with so many turns."""
        return await self.hears(
            "game", lambda v: true(v) and (turns is None or len(v["turns"]) == turns)
        )

    async def is_refused(self):
        """The sentence of the next refusal."""
        return (await self.hears("refused", lambda _: True))["sentence"]


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


PEOPLE = ("human", "human")


@asynccontextmanager
async def visit(tmp_path, *seats, **more):
    """A visitor of a new game."""
    async with room(tmp_path) as play:
        yield Visitor(play.open(request(seats=seats, **more), OWNER))


def played(tmp_path):
    """The record of the only game that was played."""
    with Ledger(tmp_path / "played.sqlite", read_only=True) as ledger:
        (record,) = ledger.records().values()
    return record


async def test_a_human_plays_takes_back_and_passes_to_the_end(tmp_path):
    async with visit(tmp_path, "human", "good") as visitor:
        visitor.plays("b2")
        assert (await visitor.sees(turns=2))["turns"] == ["Bb2", "pass"]
        visitor.do("undo")
        view = await visitor.sees()
        assert (view["turns"], view["to_move"]) == ([], "black")
        visitor.plays("b2")
        await visitor.sees(turns=2)
        visitor.do("pass")
        assert (await visitor.sees())["over"] == "White wins by one group: both players passed."
    record = played(tmp_path)
    assert record.players == ("human", "good")
    assert [turn.turn for turn in record.turns] == ["Bb2", "pass", "pass"]
    assert record.outcome.winner == 1


async def test_an_engine_that_dies_is_restarted_and_the_game_kept(tmp_path):
    settings = {"min_group": "1"}
    async with visit(tmp_path, "human", "crasher", game="odd", settings=settings) as visitor:
        visitor.plays()
        await visitor.sees(turns=2)
        visitor.plays()
        view = await visitor.sees(lambda v: v["fault"])
        assert view["fault"].startswith("crasher: the engine ")
        assert len(view["turns"]) == 3
        visitor.do("restart")
        assert not (await visitor.sees(turns=4))["fault"]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "words"), [("liar", "is not legal"), ("sleeper", "no turn within 1.000 s")]
)
async def test_what_an_engine_does_wrong_is_told_and_costs_no_game(tmp_path, name, words):
    async with visit(tmp_path, name, "human") as visitor:
        view = await visitor.sees(lambda v: v["fault"])
        assert words in view["fault"]
        assert (view["turns"], view["over"]) == ([], "")


async def test_who_resigns_to_an_engine_that_has_failed_hears_no_more_of_the_fault(tmp_path):
    async with visit(tmp_path, "liar", "human") as visitor:
        await visitor.sees(lambda v: v["fault"])
        visitor.do("resign")
        assert (await visitor.sees(lambda v: v["over"]))["fault"] == ""
        visitor.do("restart")
        assert await visitor.is_refused() == "The engine has not failed."
        # The engine is asked again when the end is taken back.
        visitor.do("undo")
        assert not (await visitor.sees(lambda v: v["fault"]))["over"]


async def test_a_turn_of_the_engine_can_be_taken_back_while_it_thinks(tmp_path):
    async with visit(tmp_path, "human", "sleeper", seconds=10) as visitor:
        visitor.plays("b2")
        await visitor.sees(lambda v: v["thinking"])
        visitor.do("click", vertex="a2")
        assert await visitor.is_refused() == "It is the turn of sleeper."
        visitor.do("undo")
        assert (await visitor.sees(lambda v: not v["thinking"]))["turns"] == []
        # One may resign while it thinks, and take that back too.
        visitor.plays("b2")
        visitor.do("resign")
        view = await visitor.sees(lambda v: v["over"])
        assert view["over"] == "White wins: Black resigned."
        visitor.do("undo")
        view = await visitor.sees(lambda v: v["turns"] and not v["over"])
        assert (view["turns"], view["thinking"]) == (["Bb2"], True)


async def test_players_exchange_colours_by_a_swap_and_the_engine_plays_on(tmp_path):
    pie = {"game": "ayu", "size": 5, "settings": {"pie": "true"}}
    async with visit(tmp_path, "good", "human", **pie) as visitor:
        assert (await visitor.sees(turns=1))["can"]["swap"]
        visitor.do("swap")
        view = await visitor.sees(turns=3)
        assert (view["turns"][1], view["to_move"], view["fault"]) == ("swap", "black", "")
        assert view["seats"][view["mover"]] == "human"


async def test_two_browsers_see_one_game_and_a_late_click_is_told(tmp_path):
    async with visit(tmp_path, *PEOPLE) as one:
        other = Visitor(one.game)
        one.do("click", vertex="b2", turn=0)
        one.do("end", turn=0)
        view = await other.sees(lambda v: v["turns"])
        assert view["players"] == ["human #1", "human #2"]
        other.do("end", turn=0)
        assert await other.is_refused() == "The board has changed meanwhile."
        other.do("click", vertex="b2")
        assert await other.is_refused() == "b2 is occupied."


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
        {"do": "click", "vertex": "b2", "turn": "0"},
        *({"do": word} for word in ("end", "swap", "undo", "restart", "__class__")),
    ],
)
async def test_malformed_wishes_are_refused_and_change_nothing(tmp_path, message):
    async with visit(tmp_path, *PEOPLE) as visitor:
        before = await visitor.sees()
        visitor.game.hear(visitor.outbox, message)
        assert (await visitor.is_refused()).endswith(".")
        assert visitor.game.view(visitor.game.seating.of(hashed(OWNER))) == before


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "JSON"),
        (b"[]", "object"),
        (request("chess"), "Unknown game 'chess'"),
        (request(size=99), "Unacceptable size 99"),
        (request("ayu", 4), "Unacceptable size 4"),
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
            play.open(body if isinstance(body, bytes) else body.encode(), OWNER)
        assert said in str(refused.value)
        assert str(refused.value).endswith(".")
        assert not play.games


async def test_a_game_with_an_engine_that_the_server_no_longer_has_is_shown(tmp_path):
    async with room(tmp_path) as play:
        name = play.open(request(seats=("human", "sleeper"), turns=["Bb2"]), OWNER).name
    async with room(tmp_path) as play:
        play.opponents = {}
        visitor = Visitor(*play.find(name, [OWNER]))
        view = await visitor.sees(lambda v: v["fault"])
        assert view["fault"] == "sleeper: this server has no such engine."
        visitor.do("restart")
        assert (await visitor.sees(lambda v: v["fault"]))["fault"] == view["fault"]
        visitor.do("resign")
        await visitor.sees(lambda v: v["over"])
    async with room(tmp_path) as play:
        play.opponents = {}
        visitor = Visitor(*play.find(name, [OWNER]))
        assert (await visitor.sees())["over"] == "White wins: Black resigned."
        visitor.do("rematch")
        assert await visitor.is_refused() == "There is no engine 'sleeper' on this server."


async def test_a_game_that_the_server_lost_goes_on_from_its_turns(tmp_path):
    async with visit(tmp_path, "human", "good", turns=["Bb2", "pass"]) as visitor:
        view = await visitor.sees()
        assert (view["turns"], view["to_move"]) == (["Bb2", "pass"], "black")


async def test_the_game_that_was_left_first_makes_room(tmp_path, autojump_clock):
    async with room(tmp_path, games=2) as play:
        play.open(request(seats=PEOPLE), OWNER)
        await trio.sleep(1)
        young = Visitor(play.open(request(seats=PEOPLE), OWNER))
        newest = play.open(request(seats=PEOPLE), OWNER)
        assert set(play.games) == {young.game.name, newest.name}


async def test_games_opened_in_a_row_start_no_end_of_engines(tmp_path):
    async with room(tmp_path, games=2) as play:
        body = request(seats=["sleeper", "human"], seconds=10)
        for _ in range(4):
            play.open(body, OWNER)
            await trio.sleep(0.01)
        with pytest.raises(GameRequestError, match="still stopping"):
            play.open(body, OWNER)
        with trio.fail_after(PATIENCE):
            while play._tables.closing:
                await trio.sleep(0.05)
        play.open(body, OWNER)


async def test_one_address_with_all_tables_gives_one_to_another(tmp_path):
    async with room(tmp_path, games=3) as play:
        body = request(seats=PEOPLE)
        greedy = [Visitor(play.open(body, OWNER, "greedy")) for _ in range(3)]
        with pytest.raises(GameRequestError, match="All 3 tables are taken"):
            play.open(body, OWNER, "greedy")
        first, second = (Visitor(play.open(body, OWNER, f"honest {n}")) for n in (1, 2))
        assert set(play.games) == {each.game.name for each in (greedy[2], first, second)}
        # A share is not taken back, neither by who lost more than one nor by who is new.
        for address in ("greedy", "honest 1", "honest 3"):
            with pytest.raises(GameRequestError, match="All 3 tables are taken"):
                play.find(greedy[0].game.name, address=address)
        with trio.fail_after(PATIENCE):
            while not greedy[0].outbox.closed:
                await trio.sleep(0.01)


async def test_a_finished_game_frees_its_table_and_goes_on_only_where_one_is_free(tmp_path):
    async with room(tmp_path, games=1) as play:
        seen = Visitor(play.open(request(seats=["human", "sleeper"], seconds=10), OWNER))
        seen.plays("b2")
        seen.do("resign")
        with trio.fail_after(PATIENCE):
            while seen.game.holds_table:
                await trio.sleep(0.01)
        other = Visitor(play.open(request(seats=PEOPLE), OWNER))
        assert (await seen.sees(lambda v: v["over"]))["turns"] == ["Bb2"]
        seen.do("undo")
        assert "All 1 tables are taken" in await seen.is_refused()
        other.do("resign")
        seen.do("undo")
        await seen.sees(lambda v: not v["over"])
        other.do("undo")
        assert "All 1 tables are taken" in await other.is_refused()


async def test_an_engine_starts_with_its_game_and_waits_for_its_turn(tmp_path):
    async with visit(tmp_path, "human", "good") as visitor:
        with trio.fail_after(PATIENCE):
            while not visitor.game.record().engines[1]:
                await trio.sleep(0.01)
        assert (await visitor.sees())["turns"] == []


async def test_people_have_names_and_a_clock_that_ends_the_game(tmp_path):
    terms = {"names": ["Ann", " "], "clock": {"main": 10, "increment": 5}}
    async with visit(tmp_path, *PEOPLE, terms=terms) as visitor:
        view = await visitor.sees()
        assert view["players"] == ["Ann", "human"]
        assert (view["clocks"], view["ticking"]) == ([10.0, 10.0], None)
        visitor.plays("b2")
        assert (await visitor.sees(turns=1))["ticking"] == 1
        visitor.game._since -= 11
        visitor.do("click", vertex="a2")
        visitor.game._news.set()
        view = await visitor.sees(lambda v: v["over"])
        assert view["over"] == "Black wins: White lost on time."
        visitor.do("undo")
        await visitor.sees(lambda v: not v["over"])
    outcome = played(tmp_path).outcome
    assert (outcome.termination, outcome.reason) == (Termination.TIME, "human: lost on time")


async def test_two_people_agree_on_a_draw_where_the_game_has_draws(tmp_path):
    async with room(tmp_path) as play:
        game = play.open(request("ayu", 5, ["human", "friend"]), OWNER)
        Invitations(play).take(game.seating.invitations[1], FRIEND, "")
        owner, friend = Visitor(game), Visitor(game, hashed(FRIEND))
        owner.do("draw")
        assert (await friend.sees(lambda v: v["draw_offer"] == 0))["can"]["draw"]
        owner.do("draw")
        assert not game.current.is_over
        friend.do("draw")
        assert (await owner.sees(lambda v: v["over"]))["over"] == "A draw: the players agreed."
        yodd = Visitor(play.open(request(seats=PEOPLE), OWNER))
        yodd.do("draw")
        assert "knows draws" in await yodd.is_refused()


async def test_an_engine_plays_at_a_level_and_says_so(tmp_path):
    async with room(tmp_path) as play:
        leveller = replace(ENGINES["good"], id="leveller", has_levels=True)
        play.opponents = {**ENGINES, "leveller": leveller}
        game = play.open(request(seats=["human", "leveller"], terms={"level": 2}), OWNER)
        assert game.players == ("human", "leveller, beginner")
        assert game._engines._configurations[1].options == {"level": "2"}
        with pytest.raises(GameRequestError, match=r"terms\.level"):
            play.open(request(terms={"level": 11}), OWNER)
        with pytest.raises(GameRequestError, match=r"^A name has up to 24 printable characters\.$"):
            play.open(request(terms={"names": ["a\nb", ""]}), OWNER)


async def test_nobody_takes_the_name_of_an_engine_and_so_its_results(tmp_path):
    async with room(tmp_path) as play:
        play.opponents = {**ENGINES, "a,b": fake("a,b")}
        visitor = Visitor(play.open(request(seats=PEOPLE), OWNER))
        for name in ("good", " GOOD ", "good, beginner", "a,b", "A,B", "a,b, beginner"):
            with pytest.raises(GameRequestError, match="An engine has the name"):
                play.open(request(terms={"names": [name, ""]}), OWNER)
            visitor.do("name", name=name)
            assert "An engine has the name" in await visitor.is_refused()
        for name in ("goodness", "a", "a,c", "Ann, good"):
            play.open(request(terms={"names": [name, ""]}), OWNER)


def test_the_engines_are_ours_and_those_that_were_named():
    found = installed_engines(["mine=python3 engine.py"])
    assert {"random", "greedy", "mirror", "rave", "uct", "mine"} == set(found)
    assert found["mine"].command[1:] == ("engine.py",)
    assert found["mine"].configuration(3, Bounds()).resources.memory == Bounds().memory
