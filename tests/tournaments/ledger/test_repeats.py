"""What repeats is counted alike by SQLite, game by game, and by the definition."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games import create_game
from oddly.games.turns import Colour
from oddly.referee import Termination
from oddly.referee.justice.record import GameRecord, PlayedTurn
from oddly.tournaments.ledger.results_file import read_csv
from oddly.tournaments.ledger.store import Ledger
from oddly.tournaments.ratings.clusters import is_repeated
from oddly.tournaments.results.counts import ResultCounts, winner_word
from oddly.tournaments.results.schedule import scheduled
from tests.tournaments.results.outcomes import HOSTILE, outcome

YODD = create_game("yodd", 3)
NAMES = ["b", "a", HOSTILE]
GAMES = st.lists(
    st.tuples(
        st.permutations(NAMES).map(lambda names: names[:2]),
        st.sampled_from(["", "Ba1", "Wb2"]),
        st.sampled_from(["x", "y"]),
        st.sampled_from([0, 1, None]),
        st.sampled_from([Termination.DOUBLE_PASS, Termination.RESIGNATION, Termination.CRASH]),
    ),
    max_size=20,
)
"""The players, the opening, the turn after it, the winner, and what ended the game."""


def by_definition(games):
    """The clusters from the definition: the opening, or from the start the same turns."""
    found = {}
    for (first, second), opening, turn, winner, _ in games:
        one, other = sorted((first, second))
        shared = opening or (first, turn)
        seats = found.setdefault((one, other, shared), [0] * 6)
        seats[3 * (first != one) + (2 if winner is None else winner)] += 1
    clusters = Counter((one, other, tuple(seats)) for (one, other, _), seats in found.items())
    return {each: number for each, number in clusters.items() if is_repeated(each[2])}


def distinct_by_definition(games):
    """How many games are left of each result if of copies, however they ended, one is kept."""
    kept = {(*players, opening, turn, winner) for players, opening, turn, winner, _ in games}
    return Counter((first, second, winner_word(winner)) for first, second, *_, winner in kept)


@settings(max_examples=25, deadline=None)
@given(GAMES)
def test_openings_that_repeat_are_counted_alike_everywhere(tmp_path_factory, games):
    path = tmp_path_factory.mktemp("ledger") / "event.sqlite"
    with Ledger(path) as ledger:
        ledger.begin({"name": "an event", "format": "match", "engines": {}, "games": []})
        for number, (players, opening, turn, winner, ending) in enumerate(games):
            game = scheduled(number, YODD, number, *players, 1, "", (opening,) if opening else ())
            turns = [*game.opening, turn]
            played = tuple(PlayedTurn(Colour.BLACK, each, 0.0) for each in turns)
            record = GameRecord(
                YODD, tuple(players), ("", ""), 1, played, outcome(winner, ending),
                opening=len(game.opening),
            )  # fmt: skip
            ledger.add(game.id, record, game)
        expected, distinct = by_definition(games), distinct_by_definition(games)
        each_alone = ResultCounts()
        for game in ledger.all_played():
            each_alone.add(game)
        counts = {
            "all at once": ResultCounts(ledger.all_played()),
            "one at a time": each_alone,
            "a copy": each_alone.copy(),
            "a sum": ResultCounts.sum_of([each_alone]),
        }
        counts |= {f"tallies of {kind}": own for kind, own in ledger.tallies().counts.items()}
        for own in counts.values():
            assert own.repeats == expected
            assert own.rows == ResultCounts(ledger.all_played()).rows
            assert own.distinct == distinct
        for own in ledger.all_counts().values():
            assert own.repeats == expected
            assert own.distinct == distinct


@pytest.mark.parametrize(
    ("titles", "together"),
    [
        (("odd 5", "odd 5", "odd 5"), 3),
        (("odd 5", "odd 5", "odd 5 (min_group 3)"), 2),
        (("1", "2", "3"), 3),
        (("", "odd 5", ""), 2),
    ],
)
def test_openings_in_a_file_belong_to_the_game_that_it_names(tmp_path, titles, together):
    path = tmp_path / "games.csv"
    lines = [f"a,b,first,Bc3,{title}" for title in titles]
    path.write_text("\n".join(["first,second,winner,opening,game", *lines]), encoding="utf-8")
    assert read_csv(path).repeats == {(0, 1): [((together, 0, 0, 0, 0, 0), 1)]}
