"""What `python -m tools.gpu` counted agrees with the rules and with the databases."""

import json
from itertools import combinations, product

import pytest

from oddly.engines.database.database import Database
from oddly.games import Colour, GameError, Odd, Status, create_game
from tools.gpu.__main__ import RESULTS

COUNTED = json.loads(RESULTS.read_text(encoding="utf-8"))
DOCS = RESULTS.parents[2] / "docs"
EMPTY = 0


def positions(game, stones, to_move):
    """Yield all positions with that many stones in which that side may be to move."""
    cells = range(len(game.board))
    for where in combinations(cells, stones):
        for colours in product((1, 2), repeat=stones):
            board = [EMPTY] * len(game.board)
            for cell, colour in zip(where, colours, strict=True):
                board[cell] = colour
            try:
                yield game.set_up(bytes(board), to_move, Status(passes=0))
            except GameError:
                continue


def turns_of(database):
    """Return the first turns that win, as the database has them."""
    start = database.game.start()
    return {
        str(turn)
        for turn in start.legal_turns()
        if database.winner(start.play(turn)) is Colour.BLACK
    }


@pytest.mark.sampled
@pytest.mark.parametrize("group", range(1, 6))
def test_odd_on_3x3_is_counted_as_in_the_database(tmp_path, group):
    database = Database(Odd(size=3, shape="square", min_group=group), tmp_path)
    database.make()
    found = []
    for stones in range(10):
        mover = Colour.WHITE if stones % 2 else Colour.BLACK
        values = [
            database.winner(each) is mover for each in positions(database.game, stones, mover)
        ]
        found.append(sum(values))
    assert COUNTED[f"odd 3 {group}"]["mover_wins"] == found
    assert set(COUNTED[f"odd 3 {group}"]["winning_first_turns"]) == turns_of(database)


def test_xodd_3_is_counted_as_in_the_database(tmp_path):
    database = Database(create_game("xodd", 3), tmp_path)
    database.make()
    ends, lost = [0], [0]
    for stones in range(1, 10):
        turns = list(positions(database.game, stones, Colour.WHITE))
        ends.append(len(turns))
        lost.append(sum(database.winner(each) is Colour.BLACK for each in turns))
    assert (COUNTED["xodd 3"]["ends_of_turns"], COUNTED["xodd 3"]["mover_loses"]) == (ends, lost)
    assert set(COUNTED["xodd 3"]["winning_first_turns"]) == turns_of(database)


@pytest.mark.parametrize("side", [4, 5])
def test_turns_of_xodd_end_in_so_many_positions_of_few_stones(side):
    game = create_game("xodd", side)
    for stones in range(1, 4):
        ends = list(positions(game, stones, Colour.WHITE))
        assert COUNTED[f"xodd {side}"]["ends_of_turns"][stones] == len(ends)


def test_the_docs_have_the_figures_of_xodd_5():
    counted = COUNTED["xodd 5"]
    ends, lost = counted["ends_of_turns"], counted["mover_loses"]
    text = " ".join((DOCS / "reference" / "solved.md").read_text(encoding="utf-8").split())
    assert (counted["winner"], counted["winning_first_turns"]) == ("Black", ["Bc3"])
    assert f"as in {sum(ends):,} positions" in text
    assert f"White wins {1 - sum(lost) / sum(ends):.1%} of them".replace("%", " %") in text
    for stones in (1, 2, 3, 4, 5, 10, 15, 20, 24, 25):
        share = f"{100 * (1 - lost[stones] / ends[stones]):.1f} %"
        assert f"| {stones} | {ends[stones]:,} | {share} |" in text
