"""The references in C and the games by `games/` are the same kind of games."""

from random import Random
from statistics import mean, stdev

import pytest

from oddly.engines.benchmark.kernel_speed import (
    HERE,
    PROGRAMS,
    ReferenceFailedError,
    ReferenceProgram,
    compile_reference,
    find_compiler,
    random_action,
    random_game,
)
from oddly.games.catalogue import GAMES, create_game
from oddly.games.drop_level import DropPosition
from tests.programs import needs

GAMES_EACH = 200
# A mean of so many games lies this many of its standard errors from the truth once in 10,000 times.
ERRORS = 4.0


def test_every_game_has_a_reference_that_is_installed_with_the_package():
    assert set(PROGRAMS) == {*GAMES.values()}
    for name, _ in PROGRAMS.values():
        assert (HERE / f"{name}_reference.c").is_file()


@pytest.mark.sampled
@needs("cc")
@pytest.mark.parametrize(
    ("name", "size"), [("yodd", 3), ("xodd", 4), ("xodd", 5), ("odd", 3), ("ayu", 5), ("ayu", 7)]
)
def test_the_reference_plays_games_as_long_as_those_of_the_rules(name, size, tmp_path):
    game, random = create_game(name, size), Random(1)
    lengths = [random_game(game, random)[0] for _ in range(GAMES_EACH)]
    program = compile_reference(game, find_compiler(), tmp_path)
    playouts, seconds, drops = program.play(20_000, 1)
    assert playouts == 20_000
    assert seconds > 0
    error = stdev(lengths) / GAMES_EACH**0.5
    assert abs(mean(lengths) - drops / playouts) <= ERRORS * error
    assert program.play(100, 2)[2] == program.play(100, 2)[2]


@pytest.mark.parametrize("name", GAMES)
def test_a_random_action_is_one_of_the_legal_ones_and_each_comes(name):
    position, random = DropPosition(create_game(name, 3).start()), Random(3)
    for _ in range(5):
        if position.is_over:
            break
        legal = set(position.actions())
        drawn = {random_action(position, random)[0] for _ in range(20 * len(legal))}
        assert drawn == legal
        _, position = random_action(position, random)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (("/bin/false",), "false failed (1): no message"),
        (("/bin/echo", "nothing"), "no figures in its answer 'nothing 1 1"),
        (("/nowhere/program",), "program: No such file"),
    ],
)
def test_a_reference_that_fails_says_how(command, sentence):
    with pytest.raises(ReferenceFailedError) as caught:
        ReferenceProgram(command).play(1, 1)
    assert sentence in str(caught.value)
