"""The arena without input and output: sessions that join, are silent, rest and drain."""

import pytest

from oddly.arena import (
    EndHeard,
    GameEnd,
    GameSet,
    GameStart,
    Hello,
    JoinRefused,
    NoMoreGames,
    Note,
    Ping,
    Pong,
    ReadyForGame,
    RestAgreed,
    Welcome,
)
from oddly.arena.arena import NO_GAMES, Arena, ArenaSettings
from oddly.arena.effects import Batch, CloseSession, EngineJoined, EngineLeft, EngineRefused, Send
from oddly.arena.pool import RatedPool
from oddly.arena.registry import EngineState, Registry
from oddly.arena.sessions import IDLE_PING_EVERY, SILENT
from oddly.arena.visits import challenge, play_for_visitor
from tests.arena.test_pool import FACTS
from tests.arena.test_registry import HOST, join_of


@pytest.fixture
def arena():
    settings = ArenaSettings("Test", "https://arena.example", gather=0.0)
    return Arena(settings, [RatedPool(FACTS)], Registry())


def said(arena, session, now=0.0):
    """The messages for a session in the next batch, and its end."""
    batch = arena.take()
    arena.sent(batch, now)
    mine = [each for each in batch.out if each.session == session]
    return [each.message if isinstance(each, Send) else each for each in mine]


def joined(arena, name, now=0.0, owner=None, family=None, pools=()):
    session = arena.open("192.0.2.1", HOST, now)
    (hello,) = said(arena, session, now)
    assert isinstance(hello, Hello)
    assert [offer.pool for offer in hello.pools] == ["xodd-3"]
    owner = owner or f"of {name}"
    join = join_of(name, family, owner, nonce=hello.nonce, pools=pools, challenges=True)
    arena.hear(session, join, now)
    return session


def notes(arena, session):
    """The texts of the notes for a session that has just joined."""
    welcome, *messages = said(arena, session)
    assert isinstance(welcome, Welcome)
    return [each.text for each in messages if isinstance(each, Note)]


def ready(arena, *names, now=0.0):
    sessions = [joined(arena, name, now) for name in names]
    for session in sessions:
        arena.hear(session, ReadyForGame(), now)
    arena.take()
    return sessions


def test_who_joins_is_welcome(arena):
    session = joined(arena, "mine")
    welcome, ping = said(arena, session)
    assert isinstance(welcome, Welcome)
    assert (welcome.engine, welcome.new, welcome.game) == ("mine", True, None)
    assert welcome.page == "https://arena.example/engines/mine"
    assert welcome.ratings == {}
    assert isinstance(ping, Ping)


def test_who_names_another_family_hears_that_it_stays_in_its_own(arena):
    """The bug: the other family was ignored without a word."""
    for family, told in (("mine", []), ("other", ["mine 1 stays in the family 'mine'"])):
        assert notes(arena, joined(arena, "mine 1", 0.0, "ann", family)) == told
        assert arena.registry.engine("mine 1").family == "mine"


def test_who_names_no_family_hears_no_note_about_one(arena):
    """The bug: `oddly join` without a family sends the first word of the name."""
    for name, family in (("bot 1", "alpha"), ("bot 1", "BOT"), ("\uff42ot 1", "b\uff4ft")):
        assert notes(arena, joined(arena, name, 0.0, "ann", family)) == []
    told = notes(arena, joined(arena, "bot 1", 0.0, "ann", "bot  1"))
    assert told == ["bot 1 stays in the family 'alpha'"]


@pytest.mark.parametrize("pools", [(), ("another",)])
def test_who_has_played_hears_its_ratings_also_of_pools_that_it_plays_no_more(arena, pools):
    arena.pools["xodd-3"].count("mine", "other", 0)
    welcome, *_ = said(arena, joined(arena, "mine", pools=pools))
    assert [*welcome.ratings] == ["xodd-3"]
    assert (welcome.ratings["xodd-3"].games, welcome.ratings["xodd-3"].provisional) == (1, True)


def test_who_gets_no_games_hears_why(arena):
    old = joined(arena, "mine", owner="ann", family="mine")
    assert notes(arena, old) == []
    new = joined(arena, "mine 2", owner="ann", family="mine")
    batch = arena.take()
    (note,) = [each for each in batch.out if isinstance(each.message, Note)]
    assert (note.session, note.message.text) == (old, NO_GAMES[EngineState.RESTS])
    assert notes(arena, joined(arena, "mine", 1.0, "ann", "mine")) == [NO_GAMES[EngineState.RESTS]]
    arena.registry.set_state("mine 2", EngineState.RETIRED)
    again = joined(arena, "mine 2", 2.0, "ann", "mine")
    assert notes(arena, again) == [NO_GAMES[EngineState.RETIRED]]
    assert again != new
    arena.registry.set_state("mine 2", EngineState.PLAYS)
    assert notes(arena, joined(arena, "mine 2", 3.0, "ann", "mine")) == []


def test_the_end_of_an_unrated_game_has_no_rating_however_often_it_is_sent(arena):
    (session,) = ready(arena, "mine")
    game = challenge(arena, "mine", "xodd-3", 1.0, opens=True)
    arena.hear(session, GameSet(game.id), 1.0)
    arena.take()
    play_for_visitor(arena, game, "resign", 2.0)
    at_once = said(arena, session)
    again = joined(arena, "mine", 3.0)
    for messages in (at_once, said(arena, again)):
        (end,) = [each for each in messages if isinstance(each, GameEnd)]
        assert (end.id, end.winner, end.rating) == (game.id, 1, None)
    arena.hear(again, EndHeard(game.id), 4.0)
    assert arena.play.game_of("mine") is None


def test_a_silent_connection_is_pinged_and_then_closed(arena):
    session = joined(arena, "mine")
    (_, ping) = said(arena, session)
    arena.hear(session, Pong(ping.id), 0.5)
    arena.tick(IDLE_PING_EVERY + 0.1)
    assert [type(each) for each in said(arena, session)] == [Ping]
    arena.tick(0.5 + SILENT + 0.3)
    assert said(arena, session)[-1:] == [CloseSession(session, is_silent=True)]
    assert arena.sessions.online == {}


def test_a_second_join_is_refused(arena):
    session = joined(arena, "mine")
    arena.take()
    arena.hear(session, join_of("mine"), 1.0)
    refused, closed = said(arena, session)
    assert isinstance(refused, JoinRefused)
    assert closed == CloseSession(session)


def test_who_watches_hears_who_comes_and_goes(arena):
    session = joined(arena, "mine")
    assert arena.take().news == [EngineJoined("mine", "192.0.2.1", is_new=True)]
    arena.closed(session)
    assert arena.take().news == [EngineLeft("mine")]
    stranger = arena.open("192.0.2.2", HOST, 1.0)
    arena.hear(stranger, ReadyForGame(), 1.0)
    reason = "the first message is expected to be join"
    assert arena.take().news == [EngineRefused(None, "192.0.2.2", "bad-message", reason)]


def test_who_rests_gets_no_game(arena):
    one, other = ready(arena, "one", "other")
    arena.hear(one, NoMoreGames(), 1.0)
    assert said(arena, one) == [RestAgreed()]
    arena.tick(5.0)
    assert not arena.play.games
    arena.hear(one, ReadyForGame(), 5.0)
    arena.tick(6.0)
    messages = said(arena, other)
    assert [type(each) for each in messages if not isinstance(each, Ping)] == [GameStart]
    assert set(arena.play.playing) == {"one", "other"}


def test_an_arena_that_drains_begins_nothing(arena):
    ready(arena, "one", "other")
    arena.drain()
    arena.tick(5.0)
    assert not arena.play.games


def test_the_clock_is_written_once_a_second(arena):
    beats = 0
    for step in range(100):
        arena.tick(step * 0.05)
        beats += arena.take().beats
    assert beats == 5


def test_who_sent_something_strange_hurts_nobody(arena):
    arena.hear(99, ReadyForGame(), 0.0)
    arena.closed(99)
    arena.refuse(99, "closed", "nobody", None)
    assert not arena.take()
    assert arena.take() == Batch()
