"""The arena in a simulated world: every game once, no innocent loss, and true ratings."""

import pytest

from oddly.arena.game import SET_WITHIN
from oddly.arena.pool import PoolFacts
from oddly.arena.registry import EngineState
from oddly.games import create_game
from oddly.protocol import parse_time_control
from oddly.referee import Termination
from oddly.tournaments import Ledger, verify
from tests.arena.sim_engine import Habits
from tests.arena.world import POOL, World
from tests.sampling import sample_number

LOST_BY_FAULT = {
    Termination.TIME,
    Termination.ILLEGAL_TURN,
    Termination.PROTOCOL,
    Termination.CRASH,
    Termination.NO_START,
}


def records_of(world):
    """All games of the world's ledgers, which are verified, by id."""
    found = {}
    for facts in world.pools:
        path = world.folder / f"{facts.name}.sqlite"
        assert verify(path).problems == []
        with Ledger(path, read_only=True) as ledger:
            found |= ledger.records()
    return found


def check(world):
    """Every game once, and lost by fault only by those who may."""
    if world.store is None:
        world.start()
    running = {game.id for game in world.store.file.running()}
    begun = {row[0] for row in world.store.file.connection.execute("select id from games")}
    void = {
        row[0]
        for row in world.store.file.connection.execute(
            "select id from games where winner is null and state = 2"
        )
    }
    world.close()
    records = records_of(world)
    assert begun - running - void == set(records), world.seed
    for engine in world.engines.values():
        for game, end in engine.ends.items():
            if game not in void:
                assert records[game].outcome.winner == end.winner, world.seed
    for record in records.values():
        if record.outcome.termination in LOST_BY_FAULT:
            loser = record.players[1 - record.outcome.winner]
            assert not world.engines[loser].habits.is_innocent, (world.seed, record.outcome)
    return records


def league(world, engines, habits_of, spread=200.0):
    """Engines of one owner each, with strengths drawn at random."""
    for number in range(engines):
        strength = world.draw.gauss(0, spread)
        at = world.draw.uniform(0, 20)
        world.add(f"engine {number}x", strength, habits_of(number), at=at)


def habits_of_all_kinds(number):
    """Every kind of engine, most of them honest."""
    return [
        Habits(),
        Habits(latency=0.3, jitter=0.1),
        Habits(cuts=0.03),
        Habits(leaves=0.1, cuts=0.01),
        Habits(lies=True),
        Habits(stalls=0.03),
        Habits(cheats=0.03),
        Habits(),
    ][number % 8]


def test_a_quiet_league_plays_without_end(tmp_path):
    world = World(sample_number(), tmp_path)
    league(world, 6, lambda _: Habits())
    world.start()
    world.run(120)
    records = check(world)
    assert len(records) > 40, world.seed
    opponents = {frozenset(record.players) for record in records.values()}
    # Two of very unequal strength tell little, so one pair in a league may not meet yet.
    assert len(opponents) in (14, 15), world.seed
    seats = {}
    for record in records.values():
        key = frozenset(record.players)
        seats[key] = seats.get(key, 0) + (1 if record.players[0] == min(record.players) else -1)
    assert all(abs(difference) <= 1 for difference in seats.values())


def test_an_arena_that_is_killed_again_and_again_loses_no_game(tmp_path):
    world = World(sample_number(), tmp_path, kills=0.004)
    league(world, 10, habits_of_all_kinds)
    world.start()
    world.run(240)
    assert world.deaths > 5
    assert len(check(world)) > 40, world.seed


def asked_game(world):
    """A game whose mover has just been asked."""
    world.resigns = False
    world.start()
    while not (games := [*world.arena.play.games.values()]) or games[0].asked is None:
        world.run(0.1)
    return games[0]


def restart(world):
    """Kill the arena, and wait until it is there again."""
    world.die()
    while world.arena is None:
        world.run(0.1)


def test_no_clock_runs_over_restarts_before_its_player_is_back(tmp_path):
    world = World(4, tmp_path)
    engines = [world.add(name, 0, Habits(thinks=1.0)) for name in ("one a", "other b")]
    game = asked_game(world)
    for engine in engines:
        engine.is_wanted = False
    for _ in range(4):
        restart(world)
        world.run(3.0)
    for engine in engines:
        engine.come_back()
    world.run(60)
    assert check(world)[game.id].outcome.termination not in LOST_BY_FAULT


def test_a_turn_does_not_start_the_clock_of_an_opponent_who_is_not_back(tmp_path):
    world = World(5, tmp_path)
    engines = {name: world.add(name, 0, Habits(thinks=1.0)) for name in ("one a", "other b")}
    game = asked_game(world)
    other = engines[game.players[1 - game.mover]]
    other.is_wanted = False
    restart(world)
    world.run(8.0)
    assert len(world.arena.play.games[game.id].turns) == len(game.turns) + 1
    restart(world)
    world.run(8.0)
    other.come_back()
    world.run(60)
    assert check(world)[game.id].outcome.termination not in LOST_BY_FAULT


def test_who_never_comes_back_loses_though_its_question_was_not_on_the_disk(tmp_path):
    world = World(6, tmp_path)
    engines = {name: world.add(name, 0, Habits(thinks=1.0)) for name in ("one a", "other b")}
    game = asked_game(world)
    mover, other = (engines[game.players[player]] for player in (game.mover, 1 - game.mover))
    mover.is_wanted = False
    world.store.file.connection.execute("update games set asked_number = -1")
    restart(world)
    world.run(30)
    assert other.ends[game.id].termination == "time"
    world.close()


OTHER = POOL._replace(name="xodd-2-too")


def two_pools_after_a_game(world):
    """Two engines whose game in POOL began, while only OTHER was in the arena's file after it.

    Returns the engines and the game; both pools are there again.
    """
    engines = [world.add(name, 0, Habits(thinks=1.0)) for name in ("one a", "other b")]
    game = asked_game(world)
    world.pools = (OTHER,)
    restart(world)
    while not any(game.is_running for game in world.arena.play.games.values()):
        world.run(0.1)
    world.pools = (POOL, OTHER)
    return engines, game


def test_a_game_of_a_pool_that_is_gone_is_void(tmp_path):
    """The bug: once the pool was back, its engines were in two games, and lost one on time."""
    world = World(7, tmp_path)
    engines, game = two_pools_after_a_game(world)
    for engine in engines:
        end = engine.ends[game.id]
        assert (end.termination, end.winner) == ("void", None)
        assert end.reason == "the arena no longer has the pool 'xodd-2'"
    restart(world)
    world.run(60)
    assert world.store.file.unheard() == []
    check(world)


def test_an_engine_in_two_games_plays_the_newer_one(tmp_path):
    """A file that an arena with the bug above has written."""
    world = World(8, tmp_path)
    engines, older = two_pools_after_a_game(world)
    (newer,) = world.arena.play.games
    world.store.file.connection.execute(
        "update games set state = 0, heard = 0 where id = ?", (older.id,)
    )
    for engine in engines:
        engine.ends.pop(older.id, None)
    restart(world)
    assert [*world.arena.play.games] == [newer]
    assert {game.id for game in world.arena.play.playing.values()} == {newer}
    world.run(60)
    assert [engine.ends[older.id].termination for engine in engines] == ["void", "void"]
    assert newer in check(world)


def test_an_engine_that_returns_in_time_goes_on_and_one_that_does_not_loses(tmp_path):
    world = World(1, tmp_path)
    one = world.add("one a", 0, Habits(thinks=1.0, cuts=0.3, away=0.3))
    other = world.add("other b", 0, Habits(thinks=1.0))
    world.start()
    world.run(60)
    assert len(one.ends) > 3
    assert {end.termination for end in one.ends.values()} == {"resignation"}
    one.cut()
    one.is_wanted = False
    world.run(60)
    assert [end.termination for end in other.ends.values()].count("time") <= 1
    assert not world.arena.play.games or world.arena.play.games.popitem()[1].is_set != [True, True]
    world.close()


def test_who_never_sets_up_a_game_costs_nobody_anything_at_first(tmp_path):
    world = World(2, tmp_path)
    world.add("one a", 0)
    mute = world.add("mute b", 0)
    mute.begin = lambda start: None
    world.start()
    world.run(10 * SET_WITHIN)
    ends = [end.termination for end in mute.ends.values()]
    assert ends[0] == "void"
    assert "no start" in ends[1:]
    world.close()


@pytest.mark.parametrize(
    ("engines", "seconds"), [(24, 90), pytest.param(120, 600, marks=pytest.mark.soak)]
)
def test_a_world_of_all_kinds_with_versions_owners_and_kills(tmp_path, engines, seconds):
    """Nobody meets its own family or owner, and who plays only whom it likes gains nothing."""
    seed = sample_number()
    world = World(seed, tmp_path, kills=0.0005)
    league(world, engines, habits_of_all_kinds)
    farmers = [world.add(f"farm {n}y", 0, owner="farmer") for n in range(3)]
    versions = [
        world.add(f"v{n}z", 0, family="versions", owner="v", at=n * seconds / 3) for n in range(3)
    ]
    liked = frozenset(name for name, engine in world.engines.items() if engine.strength < -100)
    chooser = world.add("chooser w", 0, Habits(likes=liked))
    world.start()
    world.run(seconds)
    if world.arena is None:
        world.start()
    registry = world.arena.registry
    pool = world.arena.pools[POOL.name]
    chosen = pool.rating(chooser.name)
    families = {name: engine.family for name, engine in world.engines.items()}
    states = [registry.engine(engine.name).state for engine in versions]
    records = check(world)
    for record in records.values():
        one, other = record.players
        assert families[one] != families[other], seed
        assert world.engines[one].owner != world.engines[other].owner, seed
    assert states == [EngineState.RESTS, EngineState.RESTS, EngineState.PLAYS], seed
    assert sum(len(engine.ends) for engine in farmers) > 3, seed
    assert chosen.elo - chosen.error < 100, seed


@pytest.mark.parametrize(
    ("control", "latency", "jitter"), [("0.3+0", 0.08, 0.02), ("5+0.1", 0.3, 0.1)]
)
@pytest.mark.parametrize("seconds", [60, pytest.param(600, marks=pytest.mark.soak)])
def test_a_network_of_the_usual_kind_loses_no_game(tmp_path, control, latency, jitter, seconds):
    pool = PoolFacts("far", create_game("xodd", 8), parse_time_control(control), seed=3)
    world = World(sample_number(), tmp_path, pools=(pool,), gather=0.5)
    world.resigns = False
    league(world, 6, lambda _: Habits(latency=latency, jitter=jitter, thinks=0.003))
    world.start()
    world.run(20 + seconds)
    records = check(world)
    assert len(records) > seconds / 15, world.seed
    longest = max(len(record.turns) for record in records.values())
    assert longest > 20
    assert {record.outcome.termination for record in records.values()} <= {
        Termination.BOARD_FULL,
        Termination.DOUBLE_PASS,
    }, world.seed
