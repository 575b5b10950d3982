"""The keeper's orders to an arena without input and output."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.arena import EndHeard, GameEnd, GameSet, JoinRefused, ReadyForGame, TurnSent, Welcome
from oddly.arena.arena import Arena, ArenaSettings, HouseError, enter_house
from oddly.arena.effects import Batch, Begun, Invited, NewLeader, NewRating
from oddly.arena.play import FAULTS
from oddly.arena.pool import RatedPool
from oddly.arena.registry import EngineState, RegisteredEngine, Registry
from oddly.arena.rulings import KeeperOrder, KnownGame, NotNowError, OrderError, obey
from oddly.arena.store.rows import known_game
from oddly.arena.store.store import ArenaStore
from tests.arena.test_arena import joined, ready, said
from tests.arena.test_pool import FACTS
from tests.arena.test_registry import join


@pytest.fixture
def arena():
    return Arena(ArenaSettings("Test", gather=0.0), [RatedPool(FACTS)], Registry())


def rename(arena, old, new, now=0.0):
    """Have an engine renamed; what the keeper hears."""
    return obey(arena, KeeperOrder("rename", old, new, "a test"), None, now)


def lost_by(arena, loser, now=0.0, last="resign"):
    """Two engines who are ready play a game, which one of them loses by its first turn."""
    arena.tick(now + 1.0)
    (game,) = arena.play.games.values()
    for name in game.players:
        arena.hear(arena.sessions.online[name].id, GameSet(game.id), now + 2.0)
    while game.is_running:
        arena.sent(arena.take(), now + 2.0)
        name = game.players[game.mover]
        turn = last if name == loser else str(next(iter(game.position.legal_turns())))
        sent = TurnSent(game.id, len(game.turns), turn, 0.0)
        arena.hear(arena.sessions.online[name].id, sent, now + 3.0)
    return game


def heard_by(arena, game, *sessions, now=0.0):
    """Players hear how their game ended, and want another."""
    for session in sessions:
        arena.hear(session, EndHeard(game.id), now)
        arena.hear(session, ReadyForGame(), now)


def test_no_engine_gets_a_name_that_another_one_had(arena):
    """The bug: games of the new owner of a name had the ids of the old one's games."""
    ready(arena, "one", "other")
    rename(arena, "one", "two")
    with pytest.raises(OrderError, match="'one' was a name of 'two'"):
        rename(arena, "other", "one")
    rename(arena, "two", "three")
    stranger = joined(arena, "one", owner="a stranger")
    (refused, _) = said(arena, stranger)
    assert isinstance(refused, JoinRefused)
    assert refused.reason == "'one' was renamed: it plays as 'three'"
    rename(arena, "three", "one")
    assert arena.registry.engine("one").owner == "of one"
    assert arena.registry.renamed.keys() == {"two", "three"}


def test_a_renamed_engine_keeps_its_place_among_the_versions(arena):
    ready(arena, "one", "other")
    joined(arena, "two", family="one", owner="of one")
    rename(arena, "one", "zero")
    assert [each.name for each in arena.registry.engines.values()] == ["zero", "other", "two"]
    assert [each.name for each in arena.registry.family("one")] == ["zero", "two"]
    assert arena.registry.engine("zero") is arena.registry.alike("Zero")


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 2)), min_size=20, max_size=40))
def test_no_two_games_have_one_id_whatever_names_engines_get(steps):
    pool, seen = RatedPool(FACTS), set()
    arena = Arena(ArenaSettings("Test"), [pool], Registry())
    for name in "abc":
        join(arena.registry, name, owner=name)
        pool.enter(name)
    for is_game, number in steps:
        pair = [engine.name for engine in arena.registry.engines.values()]
        name = pair.pop(number)
        if is_game:
            game = pool.next_game(*pair)
            pool.met[frozenset(pair)] = game.round
            ids = {game.id, pool.second_game(game).id}
            assert not ids & seen
            seen |= ids
        else:
            with suppress(OrderError):
                rename(arena, name, ({*"abcd"} - {name, *pair}).pop())


GAME = KnownGame(
    "0123456789abcdef", "xodd-3", "one", "other", 0, counts=True, never_counts=False, is_over=True
)


def test_no_new_engine_is_called_like_a_game(arena):
    refused, _ = said(arena, joined(arena, GAME.id))
    assert (refused.code, arena.registry.engines) == ("bad-message", {})
    ready(arena, "one")
    with pytest.raises(OrderError, match="looks like the id of a game"):
        rename(arena, "one", GAME.id)
    with pytest.raises(HouseError, match="looks like the id of a game"):
        enter_house(arena.registry, "house", "", [GAME.id], "")


def test_a_game_that_never_counts_is_not_annulled(arena):
    """The bug: an unrated game that somebody had won was called void."""
    game = GAME._replace(counts=False, never_counts=True)
    with pytest.raises(OrderError, match="is void or unrated: it counts for nobody"):
        obey(arena, KeeperOrder("annul", game.id, reason="a test"), game, 0.0)


@pytest.mark.parametrize("plays", [True, False])
@pytest.mark.parametrize("counts", [True, False])
def test_restore_is_for_what_can_be_restored_of_a_game_and_an_engine_of_one_name(
    arena, plays, counts
):
    """The bug: an order about the engine let the annulled game count again."""
    state = EngineState.PLAYS if plays else EngineState.RETIRED
    engine = RegisteredEngine(GAME.id, GAME.id, "f", "ann", "", state=state)
    arena.registry.load([], [engine])
    order = KeeperOrder("restore", GAME.id, reason="a test")
    game, (pool,) = GAME._replace(counts=counts), arena.pools.values()
    if plays == counts:
        why = "is not annulled" if plays else "is an annulled game, and an engine that does not"
        with pytest.raises(OrderError, match=why):
            obey(arena, order, game, 0.0)
    elif plays:
        assert "counts again" in obey(arena, order, game, 0.0)
    else:
        assert "plays again" in obey(arena, order, game, 0.0)
    assert pool.games["one"] == (plays and not counts)
    assert (engine.state is EngineState.PLAYS) == (plays or counts)


def test_new_names_are_followed_from_the_store(arena):
    ready(arena, "last", "swapped")
    arena.registry.was_renamed(
        [("first", "second"), ("second", "last"), ("swapped", "for now"), ("for now", "swapped")]
    )
    found = {name: arena.registry.present_name(name) for name in ("first", "second", "for now")}
    assert found == {"first": "last", "second": "last", "for now": "swapped"}
    assert arena.registry.present_name("nobody") == "nobody"


@pytest.mark.parametrize(
    "number", ["0", "10001", "0000000019999", "00000000" + "19" * 12, "1" * 5000, "²"]
)
def test_an_invitation_is_for_a_number_of_engines(arena, number):
    """The bug: only the first digits of a number were checked, and a long one stopped the arena."""
    with pytest.raises(OrderError, match="an invitation is for 1 to 10000 engines"):
        obey(arena, KeeperOrder("invite", number), None, 0.0)
    assert arena.registry.invitations == {}
    code = obey(arena, KeeperOrder("invite", "10000"), None, 0.0)
    assert arena.take().writes == [Invited(code, 10_000)]


def test_an_engine_plays_on_after_a_new_name_that_waited_and_was_refused(arena):
    sessions = ready(arena, "one", "other")
    arena.tick(1.0)
    with pytest.raises(NotNowError, match="'one' is in a game"):
        rename(arena, "one", "nice")
    joined(arena, "nice", 1.0)
    heard_by(arena, lost_by(arena, "one"), *sessions, now=4.0)
    assert "one" not in arena.free()
    with pytest.raises(OrderError, match="too much like 'nice'"):
        rename(arena, "one", "nice", 4.0)
    assert "one" in arena.free()


def test_an_engine_that_has_not_heard_of_an_end_gets_its_new_name_and_hears_of_it(arena):
    one, _ = ready(arena, "one", "other")
    arena.tick(1.0)
    arena.closed(one)
    (game,) = arena.play.games.values()
    obey(arena, KeeperOrder("annul", game.id, reason="it is away"), None, 2.0)
    rename(arena, "one", "two", 2.0)
    arena.take()
    messages = said(arena, joined(arena, "two", 3.0, owner="of one"))
    (welcome,) = (each for each in messages if isinstance(each, Welcome))
    (end,) = (each for each in messages if isinstance(each, GameEnd))
    assert (welcome.game, end.id) == (game.id, game.id)


def test_a_rest_goes_on_under_a_new_name_until_it_is_pardoned(arena):
    sessions = ready(arena, "one", "other")
    for number in range(FAULTS):
        assert "one" in arena.free()
        game = lost_by(arena, "one", 10.0 * number, last="nonsense")
        heard_by(arena, game, *sessions, now=10.0 * number + 4.0)
    assert "one" not in arena.free()
    rename(arena, "one", "two")
    rename(arena, "two", "three")
    arena.hear(joined(arena, "three", owner="of one"), ReadyForGame(), 0.0)
    assert "three" not in arena.free()
    obey(arena, KeeperOrder("pardon", "three", reason="it is mended"), None, 0.0)
    assert "three" in arena.free()


def test_a_leader_with_a_new_name_does_not_take_the_lead_anew(arena):
    sessions = ready(arena, "one", "other")
    (pool,) = arena.pools.values()
    pool.count("one", "other", 0, 600)
    pool.count("one", "other", 1, 300)

    def leaders(now):
        lost_by(arena, "other", now)
        return [row.engine for row in arena.take().writes if isinstance(row, NewLeader)]

    assert leaders(0.0) == ["one"]
    rename(arena, "one", "two", 4.0)
    one = joined(arena, "two", 4.0, owner="of one")
    for session in (one, sessions[1]):
        arena.hear(session, ReadyForGame(), 4.0)
    assert leaders(5.0) == []


def test_a_ruling_on_a_game_tells_of_new_ratings_and_of_a_new_leader(arena):
    """The bug: the old leader stayed in the feed until the next game of the pool."""
    (pool,) = arena.pools.values()
    pool.count("one", "other", 0, 600)
    pool.count("one", "other", 1, 601)
    assert pool.leader() == arena.play.leaders.setdefault(pool.name, "other")
    for kind, leader in (("annul", "one"), ("restore", "other")):
        game, told = GAME._replace(winner=1, counts=kind == "annul"), []
        for _ in range(2):
            obey(arena, KeeperOrder(kind, game.id, reason="a test"), game, 0.0)
            told += arena.take().writes
        ratings = {row.engine: row.rating for row in told if isinstance(row, NewRating)}
        assert ratings == pool.ratings()
        assert [row.engine for row in told if isinstance(row, NewLeader)] == [leader]


@pytest.mark.parametrize("kind", ["annul", "restore"])
def test_a_ruling_on_a_game_waits_until_its_end_is_in_the_store(arena, tmp_path, kind):
    """The bug: there was no such game, neither among those that run nor among those over."""
    ready(arena, "one", "other")
    order = KeeperOrder(kind, "", reason="a test")

    def ruled(game):
        known = known_game(store.file.connection, game.id)
        return obey(arena, order._replace(name=game.id), known, 5.0)

    with ArenaStore(tmp_path, "Test", [FACTS]) as store:
        game = lost_by(arena, "one")
        end = arena.take()
        store.write(Batch([Begun(game.plan, game.began)]), 4.0)
        with pytest.raises(NotNowError, match=f"game {game.id} is over"):
            ruled(game)
        store.write(end, 4.0)
        if kind == "annul":
            assert "is annulled" in ruled(game)
        else:
            with pytest.raises(OrderError, match="is not annulled"):
                ruled(game)


def test_a_batch_that_waits_for_the_disk_knows_an_engine_by_the_name_of_its_time(arena, tmp_path):
    """The bug: a rename reached into the batch before it, which then made a second engine."""
    with ArenaStore(tmp_path, "Test", [FACTS]) as store:
        joined(arena, "one")
        store.write(arena.take(), 0.0)
        joined(arena, "one", 1.0)
        before = arena.take()
        rename(arena, "one", "two", 1.0)
        for batch in (before, arena.take()):
            store.write(batch, 1.0)
        assert [engine.name for engine in store.file.engines()] == ["two"]
