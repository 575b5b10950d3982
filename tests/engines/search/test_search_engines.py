"""The search engines: legal turns, wins where they are near, and one game from one seed."""

import os
import subprocess
import sys
import threading
from itertools import count

import pytest

from oddly.engines.catalogue import create_engine
from oddly.engines.dispatcher import Dispatcher
from oddly.engines.kernels.interface import position_hash
from oddly.engines.rave_engine import tuned_for
from oddly.engines.search.analysing import turns_of
from oddly.engines.search.searcher import Searcher
from oddly.engines.search.settings import LOST_WINS, fixed
from oddly.engines.search.tree import ROOM, block_of, edge_of, edges_of, find
from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition
from oddly.games.turns import PASS
from oddly.protocol.messages import RESIGN, Command
from oddly.protocol.notation import parse_turn
from oddly.protocol.time_control import parse_time_control

GAMES = {"yodd": 3, "xodd": 4, "odd": 3, "ayu": 5}


def engine_with(name: str, **options: str):
    engine = create_engine(name)
    for option, value in options.items():
        engine.set_option(option, value)
    return engine


def play(game_name: str, size: int, *turns: str):
    position = create_game(game_name, size).start()
    for turn in turns:
        position = position.play(parse_turn(turn))
    return position


@pytest.mark.parametrize("name", ["uct", "rave"])
@pytest.mark.parametrize("game_name", GAMES)
def test_plays_whole_games_by_the_rules(name, game_name, capfd):
    game = create_game(game_name, GAMES[game_name])
    engine = engine_with(name, simulations="60", seed="5")
    engine.prepare(game)
    engine.new_game()
    position = game.start()
    for _ in range(300):
        if position.is_over:
            break
        position = position.play(engine.choose(position))
    assert position.is_over
    assert "bug" not in capfd.readouterr().err


@pytest.mark.parametrize("name", ["uct", "rave"])
def test_equal_seeds_make_equal_games(name):
    games = []
    for seed in ("1", "1", "2"):
        engine = engine_with(name, simulations="200", seed=seed)
        position = create_game("yodd", 3).start()
        turns = []
        while not position.is_over:
            turns.append(engine.choose(position))
            position = position.play(turns[-1])
        games.append(list(map(str, turns)))
    assert games[0] == games[1] != games[2]


@pytest.mark.parametrize("name", ["uct", "rave"])
def test_wins_by_a_second_pass_when_ahead(name):
    position = play("xodd", 2, "Ba1", "Bb2,Wa2")
    assert position.group_counts == (2, 1)
    position = position.play(PASS)
    assert engine_with(name, simulations="1000").choose(position) == PASS


def test_threads_share_the_work():
    engine = engine_with("rave", simulations="400", threads="2")
    position = create_game("yodd", 3).start()
    assert position.is_legal(engine.choose(position))


def test_ponders_after_its_reply_and_plays_on_from_what_it_learnt():
    engine = engine_with("uct", simulations="100", ponder="true")
    game = create_game("yodd", 3)
    position = game.start()
    replies = []
    for _ in range(3):
        turn = engine.choose(position)
        engine.deliver(Command("genmove"), str(turn).encode(), replies.append)
        position = position.play(turn)
        position = position.play(next(iter(position.legal_turns())))
    assert len(replies) == 3
    before = engine.choose(position)
    engine.new_game()
    assert position.is_legal(before)


def test_does_not_ponder_about_a_game_that_is_over():
    engine = engine_with("uct", simulations="100", ponder="true")
    after = play("xodd", 2, "Ba1", "Bb2,Wa2", "pass")
    assert after.play(engine.choose(after)).is_over
    engine.deliver(Command("genmove"), b"= pass", lambda _: None)
    assert not any(thread.name == "pondering" for thread in threading.enumerate())


def test_thinks_no_longer_than_its_clock_allows():
    engine = engine_with("rave")
    engine.prepare(create_game("yodd", 4))
    engine.time.control = parse_time_control("0.05")
    position = create_game("yodd", 4).start()
    assert position.is_legal(engine.choose(position))


def test_looks_at_the_clock_after_the_first_simulation():
    """Without machine code one may take as long as a short turn."""
    game = create_game("yodd", 4)
    searcher = Searcher(game, megabytes=2)
    searcher.load(DropPosition(game.start()))
    searcher.clock = count(1.0).__next__
    assert searcher.think(tuned_for(game), time=fixed(0.5)).simulations == 1


def without_machine_code(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        input=given,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )


def test_without_machine_code_it_stops_after_any_simulation():
    words = (
        "from oddly.engines.search import searcher as s; print(s.Searcher.simulations_at_a_time)"
    )
    assert without_machine_code("-c", words).stdout.split() == ["1"]


def test_without_machine_code_nothing_warns_of_arithmetic_that_wraps():
    words = ("-m", "oddly", "engine", "rave", "--simulations", "2")
    ran = without_machine_code(*words, given="set_game xodd\nboardsize 3\ngenmove B\nquit\n")
    assert ran.stdout.startswith("=\n\n=\n\n= B")
    assert "overflow" not in ran.stderr


def test_resigns_only_when_allowed_and_hopeless():
    game = create_game("yodd", 2)
    for allowed in ("false", "true"):
        engine = engine_with("uct", simulations="2000", resign=allowed)
        position = game.start()
        resigned = False
        while not position.is_over and not resigned:
            turn = engine.choose(position)
            resigned = turn is RESIGN
            if not resigned:
                position = position.play(turn)
        assert resigned == (allowed == "true")


def test_tells_how_the_search_goes_when_asked(capfd):
    engine = engine_with("rave", simulations="200", info="true")
    engine.choose(create_game("yodd", 3).start())
    line = next(x for x in capfd.readouterr().err.splitlines() if x.startswith("info "))
    words = line.split()
    assert words[1:4:2] == ["simulations", "win_rate"]
    assert int(words[2]) >= 200


@pytest.mark.parametrize("name", ["uct", "rave"])
def test_bad_input_leaves_the_engine_in_sync(name):
    dispatcher = Dispatcher(create_engine(name), create_game("yodd", 2))

    def ask(line: str) -> str:
        words = line.split()
        reply = dispatcher.answer(Command(words[0], tuple(words[1:])))
        return ("= " if reply.ok else "? ") + reply.text

    assert ask("set_option threads 0").startswith("? option threads is a whole number from 1")
    assert ask("set_option exploration 11").startswith("? option exploration")
    assert ask("genmove w") == "? it is Black's turn"
    assert ask("boardsize 99").startswith("? unacceptable size")
    assert ask("time_control 0").startswith("? syntax error")
    assert ask("set_option simulations 50") == "= "
    assert ask("genmove b").startswith("= ")
    assert ask("play w pass") == "= "
    assert ask("play b pass") == "= "
    assert ask("genmove w") == "? the game is over"
    assert ask("clear_board") == "= "
    assert ask("genmove b").startswith("= ")


@pytest.mark.parametrize("name", ["uct", "rave"])
@pytest.mark.parametrize("game_name", GAMES)
def test_rates_positions_at_and_inside_turns(name, game_name):
    at = DropPosition(create_game(game_name, GAMES[game_name]).start())
    engine = engine_with(name, simulations="200")
    for _ in range(4):
        evaluation = engine.evaluate(at)
        assert 0 <= evaluation.win_rate <= 1
        assert evaluation.simulations > 0
        actions = [candidate.action for candidate in evaluation.candidates]
        assert set(actions) <= set(at.actions())
        assert len(set(actions)) == len(actions) > 0
        assert sum(candidate.share for candidate in evaluation.candidates) == pytest.approx(1)
        assert all(0 <= candidate.win_rate <= 1 for candidate in evaluation.candidates)
        at = at.act(actions[0])


def test_rates_a_won_position_as_won():
    position = play("xodd", 2, "Ba1", "Bb2,Wa2").play(PASS)
    evaluation = engine_with("uct", simulations="1000").evaluate(DropPosition(position))
    assert evaluation.win_rate == 1
    assert evaluation.candidates[0].action == PASS


def test_it_thinks_no_longer_once_one_action_is_left_that_does_not_lose():
    game = create_game("yodd", 5)
    searcher = Searcher(game, megabytes=4)
    searcher.load(DropPosition(game.start()))
    searcher.think(tuned_for(game), simulations=50)
    tree, settings = searcher.tree, tuned_for(game)
    actions = list(searcher.votes())
    node = find(tree, position_hash(searcher.root))
    for place in range(len(actions)):
        edge_of(tree, node, place)
    block = int(block_of(tree, node))
    wins = edges_of(block, len(actions), int(tree.words[block + ROOM]))[0]
    tree.doubles[wins : wins + len(actions) - 1] = LOST_WINS
    reports = []
    searcher.think(settings, time=fixed(0.5), report=lambda: reports.append(None))
    assert len(reports) == 1


@pytest.mark.parametrize("game", ["yodd 3", "odd 2", "ayu 5"])
def test_how_far_a_search_looked_is_counted_in_turns(game, monkeypatch):
    def too_slow(position, actions):
        raise AssertionError("the clock still runs")

    name, size = game.split()
    engine = create_engine("rave")
    engine.set_option("simulations", "300")
    position = create_game(name, int(size)).start()
    engine.prepare(position.game)
    with monkeypatch.context() as patched:
        patched.setattr("oddly.engines.search.analysing.turns_of", too_slow)
        engine.choose(position)
    searcher = engine._searcher
    searcher.load(DropPosition(position))
    line = searcher.variation(searcher.finding().action)
    assert engine.last_evaluation().depth is not None
    turns = turns_of(position, map(searcher.action_of, line))
    assert searcher.turns_in(line) == len(turns) > 0
