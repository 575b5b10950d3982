"""Points, ranks and crosstables against a naive recount."""

from fractions import Fraction
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from oddly.tournaments import ResultCounts
from oddly.tournaments.results.game_summary import standings_and_crosstable
from tests.tournaments.results.outcomes import league

RESULTS = st.text("12dfv", min_size=1, max_size=40)
NAMES = [f"engine {letter}" for letter in "abcde"]


def naive_points(played, name: str) -> Fraction:
    total = Fraction(0)
    for game in played:
        if game.outcome.termination.value == "void":
            continue
        players = [game.scheduled.first, game.scheduled.second]
        if name in players:
            winner = game.outcome.winner
            total += Fraction(1, 2) if winner is None else int(players[winner] == name)
    return total


@given(RESULTS)
def test_a_win_is_one_point_a_draw_half_and_void_games_do_not_count(results):
    played = league(NAMES, results)
    table, _ = standings_and_crosstable(NAMES, ResultCounts(played))
    assert {row.name: row.points for row in table} == {n: naive_points(played, n) for n in NAMES}
    counted = [game for game in played if not game.outcome.is_void]
    assert sum(row.points for row in table) == len(counted)
    assert sum(row.games for row in table) == 2 * len(counted)
    for row in table:
        assert row.wins + row.draws + row.losses == row.games
        assert row.wins + row.draws / 2 == row.points == row.as_first + row.as_second
    assert sum(row.forfeits for row in table) == sum(g.outcome.is_forfeit for g in played)


@given(RESULTS)
def test_equal_points_share_a_rank_and_the_order_is_by_points_then_tie_break(results):
    table, _ = standings_and_crosstable(NAMES, ResultCounts(league(NAMES, results)))
    assert table[0].rank == 1
    for place, (above, below) in enumerate(pairwise(table), start=2):
        assert (above.points, above.tie_break) >= (below.points, below.tie_break)
        assert below.rank == (above.rank if above.points == below.points else place)


@given(RESULTS)
def test_the_crosstable_adds_up_to_the_standings(results):
    rows, table = standings_and_crosstable(NAMES, ResultCounts(league(NAMES, results)))
    for row in rows:
        assert sum(score.points for score in table[row.name].values()) == row.points
        for other, score in table[row.name].items():
            mirror = table[other][row.name]
            assert score.games == mirror.games
            assert (score.wins, score.draws) == (mirror.losses, mirror.draws)


def test_an_engine_without_games_has_a_row():
    (row, *_), _ = standings_and_crosstable(["a", "b"], ResultCounts())
    assert (row.games, row.points, row.rank) == (0, 0, 1)
