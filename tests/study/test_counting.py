"""What the kernels count for a study, against the rules in `games/`."""

import pytest

from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition
from oddly.games.turns import Colour, Drop, Drops
from oddly.study.complexity import depths
from oddly.study.game_course import BranchingCounter
from oddly.study.game_properties import image, random_games, replayed, stone_images, symmetries_of
from tests.study.random_records import random_record, small_games

GAMES = small_games()


@pytest.mark.sampled
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_branching_factors_are_those_of_the_rules(game):
    (played,) = replayed([random_record(game, 4)])
    widths = BranchingCounter(game).widths(played)
    assert widths.turns == tuple(len(list(p.legal_turns())) for p in played.positions)
    expected = []
    for position, made in zip(played.positions, played.actions(), strict=True):
        at = DropPosition(position)
        for action in made:
            expected.append(len(set(at.actions())))
            at = at.act(action)
    assert widths.actions == tuple(expected)


def test_two_games_in_a_row_are_counted_apart():
    game = create_game("yodd", 2)
    first, second = replayed([random_record(game, 1), random_record(game, 2)])
    counter = BranchingCounter(game)
    counter.widths(first)
    assert counter.widths(second) == BranchingCounter(game).widths(second)


def naive_depths(game, deepest):
    """Positions first met at each depth, those up to symmetry, and the finished ones among them."""
    images = stone_images(game)

    def orbit(position):
        stones = bytearray(position.start.stones)
        for drop in position.drops:
            stones[game.board.index[drop.vertex]] = drop.colour
        _, *rest = position.key[0]
        return min(take(stones) for take in images), tuple(rest), position.key[1]

    root = DropPosition(game.start())
    seen, layer, found = {root.key}, [root], []
    for _ in range(deepest):
        new = {}
        for position in layer:
            for action in position.actions():
                after = position.act(action)
                if after.key not in seen:
                    new[after.key] = after
        seen |= set(new)
        layer = list(new.values())
        over = sum(position.is_over for position in layer)
        found.append((len(layer), len({orbit(position) for position in layer}), over))
    return found


WITH_A_SWAP = [create_game("ayu", size, {"pie": True}) for size in (3, 5)]


@pytest.mark.sampled
@pytest.mark.parametrize("game", [*GAMES, *WITH_A_SWAP], ids=str)
def test_distinct_positions_are_those_of_a_search_through_all(game):
    found = depths(game, most=3_000)[1:]
    assert len(found) >= 2
    counts = [(depth.positions, depth.up_to_symmetry, depth.over) for depth in found]
    assert counts == naive_depths(game, len(found))


@pytest.mark.sampled
def test_a_past_swap_makes_no_new_position():
    """Each of Black's two moves is followed by a swap or by two moves of White."""
    found = depths(create_game("ayu", 3, {"pie": True}))
    assert [(depth.positions, depth.over) for depth in found] == [(1, 0), (2, 0), (6, 4), (0, 0)]


def test_published_numbers_of_positions_come_out():
    """Yodd on base 8: 338 after one action, 57,460 after up to two."""
    found = depths(create_game("yodd", 8), most=200_000)
    assert [depth.positions for depth in found] == [1, 338, 57_460 - 338]


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_symmetries_take_games_to_games(game):
    record = random_record(game, 7)
    (played,) = replayed([record])
    images = stone_images(game)
    assert len(set(symmetries_of(game))) == len(images)
    for symmetry in symmetries_of(game):
        position = game.start()
        for turn in played.turns:
            position = position.play(image(game, turn, symmetry))
        assert str(position.result) == str(played.last.result) or game.name == "odd"
        least = [min(take(p.stones) for take in images) for p in (position, played.last)]
        assert least[0] == least[1]


def test_odd_may_exchange_colours_and_others_may_not():
    turn = Drops((Drop(Colour.BLACK, "a2"),))
    exchanged = [s for s in symmetries_of(create_game("odd", 2)) if s.exchanges]
    assert len(exchanged) == 12
    assert image(create_game("odd", 2), turn, exchanged[0]).drops[0].colour is Colour.WHITE
    assert not any(s.exchanges for s in symmetries_of(create_game("yodd", 2)))


@pytest.mark.sampled
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_random_games_are_whole_games(game):
    found = random_games(game, 40, seed=1)
    first = len(set(DropPosition(game.start()).actions()))
    assert {int(each.choices[0]) for each in found} == {first}
    assert all(each.choices.min() >= 1 and 1 <= each.turns <= len(each.choices) for each in found)
    assert {each.points for each in found} <= {0.0, 0.5, 1.0}
    again = random_games(game, 40, seed=1)
    assert all((a.choices == b.choices).all() for a, b in zip(found, again, strict=True))
