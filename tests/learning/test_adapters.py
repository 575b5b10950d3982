"""The adapters pass the conformance suites of the projects that they are for."""

import copy
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from oddly.engines import create_engine
from oddly.engines.engine import UnknownEngineError
from oddly.games import Colour, Drop, IllegalTurn, MissingExtraError, create_game, draw
from oddly.learning import aec_env, parallel_env, register_games, single_player_env
from tests.programs import needs

BOARDS = [("yodd", 3, {}), ("xodd", 3, {}), ("odd", 2, {}), ("ayu", 5, {"pie": True})]
PLAYTHROUGH = Path(__file__).parents[1] / "data" / "open_spiel" / "oddly_yodd.txt"
each_board = pytest.mark.parametrize(("name", "size", "options"), BOARDS)
of_dictionaries = pytest.mark.filterwarnings(
    "ignore:Observation space for each agent probably should be",
    "ignore:Observation is not a NumPy array",
    "ignore:Observation is not NumPy array",
)
"""PettingZoo says so of every observation with a mask, its own games' included."""


@needs("pettingzoo")
@of_dictionaries
@each_board
def test_pettingzoos_suite(name, size, options, capsys):
    from pettingzoo import test

    game = create_game(name, size, options)
    test.api_test(aec_env(game), num_cycles=60)
    test.seed_test(lambda: aec_env(game), num_cycles=60)
    test.parallel_api_test(parallel_env(game), num_cycles=60)
    test.parallel_seed_test(lambda: parallel_env(game), num_cycles=60)
    test.render_test(lambda render_mode: aec_env(game, render_mode))
    said = capsys.readouterr().out
    assert "Passed API test" in said
    assert "Passed Parallel API test" in said


@needs("pettingzoo")
def test_an_illegal_action_loses_in_pettingzoo(capfd):
    env = aec_env(create_game("odd", 2))
    env.reset()
    env.step(0)
    env.step(0)
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.unwrapped._cumulative_rewards["player_1"] == -1
    both = parallel_env(create_game("odd", 2))
    both.reset()
    both.step({"player_0": 0, "player_1": 0})
    _, rewards, ended, _, infos = both.step({"player_0": 0, "player_1": 1})
    assert rewards == {"player_0": 1.0, "player_1": -1.0}
    assert all(ended.values())
    assert infos["player_1"]["illegal"] == "Wa1" or infos["player_1"]["illegal"]


@needs("pettingzoo")
@pytest.mark.parametrize("number", [-1, 14, 10**6])
def test_a_number_that_is_no_action_loses_in_pettingzoo(number):
    both = parallel_env(create_game("odd", 2))
    both.reset()
    _, rewards, ended, _, infos = both.step({"player_0": number, "player_1": 0})
    assert rewards == {"player_0": -1.0, "player_1": 1.0}
    assert all(ended.values())
    assert infos["player_0"]["illegal"] == str(number)
    env = aec_env(create_game("odd", 2))
    env.reset()
    with pytest.raises(AssertionError, match="not in action space"):
        env.step(number)


@needs("gymnasium")
@each_board
@pytest.mark.parametrize("side", ["first", "second", "random"])
def test_gymnasiums_suite(name, size, options, side, capsys):
    from gymnasium.utils.env_checker import check_env

    env = single_player_env(create_game(name, size, options), "greedy", side=side)
    check_env(env)


@needs("gymnasium")
def test_a_game_against_an_engine_is_played_to_its_end():
    game = create_game("odd", 2)
    for opponent in ("random", create_engine("greedy")):
        env = single_player_env(game, opponent, side="second")
        _, info = env.reset(seed=1)
        assert info["player"] == 1
        assert info["action_mask"].sum() == 12
        is_over, reward = False, 0.0
        while not is_over:
            assert reward == 0
            action = env.action_space.sample(info["action_mask"])
            _, reward, is_over, _, info = env.step(action)
        assert reward in (1, -1)
    env = single_player_env(game, "uct", simulations=20, side="first")
    env.reset(seed=1)
    env.step(0)
    assert env.step(0)[1:3] == (-1.0, True)
    assert env.engine.values["simulations"] == 20


@needs("gymnasium")
@pytest.mark.parametrize("number", [-1, 14, 10**6])
def test_a_number_that_is_no_action_loses_in_gymnasium(number):
    env = single_player_env(create_game("odd", 2), side="first")
    env.reset(seed=1)
    _, reward, is_over, _, info = env.step(number)
    assert (reward, is_over, info["illegal"]) == (-1.0, True, str(number))


NUMBERLESS = [(3.7, "3.7"), (3.0, "3.0"), ("3", "'3'"), (None, "None"), (np.array([3]), "array")]


@needs("gymnasium")
@pytest.mark.parametrize(("action", "shown"), NUMBERLESS)
def test_only_whole_numbers_are_actions_in_gymnasium(action, shown):
    """The bug: 3.7 played action 3."""
    env = single_player_env(create_game("odd", 2), side="first")
    env.reset(seed=1)
    with pytest.raises(TypeError, match=f"^action {shown}.*: expected a whole number$"):
        env.step(action)
    assert env.one_game.position == env.game.start()
    assert env.step(np.array(3))[4]["action_mask"][3] == 0


@needs("pettingzoo")
@pytest.mark.parametrize(("action", "shown"), NUMBERLESS)
def test_only_whole_numbers_are_actions_in_pettingzoo(action, shown):
    both = parallel_env(create_game("odd", 2))
    both.reset()
    with pytest.raises(TypeError, match=f"^action {shown}.*: expected a whole number$"):
        both.step({"player_0": action, "player_1": 0})
    env = aec_env(both.game).unwrapped
    env.reset()
    with pytest.raises(IllegalTurn, match="there is no action"):
        env.step(action)
    assert both.one_game.position == env.one_game.position == both.game.start()
    both.step({"player_0": np.array(3), "player_1": 0})
    env.step(np.int8(3))
    assert both.one_game.position == env.one_game.position != both.game.start()


RENDERING = [
    pytest.param(made, marks=needs(project), id=made.__name__)
    for made, project in (
        (aec_env, "pettingzoo"),
        (parallel_env, "pettingzoo"),
        (single_player_env, "gymnasium"),
    )
]


@pytest.mark.parametrize("made", RENDERING)
def test_a_way_to_render_that_does_not_exist_is_refused(made):
    with pytest.raises(ValueError, match=r"unknown render mode 'humn'.*did you mean 'human'\?"):
        made(create_game("odd", 2), render_mode="humn")


@pytest.mark.parametrize("made", RENDERING)
def test_the_text_shows_the_drops_of_an_unfinished_turn(made, capsys):
    """The bug: only pixels and observations showed the first drop of two."""
    game = create_game("yodd", 3)
    begun = game.start().play("Bc3").play_action(game.action_number(Drop(Colour.WHITE, "d4")))
    for mode in ("ansi", "human"):
        env = made(game, render_mode=mode)
        env.reset()
        env.unwrapped.one_game.position = begun
        shown = env.render() if mode == "ansi" else (env.render(), capsys.readouterr().out)[1]
        assert shown.strip("\n") == draw(game.start().play("Bc3")) + "\nThis turn: Wd4"


@needs("gymnasium")
def test_an_environment_is_made_anew_from_its_description():
    import gymnasium

    game = create_game("odd", 2)
    env = single_player_env(game, "uct", side="first", render_mode="ansi", simulations=20)
    again = gymnasium.make(env.spec)
    again.reset(seed=1)
    assert again.render().strip("\n") == draw(game.start())
    assert again.unwrapped.engine.values["simulations"] == 20


@needs("gymnasium")
@pytest.mark.parametrize("opponent", ["random", "greedy", "mirror"])
def test_a_copy_of_a_game_goes_on_like_the_game(opponent):
    env = single_player_env(create_game("yodd", 3), opponent)
    _, info = env.reset(seed=1)
    env.step(int(info["action_mask"].argmax()))
    other = copy.deepcopy(env)
    for _ in range(5):
        action = int(env.unwrapped.one_game.position.action_mask().index(1))
        (one, *_), (same, *_) = env.step(action), other.step(action)
        assert (one == same).all()


@needs("gymnasium")
def test_what_single_player_refuses():
    game = create_game("odd", 2)
    with pytest.raises(ValueError, match=r"unknown side 'frist'.*did you mean 'first'\?"):
        single_player_env(game, side="frist")
    with pytest.raises(ValueError, match=r"unknown side 0: expected one of first, second, random$"):
        single_player_env(game, side=0)
    with pytest.raises(UnknownEngineError, match="gredy"):
        single_player_env(game, "gredy")
    for opponent in ("uct", create_engine("random")):
        with pytest.raises(ValueError, match=r"seed is drawn at each reset: .*reset\(seed="):
            single_player_env(game, opponent, seed=5)


SIMULATE = """
import pyspiel
from oddly.learning import register_games
print(*register_games(), *register_games())
for name in ("yodd(size=3)", "xodd(size=3)", "odd(board=square,min_group=2,size=3)",
             "ayu(pie=True,size=5)"):
    game = pyspiel.load_game("oddly_" + name)
    pyspiel.random_sim_test(game, num_sims=4, serialize=True, verbose=False)
    assert pyspiel.load_game(str(game)).new_initial_state().legal_actions()
print("passed")
"""
PLAY = """
from oddly.learning import register_games
from open_spiel.python.algorithms.generate_playthrough import playthrough
register_games()
print(playthrough("oddly_yodd(size=2)", None, seed=1))
"""


def run(code):
    """OpenSpiel in a process of its own, whose end is a test as well."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs("open_spiel")
def test_open_spiels_suite():
    said = run(SIMULATE)
    assert said.split()[:4] == said.split()[4:8]
    assert said.startswith("oddly_yodd oddly_xodd oddly_odd oddly_ayu")
    assert said.endswith("passed\n")


UNPICKLE = """
import pickle
print(pickle.loads({}), pickle.loads({}))
"""


@needs("open_spiel")
def test_a_game_of_open_spiel_is_pickled_into_another_process():
    game = "pyspiel.load_game('oddly_odd(size=2)')"
    state = f"{game}.new_initial_state()"
    begin = "import pickle, pyspiel, oddly.learning; oddly.learning.register_games()\n"
    pickled = [run(f"{begin}print(pickle.dumps({each}))") for each in (game, state)]
    found = run(UNPICKLE.format(*pickled))
    assert found.startswith("oddly_odd(board=hexhex,min_group=5,size=2)")
    assert "Black (X) to move" in found


@needs("open_spiel")
def test_open_spiels_playthrough_is_the_one_that_was_checked_in():
    """`python -m tests.learning.test_adapters` writes it anew."""
    assert run(PLAY) == PLAYTHROUGH.read_text(encoding="utf-8")


@pytest.mark.parametrize(("package", "made", "project"), [
    ("pettingzoo", lambda: aec_env(create_game("odd", 2)), "PettingZoo"),
    ("gymnasium", lambda: single_player_env(create_game("odd", 2)), "Gymnasium"),
    ("pyspiel", register_games, "OpenSpiel"),
])  # fmt: skip
def test_the_absence_of_a_project_is_told_in_one_sentence(package, made, project, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError) as caught:
        made()
    sentence = str(caught.value)
    assert re.fullmatch(rf"an environment for {project} needs the package \w+: .*", sentence)


if __name__ == "__main__":
    PLAYTHROUGH.parent.mkdir(exist_ok=True)
    PLAYTHROUGH.write_text(run(PLAY), encoding="utf-8")
