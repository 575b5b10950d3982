"""The store of games: what is in it after a kill, and which files it refuses."""

import json
import sqlite3
import stat
from contextlib import closing

import pytest

from oddly.interfaces.web.game_store import GameStore, StoredGame, StoreError
from oddly.interfaces.web.lobby import GameRequestError
from oddly.interfaces.web.security import Bounds
from oddly.interfaces.web.terms import links_for
from oddly.tournaments.ledger.schema import LedgerError
from tests.interfaces.web.test_lobby import PEOPLE, Visitor, request, room

SUMMARY = {"over": "", "turns": 1}


def stored(name):
    return StoredGame(name, "{}", "{}", links_for(name, PEOPLE)), SUMMARY


@pytest.fixture
def path(tmp_path):
    return tmp_path / "open.sqlite"


def test_links_are_secret_and_lead_to_their_seats(path):
    with GameStore(path, 10) as store:
        game, summary = stored("a")
        store.add(game, summary)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with GameStore(path, 10) as store:
        assert store.game("a") == game
        assert [store.link(link.key).seats for link in game.links] == [(0, 1), (0,), (1,), ()]
        assert len({link.key for link in game.links}) == 4
        assert all(len(link.key) >= 24 for link in game.links)
        assert store.link("nobody's") is None


def test_the_oldest_finished_game_makes_room_and_unfinished_ones_stay(path):
    with GameStore(path, 2) as store:
        store.add(*stored("a"))
        store.add(*stored("b"))
        with pytest.raises(StoreError, match="keeps 2 unfinished games"):
            store.add(*stored("c"))
        store.change("a", "{}", SUMMARY | {"over": "Black wins."})
        store.add(*stored("c"))
        assert store.game("a") is None


def test_a_full_disk_is_told_and_changes_nothing(path):
    with GameStore(path, 10) as store:
        store.add(*stored("a"))
        store._connection.execute("pragma max_page_count = 1")
        with pytest.raises(StoreError, match=r"Nothing is changed, since .* full"):
            store.change("a", json.dumps("x" * 100_000), SUMMARY)
        assert store.game("a").state == "{}"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("pragma application_id = 1", "is not a file of games"),
        ("pragma user_version = 2", "has version 2"),
        ("create view spy as select 1", "has a view, 'spy'"),
        ("create trigger t after update on games begin select 1; end", "has a trigger, 't'"),
    ],
)
def test_a_file_of_a_stranger_is_refused(path, statement, said):
    GameStore(path, 10).__exit__(None, None, None)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)
    with pytest.raises(LedgerError, match=said):
        GameStore(path, 10)


def test_what_is_no_store_is_refused_and_so_is_a_second_server(path):
    path.write_text("no database at all, but long enough to be looked into")
    with pytest.raises(LedgerError, match="is not a file of games"):
        GameStore(path, 10)
    path.unlink()
    with GameStore(path, 10), pytest.raises(LedgerError, match="another run"):
        GameStore(path, 10)


async def test_a_game_is_fetched_with_its_half_done_turn(tmp_path):
    async with room(tmp_path) as play:
        visitor = Visitor(play.open(request("yodd", 3, PEOPLE, turns=["Bc3"])))
        visitor.do("click", vertex="a3")
        owner = visitor.game.links[0].key
    async with room(tmp_path) as play:
        game, link = play.find(owner)
        assert link.seats == (0, 1)
        assert [str(drop) for drop in game.current.partial.drops] == ["Wa3"]
        assert play.find(owner)[0] is game
        assert play.find("x" * 24) is None
        (listed,) = play.listed(json.dumps([owner, "x"]).encode())
        assert (listed["turns"], listed["over"], listed["score"]) == (1, "", "")
        # The seats by themselves, and looking on.
        seats = {link.seats: Visitor(game, link) for link in game.links}
        view = await seats[()].sees()
        assert (view["yours"], view["tentative"], view["may_move"]) == ([], [], False)
        seats[()].do("resign")
        assert "looking on" in await seats[()].is_refused()
        seats[(0,)].do("click", vertex="e3")
        assert "the turn of human #2" in await seats[(0,)].is_refused()
        seats[(1,)].do("undo")
        assert not game.current.partial.drops
        seats[(1,)].do("undo")
        assert "not taken back" in await seats[(1,)].is_refused()
        seats[(1,)].do("resign")
        (listed,) = play.listed(json.dumps([owner]).encode())
        assert (listed["over"], listed["score"]) == ("Black wins: White resigned.", "B+R")


async def test_the_list_of_games_has_the_colours_after_a_swap(tmp_path):
    turns = ["b5-b4", "swap"]
    async with room(tmp_path) as play:
        game = play.open(request("ayu", 5, PEOPLE, settings={"pie": "true"}, turns=turns))
        (listed,) = play.listed(json.dumps([game.links[0].key]).encode())
        # The one who opened holds White now, and is to move.
        assert (listed["first"], listed["mover"], listed["turns"]) == ("white", 0, 2)
        Visitor(game).do("resign")
        (listed,) = play.listed(json.dumps([game.links[0].key]).encode())
        assert (listed["score"], listed["winner"]) == ("B+R", 1)


async def test_a_turn_that_cannot_be_stored_is_refused(tmp_path):
    async with room(tmp_path) as play:
        visitor = Visitor(play.open(request(seats=PEOPLE)))
        play._store._connection.execute("pragma query_only = on")
        visitor.do("click", vertex="b2")
        assert "cannot be written" in await visitor.is_refused()
        assert not visitor.game.current.partial.drops


async def test_a_stored_game_that_makes_no_sense_ends_nothing_else(tmp_path):
    with GameStore(tmp_path / "open.sqlite", Bounds().kept) as store:
        wrong = (request("yodd", 3, PEOPLE), '{"turns": ["Ba1", "Ba1"]}')
        keys = []
        for asked, state in (wrong, ("[]", "{}"), ("{", "{}"), (request("chess"), "{}")):
            links = links_for(str(len(keys)), PEOPLE)
            store.add(StoredGame(str(len(keys)), asked, state, links), SUMMARY)
            keys.append(links[0].key)
    async with room(tmp_path) as play:
        for key in keys:
            with pytest.raises(GameRequestError):
                play.find(key)
        assert play.open(request("yodd", 3, PEOPLE))
