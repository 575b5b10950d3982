"""The theorems of docs/explanation/theorems.md, counted out on every board that is small enough.

Everything here rests on the brute force and on tables made from it; the rules of `games/` are asked
only where a theorem says how to play.
"""

import random
import re
from functools import cache
from itertools import combinations, product
from pathlib import Path

import pytest

from oddly.engines.database.database import Database
from oddly.games.catalogue import create_game
from oddly.games.odd import Odd
from oddly.games.turns import Colour, Drop, Drops
from tests.games.brute_force import group_of, hexhex, square

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "theorems.md"
BOARDS = {"hexhex, base 2": hexhex(2), "square, 2x2": square(2), "square, 3x3": square(3)}


def group_sizes(neighbours, stones):
    """The size of every group, with its colour."""
    seen = set()
    for vertex in stones:
        if vertex not in seen:
            group = group_of(neighbours, stones, vertex)
            seen |= group
            yield stones[vertex], len(group)


def fillings(neighbours):
    """Every full board, as a tuple of colours in the order of the vertices."""
    return product("BW", repeat=len(neighbours))


def black_wins_odd(neighbours, threshold):
    """Whether Black wins Odd on that board with perfect play, by minimax over all positions."""
    vertices = list(neighbours)
    is_odd = {
        filling: sum(
            size >= threshold
            for _, size in group_sizes(neighbours, dict(zip(vertices, filling, strict=True)))
        )
        % 2
        == 1
        for filling in fillings(neighbours)
    }

    @cache
    def black_wins(cells):
        if "." not in cells:
            return is_odd[cells]
        black_moves = sum(cell != "." for cell in cells) % 2 == 0
        after = (
            black_wins((*cells[:place], colour, *cells[place + 1 :]))
            for place, cell in enumerate(cells)
            if cell == "."
            for colour in "BW"
        )
        return any(after) if black_moves else all(after)

    return black_wins((".",) * len(vertices))


def won_thresholds(neighbours):
    return [t for t in range(1, len(neighbours) + 1) if black_wins_odd(neighbours, t)]


def test_the_table_of_odd_is_what_counting_gives():
    rows = re.findall(
        r"^\| (hexhex.*?|square.*?) \| (\d+) \| (.*?) \|", PAGE.read_text("utf-8"), re.MULTILINE
    )
    assert {board: int(cells) for board, cells, _ in rows} == {
        board: len(neighbours) for board, neighbours in BOARDS.items()
    }
    for board, _, won in rows:
        assert [int(number) for number in re.findall(r"\d+", won)] == won_thresholds(BOARDS[board])


def test_black_wins_no_threshold_above_half_the_cells_and_some_at_half():
    for neighbours in BOARDS.values():
        half = -(-len(neighbours) // 2)
        assert all(threshold <= half for threshold in won_thresholds(neighbours))
    assert max(won_thresholds(hexhex(2))) == 4
    assert max(won_thresholds(square(3))) == 5


def test_white_wins_where_the_game_says_so():
    boards = (("hexhex", 2, hexhex(2)), ("square", 2, square(2)), ("square", 3, square(3)))
    for shape, size, board in boards:
        for threshold in range(1, len(board) + 2):
            if Odd(size, shape, threshold).known_winner:
                assert not black_wins_odd(board, threshold)
    assert Odd(4, "square").known_winner
    assert not Odd().known_winner
    assert not Odd(5, "square").known_winner
    assert Odd(2, "hexhex", 5).known_winner


@pytest.mark.parametrize("side", [2, 4])
def test_opposite_stones_of_other_colours_leave_an_even_number_of_groups_of_each_size(side):
    neighbours = square(side)
    vertices = list(neighbours)
    half = len(vertices) // 2
    for colours in product("BW", repeat=half):
        opposite = ["W" if colour == "B" else "B" for colour in reversed(colours)]
        stones = dict(zip(vertices, [*colours, *opposite], strict=True))
        sizes = [size for _, size in group_sizes(neighbours, stones)]
        assert all(sizes.count(size) % 2 == 0 for size in set(sizes))


@pytest.mark.parametrize("size", [2, 4, 6, 8])
def test_the_copier_wins_every_game_of_odd_on_even_squares(size):
    draw = random.Random(size)
    for threshold in (1, 2, 5, size):
        position = Odd(size, "square", threshold).start()
        vertices = position.game.board.vertices
        while not position.is_over:
            turn = draw.choice(list(position.legal_turns()))
            (drop,) = turn.drops
            opposite = vertices[len(vertices) - 1 - vertices.index(drop.vertex)]
            position = position.play(turn)
            position = position.play(Drops((Drop(drop.colour.other, opposite),)))
        assert position.result.winner is Colour.WHITE


def group_balance(neighbours):
    """By cells: the groups of Black and of White on every board, full or not."""
    vertices = list(neighbours)
    found = {}
    for cells in product(".BW", repeat=len(vertices)):
        stones = {v: c for v, c in zip(vertices, cells, strict=True) if c != "."}
        colours = [colour for colour, _ in group_sizes(neighbours, stones)]
        found[cells] = (colours.count("B"), colours.count("W"))
    return found


def drops(cells):
    """The boards after one drop and after two."""
    empty = [place for place, cell in enumerate(cells) if cell == "."]
    for number in (1, 2):
        for places in combinations(empty, number):
            for colours in product("BW", repeat=number):
                after = list(cells)
                for place, colour in zip(places, colours, strict=True):
                    after[place] = colour
                yield tuple(after)


@pytest.mark.parametrize("neighbours", [hexhex(2), square(2)], ids=["yodd 2", "xodd 2"])
def test_nobody_is_worse_off_for_being_to_move_in_yodd_and_xodd(neighbours):
    balance = group_balance(neighbours)
    odd = {cells for cells, counts in balance.items() if sum(counts) % 2 == 1}
    nexts = {cells: [after for after in drops(cells) if after in odd] for cells in odd}

    def is_ahead(player, cells):
        black, white = balance[cells]
        return (black < white) == (player == "B")

    @cache
    def mover_wins(cells, player, passed):
        other = "W" if player == "B" else "B"
        by_pass = is_ahead(player, cells) if passed else not mover_wins(cells, other, True)
        return by_pass or any(not mover_wins(after, other, False) for after in nexts[cells])

    assert len(odd) == {7: 1010, 4: 34}[len(neighbours)]
    for cells in odd:
        for player, other in ("BW", "WB"):
            if is_ahead(player, cells):
                # The side behind gives the game away by a pass.
                assert mover_wins(cells, player, True)
                assert mover_wins(cells, player, False) >= (not mover_wins(cells, other, False))
        assert mover_wins(cells, "B", False) or mover_wins(cells, "W", False)


def legal_ends(cells, balance):
    """The boards after the legal drops of a turn, from a board with an odd number of groups."""
    return [after for after in drops(cells) if sum(balance[after]) % 2 == 1]


@pytest.mark.parametrize(
    ("neighbours", "forced", "with_one"),
    [(hexhex(2), 0, 194), (square(2), 8, 16), (square(3), 256, 1026)],
    ids=["yodd 2", "xodd 2", "xodd 3"],
)
def test_with_two_empty_cells_nobody_must_pass(neighbours, forced, with_one):
    balance = group_balance(neighbours)
    nearly_full = []
    for cells, counts in balance.items():
        empty = cells.count(".")
        if sum(counts) % 2 == 0 or empty in (0, len(cells)):
            continue
        if empty == 1:
            nearly_full.append(not legal_ends(cells, balance))
        else:
            assert any(sum(balance[after]) % 2 == 1 for after in drops(cells))
    assert (sum(nearly_full), len(nearly_full)) == (forced, with_one)
    if len(neighbours) == 9:
        text = " ".join(PAGE.read_text("utf-8").split())
        assert f"in {forced} of the {with_one:,} positions" in text


@pytest.mark.parametrize(("name", "size", "won"), [("yodd", 2, 1), ("xodd", 2, 0), ("xodd", 3, 1)])
def test_a_first_stone_wins_in_one_colour_at_most(tmp_path, name, size, won):
    database = Database(create_game(name, size), tmp_path)
    database.make()
    start = database.game.start()
    winning = [
        turn.drops[0]
        for turn in start.legal_turns()
        if database.winner(start.play(turn)) is Colour.BLACK
    ]
    assert len({drop.vertex for drop in winning}) == len(winning) == won
    assert all(drop.colour is Colour.BLACK for drop in winning)


@pytest.mark.parametrize(
    ("neighbours", "least"), [(hexhex(2), -2), (square(3), -3)], ids=["hexhex 2", "square 3"]
)
def test_a_drop_changes_the_number_of_groups_by_so_much_and_no_more(neighbours, least):
    balance = group_balance(neighbours)
    changes = set()
    for cells, counts in balance.items():
        for place, cell in enumerate(cells):
            if cell == ".":
                after = balance[(*cells[:place], "B", *cells[place + 1 :])]
                changes.add(sum(after) - sum(counts))
    assert changes == set(range(least, 2))
