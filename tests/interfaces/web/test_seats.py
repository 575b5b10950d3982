"""Who holds which seat, whatever browsers do: a model beside the games."""

import json
import tempfile
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.interfaces.web.game_request import GameRequestError
from oddly.interfaces.web.game_store import GameStore, StoredGame
from oddly.interfaces.web.play_routes import Invitations
from oddly.interfaces.web.seats import LIFE, Holder, Invitation, hashed, in_rematch, moved, utc_now
from tests.interfaces.web.test_lobby import FRIEND, OWNER, Visitor, request, room, visit

BROWSERS = [f"the secret of browser {number}" for number in range(3)]
PAIRS = [("human", "friend"), ("friend", "human"), ("human", "human"), ("friend", "friend")]
KINDS = ("open", "invite", "take", "take", "look", "resign", "again", "again", "rematch", "restart")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(KINDS),
        st.integers(0, 2),
        st.integers(0, 3),
        st.integers(0, 3),
    ),
    min_size=10,
    max_size=40,
)


class ModelGame:
    """What is known of a game: its owner, who holds its seats, and its invitations."""

    def __init__(self, name, pair, owner, held):
        self.name, self.pair, self.owner, self.held = name, pair, owner, held
        self.invitations = {}
        """The seats of invitations by their secrets; None for those that are used or replaced."""
        self.is_over = False
        self.following = None

    def seats(self, browser):
        return [seat for seat in (0, 1) if self.held[seat] == browser]

    def learn(self, game):
        """Note the invitations that a game has made by itself."""
        self.invitations |= {secret: seat for seat, secret in game.seating.invitations.items()}


class Model:
    """Three browsers, and the games that they have opened."""

    def __init__(self):
        self.games = []
        self.play = None

    def do(self, step, one, two, three):
        if step != "open" and not self.games:
            return
        getattr(self, step)(one, two, three)

    def open(self, one, two, _):
        pair = PAIRS[two]
        game = self.play.open(request(seats=pair), BROWSERS[one])
        held = [one if name == "human" else None for name in pair]
        self.games.append(ModelGame(game.name, pair, one, held))
        self.games[-1].learn(game)

    def invite(self, one, two, three):
        known, seat = self.game(two), three % 2
        visitor = self.visitor(one, known)
        before = visitor.game.seating.invitations.get(seat)
        visitor.do("invite", seat=seat)
        secret = visitor.game.seating.invitations.get(seat)
        holder = known.held[seat]
        if holder == one or (holder is None and known.owner == one):
            assert secret != before
            for old, its in known.invitations.items():
                known.invitations[old] = None if its == seat else its
            known.invitations[secret] = seat
        else:
            assert secret == before

    def take(self, one, two, three):
        known = self.game(two)
        if not known.invitations:
            return
        secret = list(known.invitations)[three % len(known.invitations)]
        seat = known.invitations[secret]
        invitations = Invitations(self.play)
        if seat is None or known.held[1 - seat] == one:
            with pytest.raises(GameRequestError):
                invitations.take(secret, BROWSERS[one], "")
        else:
            assert invitations.take(secret, BROWSERS[one], f"browser {one}") == known.name
            known.held[seat] = one
            known.invitations[secret] = None

    def look(self, one, two, three):
        known = self.game(two)
        for secret, seat in known.invitations.items():
            if seat is not None:
                found = Invitations(self.play).look(secret, [BROWSERS[one]])
                assert (found["id"], found["seat"]) == (known.name, seat)

    def resign(self, one, two, _):
        known = self.game(two)
        visitor = self.visitor(one, known)
        visitor.do("resign")
        known.is_over |= bool(known.seats(one))
        assert visitor.game.current.is_over is known.is_over

    def again(self, one, two, three):
        self.resign(one, two, three)
        self.rematch(one, two, three)

    def rematch(self, one, two, _):
        known = self.game(two)
        visitor = self.visitor(one, known)
        visitor.do("rematch")
        if known.is_over and known.seats(one) and known.following is None:
            game = self.play.games[visitor.game._rematch]
            following = ModelGame(game.name, known.pair[::-1], known.owner, known.held[::-1])
            following.learn(game)
            known.following = game.name
            self.games.append(following)
        assert visitor.game._rematch == (known.following or "")

    def game(self, number):
        """One of the last two games."""
        return self.games[-1 - number % min(2, len(self.games))]

    def visitor(self, browser, known):
        return Visitor(*self.play.find(known.name, [BROWSERS[browser]]))

    def check(self, games):
        """Every browser has the seats that it took, shown in the game and in the list."""
        for known in games:
            game = self.play.find(known.name).game
            assert game.seats == known.pair
            for browser, secret in enumerate(BROWSERS):
                seats = known.seats(browser)
                view = game.view(game.seating.of(self.play.find(known.name, [secret]).secret))
                assert view["yours"] == seats
                assert view["can"]["rematch"] is (known.is_over and bool(seats))
                (listed,) = self.play.listed(json.dumps([known.name]).encode(), [secret])
                assert listed["seats"] == seats
            # Who copies the address sees the game and no secret.
            shown = json.dumps(game.view(game.seating.of(self.play.find(known.name).secret)))
            assert '"yours": []' in shown
            secrets = [*known.invitations, *BROWSERS, *map(hashed, BROWSERS)]
            assert not [secret for secret in secrets if secret in shown]


@pytest.mark.sampled
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 3), STEPS)
def test_a_seat_is_held_by_the_last_who_took_it(pair, steps):
    # Most games begin so; what follows is any sequence.
    steps = [("open", 0, pair, 0), ("take", 1, 0, 0), *steps]

    async def go_through(folder):
        model = Model()
        for is_restart, some in groupby(steps, lambda step: step[0] == "restart"):
            async with room(folder, games=1000) as model.play:
                model.check(model.games)
                for step in [] if is_restart else some:
                    model.do(*step)
                    # A step is about one of the last two; the others are looked at in the end.
                    model.check(model.games[-3:])
                model.check(model.games)

    with tempfile.TemporaryDirectory() as folder:
        trio.run(go_through, Path(folder))


@given(st.lists(st.tuples(st.integers(0, 1), st.sampled_from("abc")), max_size=8))
def test_a_move_of_a_seat_changes_no_other_and_no_key(moves):
    holders = (Holder("key", "g", (0, 1), is_owner=True, is_key=True),)
    for seat, secret in moves:
        before = {each.secret: set(each.seats) for each in holders}
        holders = moved(holders, seat, secret, "g")
        after = {each.secret: set(each.seats) for each in holders}
        assert after.pop("key") == before.pop("key") == {0, 1}
        assert [name for name, seats in after.items() if seat in seats] == [secret]
        assert all(after[name] - {seat} == seats - {seat} for name, seats in before.items())


def test_in_a_rematch_the_seats_are_exchanged_or_not_and_keys_have_none():
    holders = (Holder("a", "g", (0,), is_owner=True), Holder("b", "g", (1,)), Holder("c", "g"),
               Holder("both", "g", (0, 1)), Holder("key", "g", (0,), is_key=True))  # fmt: skip
    exchanged = in_rematch(holders, "h", exchanged=True)
    assert [each.seats for each in exchanged] == [(1,), (0,), (), (0, 1)]
    assert [each.is_owner for each in exchanged] == [True, False, False, False]
    assert {each.game for each in exchanged} == {"h"}
    again = in_rematch(holders, "h", exchanged=False)
    assert [each.seats for each in again] == [(0,), (1,), (), (0, 1)]


def test_of_two_who_take_a_seat_at_once_one_gets_it(tmp_path):
    with GameStore(tmp_path / "open.sqlite", 10) as store:
        invitation = Invitation(hashed("invited"), "a", 1, utc_now())
        summary = {"over": "", "turns": 1}
        store.add(StoredGame("a", "{}", "{}", ()), summary, [invitation])
        for name, is_first in (("one", True), ("other", False)):
            holder = Holder(hashed(name), "a", (1,))
            assert store.take(invitation, [holder], "{}", summary) is is_first
        assert [each.secret for each in store.holders("a")] == [hashed("one")]


async def test_an_invitation_that_is_too_old_gives_no_seat(tmp_path):
    async with visit(tmp_path, "human", "friend") as visitor:
        play = visitor.game._host
        made = (datetime.now(UTC) - LIFE - timedelta(minutes=1)).isoformat()
        play.store.invite(Invitation(hashed("old"), visitor.game.name, 1, made))
        with pytest.raises(GameRequestError, match="too old") as refused:
            Invitations(play).take("old", FRIEND, "")
        assert (refused.value.status, refused.value.game) == (410, visitor.game.name)
        assert not play.find(visitor.game.name, [FRIEND]).secret


async def test_a_seat_that_cannot_be_stored_is_not_taken(tmp_path):
    async with visit(tmp_path, "human", "friend") as visitor:
        play, invited = visitor.game._host, visitor.game.seating.invitations[1]
        play.store.connection.execute("pragma query_only = on")
        with pytest.raises(GameRequestError, match="cannot be written"):
            Invitations(play).take(invited, FRIEND, "Bob")
        assert not play.find(visitor.game.name, [FRIEND]).secret
        assert visitor.game.players == ("player 1", "player 2")
        play.store.connection.execute("pragma query_only = off")
        Invitations(play).take(invited, FRIEND, "Bob")
        assert visitor.game.players == ("player 1", "Bob")


@pytest.mark.parametrize("name", ["good", " GOOD, beginner", "a\nb", "\u202egood", "x" * 25])
async def test_nobody_takes_the_name_of_an_engine_or_one_that_cannot_be_read(tmp_path, name):
    async with visit(tmp_path, "human", "friend") as visitor:
        play, invited = visitor.game._host, visitor.game.seating.invitations[1]
        visitor.do("name", name=name)
        assert (await visitor.is_refused()).endswith(".")
        with pytest.raises(GameRequestError):
            Invitations(play).take(invited, FRIEND, name)
        assert visitor.game.players == ("player 1", "player 2")
        with pytest.raises(GameRequestError):
            play.open(request(terms={"names": [name, ""]}), OWNER)


async def test_nobody_names_or_hands_out_the_seat_of_another(tmp_path):
    async with visit(tmp_path, "human", "friend") as visitor:
        play = visitor.game._host
        invitations = Invitations(play)
        invitations.take(visitor.game.seating.invitations[1], FRIEND, "Bob")
        for seat in (1, True, 1.0, "1", None, [1]):
            visitor.do("name", name="Ann", seat=seat)
            assert "only yourself" in await visitor.is_refused()
            visitor.do("invite", seat=seat)
            assert "not yours" in await visitor.is_refused()
        assert not visitor.game.seating.invitations
        visitor.do("name", name="Ann")
        assert visitor.game.players == ("Ann", "Bob")
        visitor.do("resign")
        visitor.do("name", name="Eve")
        assert "The game is over" in await visitor.is_refused()


async def test_rematches_without_end_are_refused(tmp_path):
    async with room(tmp_path, openings=1 / 300, opening_burst=3) as play:
        game = play.open(request(seats=["human", "human"]), OWNER, "203.0.113.1")
        for _ in range(3):
            visitor = Visitor(game)
            visitor.do("resign")
            visitor.do("rematch")
            visitor.do("rematch")
            game.outboxes.clear()
            game = play.games[game._rematch]
        visitor = Visitor(game)
        visitor.do("resign")
        visitor.do("rematch")
        assert "Many games were opened" in await visitor.is_refused()
        now = trio.current_time()
        assert play.openings.wait("203.0.113.1", now)
        assert not play.openings.wait("203.0.113.2", now)


async def test_a_rematch_takes_the_table_of_its_game(tmp_path):
    async with room(tmp_path, games=2) as play:
        game = play.open(request(seats=["human", "human"]), OWNER, "greedy")
        visitor, other = Visitor(game), Visitor(play.open(request(), OWNER, "honest"))
        visitor.do("resign")
        visitor.do("rematch")
        following = Visitor(play.games[game._rematch])
        with pytest.raises(GameRequestError, match="All 2 tables are taken"):
            play.open(request(), OWNER, "greedy")
        assert {each.game.name for each in (visitor, other, following)} == set(play.games)


async def test_looking_at_invitations_fetches_no_games_without_end(tmp_path):
    async with room(tmp_path, fetches=1 / 10, fetch_burst=1) as play:
        invitations = Invitations(play)
        games = [play.open(request(seats=["human", "friend"]), OWNER) for _ in range(2)]
        keys = [game.seating.invitations[1] for game in games]
        play.close()
        assert invitations.look(keys[0], (), "203.0.113.1")["seat"] == 1
        assert invitations.look(keys[0], (), "203.0.113.1")["seat"] == 1
        with pytest.raises(GameRequestError, match="Many games were fetched") as refused:
            invitations.look(keys[1], (), "203.0.113.1")
        assert refused.value.status == 503
        assert invitations.look(keys[1], (), "203.0.113.2")["seat"] == 1


async def test_what_comes_for_a_game_that_was_put_away_changes_nothing_where_it_goes_on(tmp_path):
    async with room(tmp_path) as play:
        before = Visitor(play.open(request(size=3), OWNER))
        name = before.game.name
        play.close()
        after = Visitor(play.find(name, [OWNER]).game)
        after.plays("b2")
        stored = play.store.game(name).state
        before.plays("c3")
        assert play.store.game(name).state == stored
        assert before.outbox.closed
        assert not after.outbox.closed
        assert not before.game.current.turns
        assert len(after.game.current.turns) == 1
