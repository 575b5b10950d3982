"""The store of games: what is in it after a kill, and which files it refuses."""

import json
import re
import sqlite3
import stat
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from oddly.interfaces.web.bounds import Bounds
from oddly.interfaces.web.game_request import GameRequestError
from oddly.interfaces.web.game_store import GameStore, StoredGame, StoreError
from oddly.interfaces.web.play_routes import Invitations
from oddly.interfaces.web.seats import Holder, Invitation, hashed, utc_now
from oddly.tournaments.ledger.schema import LedgerError
from tests.databases import changed
from tests.interfaces.web.test_lobby import FRIEND, OWNER, PEOPLE, Visitor, request, room

SUMMARY = {"over": "", "turns": 1}


def stored(name):
    holders = (
        Holder(hashed(f"owner of {name}"), name, (0,), True),
        Holder(hashed("b"), name, (1,)),
    )
    return StoredGame(name, "{}", "{}", holders), SUMMARY


@pytest.fixture
def path(tmp_path):
    return tmp_path / "open.sqlite"


def test_no_secret_stands_in_the_file(path):
    invitation = Invitation(hashed("invited"), "a", 1, utc_now())
    with GameStore(path, 10) as store:
        game, summary = stored("a")
        store.add(game, summary)
        store.invite(invitation)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not re.search(rb"owner of a|invited", path.read_bytes())
    with GameStore(path, 10) as store:
        assert store.game("a") == game
        assert store.knows(hashed("owner of a"))
        assert store.key(hashed("owner of a")) is None
        assert store.invitation(hashed("invited")) == invitation
        assert store.invitation("invited") is None


LINKS = """
create table links (key text primary key, game text not null, seats text not null,
                    owner integer not null, unique (game, key));
insert into links values ('owners-old-key', 'a', '[0]', 1), ('friends-old-key', 'a', '[1]', 0),
                         ('spectators-old-key', 'a', '[]', 0);
drop table seats; drop table invitations; drop table time; pragma user_version = 1;
"""


async def test_the_links_of_an_older_version_are_keys_to_their_games(tmp_path):
    path = tmp_path / "open.sqlite"
    with GameStore(path, 10) as store:
        asked = request("yodd", 3, ["human", "friend"])
        store.add(StoredGame("a", asked, '{"turns": ["Bc3"]}', ()), SUMMARY)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(LINKS)
    for _ in ("once", "again, after a restart"):
        async with room(tmp_path) as play:
            owner, friend, spectator = (
                Visitor(*play.find(f"{who}-old-key")) for who in ("owners", "friends", "spectators")
            )
            seats = [(await each.sees())["yours"] for each in (owner, friend, spectator)]
            assert seats == [[0], [1], []]
            invitations = Invitations(play)
            assert invitations.exchange("friends-old-key", FRIEND) == "a"
            assert play.find("a", [FRIEND]).secret == hashed(FRIEND)
            assert not play.find("a").secret
        assert b"old-key" not in path.read_bytes()


def test_the_oldest_finished_game_makes_room_and_unfinished_ones_stay(path):
    with GameStore(path, 2) as store:
        store.add(*stored("a"))
        store.add(*stored("b"))
        with pytest.raises(StoreError, match="keeps 2 unfinished games"):
            store.add(*stored("c"))
        store.change("a", "{}", SUMMARY | {"over": "Black wins."})
        store.add(*stored("c"))
        assert store.game("a") is None


class Calendar:
    """A clock that a test sets."""

    def __init__(self):
        self.now = datetime(2026, 11, 24, tzinfo=UTC)

    def __call__(self):
        return self.now

    def goes_on(self, **spans):
        self.now += timedelta(**spans)


def test_games_with_turns_that_came_with_them_fill_no_store(path):
    calendar = Calendar()
    with GameStore(path, 10, calendar) as store:
        for number in range(10):
            store.add(*stored(f"flood {number}"))
        with pytest.raises(StoreError, match="takes no more today"):
            store.add(*stored("early"))
        calendar.goes_on(hours=1, seconds=1)
        for number in range(10):
            store.add(*stored(f"honest {number}"))
        assert store.game("flood 9") is None
        assert store.game("honest 0")


def test_where_there_is_no_room_the_unfinished_game_that_rested_longest_goes(path):
    calendar = Calendar()
    with GameStore(path, 2, calendar) as store:
        for name in ("a", "b"):
            store.add(*stored(name))
            store.change(name, "{}", SUMMARY)
            calendar.goes_on(hours=2)
        with pytest.raises(StoreError, match="takes no more today"):
            store.add(*stored("c"))
        calendar.goes_on(days=1)
        store.change("a", "{}", SUMMARY)
        store.add(*stored("c"))
        assert store.game("a")
        assert store.game("b") is None


def test_unfinished_games_are_deleted_on_the_day_that_their_owner_reads(path):
    calendar = Calendar()
    with GameStore(path, 10, calendar) as store:
        games = {name: stored(name)[0] for name in ("unplayed", "played", "finished", "at table")}
        for game in games.values():
            store.add(game, SUMMARY)
        store.invite(Invitation(hashed("invited"), "unplayed", 1, utc_now()))
        store.change("played", "{}", SUMMARY)
        store.change("finished", "{}", SUMMARY | {"over": "Black wins."})

        def days():
            found = {name: store.summary(name) for name in games}
            return {name: each["kept_until"] for name, each in found.items() if each}

        week, month = "2026-12-01", "2026-12-24"
        assert days() == {
            "unplayed": week, "played": month, "finished": None, "at table": week
        }  # fmt: skip
        calendar.goes_on(days=7)
        store.expire()
        assert len(days()) == 4
        calendar.goes_on(seconds=1)
        store.expire(kept={"at table"})
        assert days().keys() == {"played", "finished", "at table"}
        assert not store.holders("unplayed")
        assert store.invitation(hashed("invited")) is None
        calendar.goes_on(days=23)
        store.expire()
        assert days().keys() == {"finished"}


def test_a_full_disk_is_told_and_changes_nothing(path):
    with GameStore(path, 10) as store:
        store.add(*stored("a"))
        store.connection.execute("pragma max_page_count = 1")
        with pytest.raises(StoreError, match=r"Nothing is changed, since .* full"):
            store.change("a", json.dumps("x" * 100_000), SUMMARY)
        assert store.game("a").state == "{}"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("pragma application_id = 1", "is not a file of games"),
        ("pragma user_version = 4", "has version 4"),
        ("create view spy as select 1", "has a view, 'spy'"),
        ("create trigger t after update on games begin select 1; end", "has a trigger, 't'"),
    ],
)
def test_a_file_of_a_stranger_is_refused(path, statement, said):
    GameStore(path, 10).__exit__(None, None, None)
    changed(path, statement)
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
        visitor = Visitor(play.open(request("yodd", 3, PEOPLE, turns=["Bc3"]), OWNER))
        visitor.do("click", vertex="a3")
        visitor.do("invite", seat=1)
        name, invited = visitor.game.name, visitor.game.seating.invitations[1]
    async with room(tmp_path) as play:
        game, secret = play.find(name, ["another", OWNER])
        assert secret == hashed(OWNER)
        assert [str(drop) for drop in game.current.partial.drops] == ["Wa3"]
        assert play.find(name)[0] is game
        assert play.find("x" * 24) is None
        (listed,) = play.listed(json.dumps([name, "x"]).encode(), [OWNER])
        assert (listed["turns"], listed["over"], listed["score"]) == (1, "", "")
        assert (listed["id"], listed["seats"]) == (name, [0, 1])
        Invitations(play).take(invited, FRIEND, "")
        assert play.listed(json.dumps([name]).encode(), [OWNER])[0]["seats"] == [0]
        # The seats by themselves, and looking on.
        one, other, spectator = Visitor(game), Visitor(game, hashed(FRIEND)), Visitor(game, "")
        view = await spectator.sees()
        assert (view["yours"], view["tentative"], view["may_move"]) == ([], [], False)
        for wish in ("resign", "undo", "draw", "rematch", "invite", "name", "click"):
            spectator.do(wish, vertex="e3", seat=0, name="me")
            assert "looking on" in await spectator.is_refused()
        one.do("click", vertex="e3")
        assert "the turn of human #2" in await one.is_refused()
        other.do("undo")
        assert not game.current.partial.drops
        other.do("undo")
        assert "cannot be taken back" in await other.is_refused()
        other.do("resign")
        (listed,) = play.listed(json.dumps([name]).encode())
        assert (listed["over"], listed["score"]) == ("Black wins: White resigned.", "B+R")


async def test_the_list_of_games_has_the_colours_after_a_swap(tmp_path):
    turns = ["b5-b4", "swap"]
    async with room(tmp_path) as play:
        game = play.open(request("ayu", 5, PEOPLE, settings={"pie": "true"}, turns=turns), OWNER)
        (listed,) = play.listed(json.dumps([game.name]).encode())
        # The one who opened holds White now, and is to move.
        assert (listed["first"], listed["mover"], listed["turns"]) == ("white", 0, 2)
        Visitor(game).do("resign")
        (listed,) = play.listed(json.dumps([game.name]).encode())
        assert (listed["score"], listed["winner"]) == ("B+R", 1)


async def test_a_turn_that_cannot_be_stored_is_refused(tmp_path):
    async with room(tmp_path) as play:
        visitor = Visitor(play.open(request(seats=PEOPLE), OWNER))
        play.store.connection.execute("pragma query_only = on")
        visitor.do("click", vertex="b2")
        assert "cannot be written" in await visitor.is_refused()
        assert not visitor.game.current.partial.drops


async def test_an_engine_has_failed_until_a_turn_taken_back_is_stored(tmp_path):
    settings = {"min_group": "1"}
    async with room(tmp_path) as play:
        asked = request("odd", 2, ["human", "crasher"], settings=settings)
        visitor = Visitor(play.open(asked, OWNER))
        visitor.plays()
        await visitor.sees(turns=2)
        visitor.plays()
        await visitor.sees(lambda v: v["fault"])
        play.store.connection.execute("pragma query_only = on")
        visitor.do("undo")
        assert "cannot be written" in await visitor.is_refused()
        visitor.do("restart")
        assert (await visitor.sees(lambda v: not v["fault"]))["thinking"]


async def test_an_offered_draw_outlives_a_restart_but_no_turn(tmp_path):
    async with room(tmp_path) as play:
        game = play.open(request("ayu", 5, ["human", "friend"]), OWNER)
        Invitations(play).take(game.seating.invitations[1], FRIEND, "")
        Visitor(game).do("draw")
    async with room(tmp_path) as play:
        owner = Visitor(*play.find(game.name, [OWNER]))
        assert (await owner.sees())["draw_offer"] == 0
        turn = next(iter(owner.game.current.position.legal_turns()))
        for vertex in str(turn).split("-"):
            owner.do("click", vertex=vertex)
        assert (await owner.sees(turns=1))["draw_offer"] is None
    async with room(tmp_path) as play:
        friend = Visitor(*play.find(game.name, [FRIEND]))
        assert (await friend.sees())["draw_offer"] is None
        friend.do("draw")
    async with room(tmp_path) as play:
        owner = Visitor(*play.find(game.name, [OWNER]))
        owner.do("draw")
        assert (await owner.sees(lambda v: v["over"]))["over"] == "A draw: the players agreed."


async def test_a_stored_game_that_makes_no_sense_ends_nothing_else(tmp_path):
    with GameStore(tmp_path / "open.sqlite", Bounds().kept) as store:
        wrong = (request("yodd", 3, PEOPLE), '{"turns": ["Ba1", "Ba1"]}')
        names = []
        for asked, state in (wrong, ("[]", "{}"), ("{", "{}"), (request("chess"), "{}")):
            name = str(len(names))
            store.add(StoredGame(name, asked, state, ()), SUMMARY)
            names.append(name)
    async with room(tmp_path) as play:
        for name in names:
            with pytest.raises(GameRequestError):
                play.find(name)
        assert play.open(request("yodd", 3, PEOPLE), OWNER)
