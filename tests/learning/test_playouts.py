"""Random games from a position, as a search of one's own asks for them."""

from random import Random

import pytest

from oddly.games import Colour, Odd, create_game
from oddly.learning import Playouts
from tests.learning.test_batch import BOARDS


def share_by_hand(position, number, random):
    """Uniformly random actions by the plain rules."""
    points = 0.0
    for _ in range(number):
        at = position
        while not at.is_over:
            at = at.play_action(random.choice(at.legal_actions()))
        winner = at.result.winner
        points += 0.5 if winner is None else winner is Colour.BLACK
    return points / number


@pytest.mark.parametrize(("name", "size", "options"), BOARDS)
def test_the_share_is_that_of_random_games_by_the_rules(name, size, options):
    random, position = Random(3), create_game(name, size, options).start()
    playouts = Playouts(position.game, seed=2)
    for _ in range(3):
        if position.is_over:
            break
        expected = share_by_hand(position, 400, random)
        assert playouts.black_share(position, 4000) == pytest.approx(expected, abs=0.12)
        position = position.play_action(random.choice(position.legal_actions()))


@pytest.mark.parametrize(("name", "size", "options"), BOARDS)
def test_a_game_that_is_over_keeps_its_result(name, size, options):
    random, position = Random(5), create_game(name, size, options).start()
    playouts = Playouts(position.game)
    while not position.is_over:
        position = position.play_action(random.choice(position.legal_actions()))
    assert playouts.black_share(position, 3) == share_by_hand(position, 1, random)


def test_equal_seeds_give_equal_answers():
    start = create_game("yodd", 3).start()
    answers = [
        [playouts.black_share(start, 3) for _ in range(20)]
        for playouts in (Playouts(start.game, 1), Playouts(start.game, 1), Playouts(start.game, 2))
    ]
    assert answers[0] == answers[1] != answers[2]


def test_a_game_without_a_kernel_is_played_by_its_plain_rules():
    class Mine(Odd):
        name = "mine"

    start = Mine(2, min_group=2).start()
    assert Playouts(start.game).black_share(start, 100) == pytest.approx(0.5, abs=0.3)


def test_what_playouts_refuse():
    playouts = Playouts(create_game("odd", 2))
    for position, number in ((create_game("odd", 3).start(), 1), (playouts.game.start(), 0)):
        with pytest.raises(ValueError, match="expected a position of odd 2"):
            playouts.black_share(position, number)
