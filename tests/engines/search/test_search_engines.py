"""The search engines: legal turns, wins where they are near, and one game from one seed."""

from __future__ import annotations

import pytest

from engines.catalogue import create_engine
from engines.dispatcher import Dispatcher
from games.catalogue import create_game
from games.drop_level import DropPosition
from games.turns import PASS
from protocol.messages import RESIGN, Command
from protocol.time_control import parse_time_control

GAMES = {"yodd": 3, "xodd": 4, "odd": 3, "ayu": 5}


def engine_with(name: str, **options: str):
    engine = create_engine(name)
    for option, value in options.items():
        engine.set_option(option, value)
    return engine


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
def test_ends_a_won_game_by_passing(name):
    # After a pass, a side with fewer groups wins by passing too.
    game = create_game("yodd", 3)
    at = game.start()
    for text in ("Bc3", "Wa3,Wc5", "Bc2", "Wa5,We3"):
        at = DropPosition(at).start
        from protocol.notation import parse_turn

        at = at.play(parse_turn(text)) if at.is_legal(parse_turn(text)) else at.play(PASS)
    if at.is_over or at.group_counts.black == at.group_counts.white:
        pytest.skip("the line ended")
    engine = engine_with(name, simulations="3000")
    turn = engine.choose(at)
    assert at.is_legal(turn)


def test_threads_share_the_work():
    engine = engine_with("rave", simulations="400", threads="2")
    position = create_game("yodd", 3).start()
    assert position.is_legal(engine.choose(position))


def test_thinks_no_longer_than_its_clock_allows():
    engine = engine_with("rave")
    engine.prepare(create_game("yodd", 4))
    engine.time.control = parse_time_control("0.05")
    position = create_game("yodd", 4).start()
    assert position.is_legal(engine.choose(position))


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
