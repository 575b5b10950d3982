"""First turns by the games from each: their table, the pie rule, and games that contradict."""

import dataclasses
from random import Random

import pytest

from oddly.games.catalogue import create_game
from oddly.study.estimates import share
from oddly.study.first_turns import (
    FirstTurn,
    StudyError,
    as_chosen,
    check_agreement,
    chosen_first_table,
    first_turn_table,
    first_turns,
    heat_maps,
    pie,
    pie_table,
    reply_table,
)
from oddly.study.playing import Purpose, games_by_pairing, make_plan
from oddly.study.sections import _openings
from oddly.study.summary import _pie_text
from tests.study.random_records import random_record

YODD = create_game("yodd", 2)


def first(turn, won, games=1000, images=1):
    return FirstTurn(turn, frozenset([turn, *range(images - 1)]), share(won, games))


def begun(turn, winner, times):
    """Some games that began with that turn, with that winner."""
    record = random_record(YODD, 1, winner=winner)
    opening = record.turns[0]._replace(turn=turn)
    return [dataclasses.replace(record, turns=(opening, *record.turns[1:]))] * times


def test_every_first_turn_has_its_games_and_a_place_by_their_points():
    plan = make_plan(YODD, "greedy", (), 2, 0, (2, 6), first_turn_games=4)
    scheduled = [game for game in plan.schedule() if game.opening]
    assert len(scheduled) == 4 * 4 == 4 * len(plan.of(Purpose.FIRST_TURN))
    assert len({game.id for game in plan.schedule()}) == len(plan.schedule())
    records = []
    for game in scheduled:
        (turn,) = game.opening
        played = begun(turn, 0 if turn == "Bb2" else 1, 1)[0]
        players = game.first, game.second
        records.append(dataclasses.replace(played, players=players, opening=1))
    found = first_turns(plan, games_by_pairing(plan, records))
    assert [first.value.value for first in found] == [1, 0, 0, 0]
    rows = first_turn_table(found).rows
    assert rows[0][1:4] == ("Bb2", 1, 4)
    assert sum(row[2] for row in rows) == len(list(YODD.start().legal_turns()))
    maps = {heat.key: heat.values for heat in heat_maps(YODD, found)}
    assert set(maps["heat_black"]) == set(YODD.board.vertices)
    assert maps["heat_black"]["b2"].value == 1
    answers = reply_table(YODD, found).rows
    assert [row[2] for row in answers] == ["4 of 4"] * 4


def test_first_turns_of_free_choice_are_counted_up_to_symmetry():
    free = begun("Ba2", 0, 3) + begun("Bc2", 1, 2) + begun("Bb2", 1, 1)
    first_row, second_row = chosen_first_table(YODD, free).rows
    assert first_row[1:3] == (6, 5)
    assert (first_row[4].value, second_row[0]) == (3 / 5, "Bb2")


def test_what_choices_promise_is_the_weighted_mean():
    free = begun("a", 0, 3) + begun("b", 0, 1)
    found = [first("a", 800), first("b", 400), first("c", 100)]
    promised = as_chosen(found, free)
    assert promised.value == pytest.approx(0.75 * 0.8 + 0.25 * 0.4)
    spread = (0.75**2 * 0.8 * 0.2 + 0.25**2 * 0.4 * 0.6) / 1000
    assert promised.high - promised.value == pytest.approx(1.959964 * spread**0.5)
    assert as_chosen(found, []) is None


@pytest.mark.parametrize(
    ("values", "free", "said"),
    [
        # What an old study of Yodd 4 said: 79 % of 400 games, and 44.1 % for the best first turn.
        ((441, 300), begun("a", 0, 316) + begun("a", 1, 84), "best first turn, a"),
        ((900, 300), begun("a", 0, 100) + begun("a", 1, 300), "first turns that it chooses"),
        ((900, 300), begun("a", 0, 350) + begun("a", 1, 50), ""),
        # It may choose badly.
        ((900, 300), begun("b", 0, 115) + begun("b", 1, 285), ""),
        ((441, 300), [], ""),
    ],
    ids=["best", "chosen", "agree", "badly", "none"],
)
def test_games_that_contradict_each_other_make_no_study(values, free, said):
    found = [first(turn, won) for turn, won in zip("ab", values, strict=True)]
    if not said:
        assert check_agreement(found, free) is None
        return
    with pytest.raises(StudyError, match=f"the first player has .* but .* {said}: they differ"):
        check_agreement(found, free)


def test_games_that_all_ended_alike_are_not_certain():
    won = as_chosen([first("a", 2, games=2)], begun("a", 0, 2))
    assert (won.value, won.high) == (1, 1)
    # As if four of six games had been won.
    assert 1 - won.low == pytest.approx(1.959964 * (4 / 6 * 2 / 6 / 6) ** 0.5)
    assert pie_table([first("a", 0, games=2)], begun("a", 1, 2)).rows[3][2].high > 0.3


@pytest.mark.parametrize(
    ("kinds", "from_each", "free", "points"),
    [(1, 2, 2, 0.5), (2, 2, 2, 0.5), (2, 4, 20, 0.5), (2, 10, 20, 0.1), (4, 4, 20, 0.5)],
)
def test_games_that_agree_are_seldom_said_to_contradict_each_other(kinds, from_each, free, points):
    chance, refused = Random(1), 0
    games = [[begun(f"{kind}", winner, 1)[0] for winner in (0, 1)] for kind in range(kinds)]
    for _ in range(400):
        found = [
            first(f"{kind}", sum(chance.random() < points for _ in range(from_each)), from_each)
            for kind in range(kinds)
        ]
        found.sort(key=lambda each: -each.value.value)
        chosen = [games[chance.randrange(kinds)][chance.random() >= points] for _ in range(free)]
        try:
            check_agreement(found, chosen)
        except StudyError:
            refused += 1
    assert refused < 0.05 * 400


@pytest.mark.parametrize("rule", [True, False])
def test_where_white_may_swap_nothing_is_said_of_what_a_pie_rule_would_do(rule):
    game = create_game("ayu", 3, {"pie": rule})
    plan = make_plan(game, "random", (), 2, 0, (2,), first_turn_games=2)
    record = random_record(game, 1)
    played = {pairing: [record, record] for pairing in plan.pairings}
    parts = _openings(plan, played).parts
    assert ("pie" in [part.key for part in parts]) is not rule
    titles = [part.title for part in parts if part.key.startswith("heat_")]
    points = "First player's points" if rule else "Black's points"
    assert titles == [f"{points} after moving the piece on", f"{points} after moving a piece to"]


def test_a_pie_rule_makes_the_fairest_first_turn_the_best():
    found = [first("a", 700, images=2), first("b", 540, images=3), first("c", 300, images=5)]
    what = pie(found)
    assert (what.best.turn, what.fairest.turn, what.swapped) == ("a", "b", 0.5)
    assert what.points.value == pytest.approx(0.46)
    assert what.points.low == pytest.approx(1 - what.fairest.value.high)
    assert pie([first("c", 300)]).points.value == 0.3
    assert [row[1] for row in pie_table(found).rows] == ["a", "b", "", "", ""]


def test_the_sentence_on_the_pie_rule_claims_no_more_than_its_table():
    # Where several first turns have equally many points, the one that is named is not alone.
    fair = _pie_text(pie_table([first("a", 700), first("c", 700), first("b", 540)]))
    assert fair.startswith("No first turn scores more for the first player than a: 70.0 % [")
    assert "With a pie rule none would be better than b, since none is closer to 50 %: " in fair
    poor = _pie_text(pie_table([first("a", 450), first("b", 300)]))
    assert poor.endswith(" of 1,000 games. No other first turn is closer to 50 %.")
    assert _pie_text(None) == ""
