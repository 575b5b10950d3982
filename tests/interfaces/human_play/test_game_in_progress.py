"""A game in progress against the rules, action by action, and what people read of it."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games.catalogue import create_game
from oddly.games.colour import EMPTY, Colour
from oddly.games.drop_level import END, DropPosition
from oddly.games.errors import Illegality, IllegalTurn
from oddly.games.groups import units
from oddly.games.legal_turns import random_turn
from oddly.games.turns import PASS, SWAP, Drop, Drops, Move
from oddly.interfaces.human_play.game_in_progress import Click, GameInProgress
from oddly.interfaces.human_play.sentences import counts_sentence, result_sentence
from oddly.protocol.notation import parse_turn

GAMES = [
    ("yodd", 2, {}),
    ("yodd", 3, {}),
    ("xodd", 3, {}),
    ("odd", 2, {"min_group": 2}),
    ("odd", 3, {"board": "square", "min_group": 1}),
    ("ayu", 3, {}),
    ("ayu", 5, {"pie": True}),
]


def game_of(name, size, options=None, turns=""):
    current = GameInProgress.of(create_game(name, size, options or {}))
    for turn in turns.split():
        current = current.play(parse_turn(turn))
    return current


def counted(current):
    """The groups that count, by flood fill over the stones that are shown."""
    threshold = current.game.settings.get("min_group", 1)
    return tuple(
        sum(
            len(unit) >= threshold
            for unit in units(current.game.board, current.partial.stones, colour)
        )
        for colour in Colour
    )


def wander(current, random, steps=60):
    """Games on a random walk of actions, legal and not; refused ones change nothing."""
    for _ in range(steps):
        yield current
        try:
            current = acted(current, random)
        except ValueError:
            continue


def acted(current, random):
    """The game after some action, most of the time a click."""
    vertex = random.choice(current.game.board.vertices)
    match random.randrange(12):
        case 0:
            drops = (*current.partial.drops, Drop(random.choice(list(Colour)), vertex))
            return current.with_turn_begun(map(str, drops), None)
        case 1:
            return current.remove(vertex)
        case 2 | 3:
            return current.end()
        case 4:
            return current.pass_or_swap(PASS)
        case 5:
            return current.pass_or_swap(SWAP)
        case 6:
            return current.undo()
        case 7:
            return current.play(random_turn(current.position, random))
        case _:
            return current.click(vertex)


@pytest.mark.parametrize(("name", "size", "options"), GAMES)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_game_keeps_to_the_rules_whatever_is_clicked(name, size, options, seed):
    for current in wander(game_of(name, size, options), Random(seed)):
        again = create_game(name, size, options).start()
        for turn in current.turns:
            again = again.play(turn)
        assert again.key == current.position.key
        assert tuple(current.partial.group_counts) == counted(current)
        assert len(current.partial.drops) <= current.position.most_drops
        assert current.partial.can_end == (
            bool(current.partial.drops)
            and not current.is_over
            and again.is_legal(Drops(current.partial.drops))
        )
        assert current.mover == len(current.turns) % 2
        assert counts_sentence(current)
        assert bool(result_sentence(current)) == current.is_over


@pytest.mark.parametrize(("name", "size", "options"), [g for g in GAMES if g[:2] != ("yodd", 3)])
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_clicks_reach_exactly_the_legal_turns(name, size, options, seed):
    random = Random(seed)
    current = game_of(name, size, options)
    for _ in range(random.randrange(12)):
        if not current.is_over:
            current = current.play(random_turn(current.position, random))
    legal = {str(turn) for turn in current.position.legal_turns()}
    reached = {str(turn) for turn in turns_by_clicks(current)}
    assert reached == legal


def turns_by_clicks(current):
    """All turns that can be made by clicks, flips, `end`, `pass` and `swap`, from its start."""
    if current.can_play(PASS):
        yield current.pass_or_swap(PASS).turns[-1]
    if current.can_play(SWAP):
        yield current.pass_or_swap(SWAP).turns[-1]
    seen, waiting = {current}, [current]
    while waiting:
        now = waiting.pop()
        if now.partial.can_end:
            yield now.end().turns[-1]
        for vertex, click in now.clicks.items():
            after = now.click(vertex)
            if click is Click.MOVE:
                yield after.turns[-1]
            elif after not in seen:
                seen.add(after)
                waiting.append(after)


@pytest.mark.parametrize(("name", "size", "options"), GAMES[:5])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_continuations_are_those_of_single_drops(name, size, options, seed):
    for current in wander(game_of(name, size, options), Random(seed), steps=20):
        if current.is_over or len(current.partial.drops) >= current.position.most_drops:
            assert not current.partial.continuations
            continue
        known = DropPosition(current.position, current.partial.drops).actions()
        drops = {action for action in known if isinstance(action, Drop)}
        assert {Drop(c, v) for v, cs in current.partial.continuations.items() for c in cs} == drops
        if current.partial.drops:
            ends = END in DropPosition(current.position, current.partial.drops).actions()
            assert current.partial.can_end == ends


@pytest.mark.parametrize(("name", "size", "options"), GAMES)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_undo_leads_back_to_the_start_step_by_step(name, size, options, seed):
    *_, current = wander(game_of(name, size, options), Random(seed), steps=30)
    steps = 0
    while current.can_undo:
        current = current.undo()
        steps += 1
    assert steps <= 40
    assert current.position.key == create_game(name, size, options).start().key
    with pytest.raises(IllegalTurn, match="nothing to take back"):
        current.undo()


@pytest.mark.parametrize(("name", "size", "options"), GAMES)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_whatever_may_not_be_clicked_is_explained(name, size, options, seed):
    for current in wander(game_of(name, size, options), Random(seed), steps=15):
        for vertex in (*current.game.board.vertices, "z99"):
            if vertex not in current.clicks:
                with pytest.raises(IllegalTurn) as refused:
                    current.click(vertex)
                assert len(refused.value.reason) > 10


def test_a_turn_of_two_stones_is_put_together_flipped_and_taken_back():
    current = game_of("yodd", 4, turns="Bd4").click("e2").click("b5")
    assert [str(drop) for drop in current.partial.drops] == ["We2", "Wb5"]
    assert counts_sentence(current) == "1 black + 2 white = 3, odd: you may end the turn"
    assert str(current.click("b5").end().turns[-1]) == "We2,Bb5"
    assert [str(drop) for drop in current.undo().partial.drops] == ["We2"]
    assert [str(drop) for drop in current.remove("e2").partial.drops] == ["Wb5"]
    with pytest.raises(IllegalTurn, match="the turn has its two stones"):
        current.click("a1" if "a1" in current.game.board else "d1")
    assert current.last == (frozenset({"d4"}), frozenset())


@pytest.mark.parametrize(
    ("current", "sentence"),
    [
        (game_of("yodd", 4), "0 black + 0 white = 0, even: the first turn is one stone, of"),
        (game_of("yodd", 4).click("d4"), "1 black + 0 white = 1, odd: you may end the turn"),
        (game_of("yodd", 4, turns="Bd4"), "1 black + 0 white = 1, odd: drop one stone or two"),
        (
            game_of("yodd", 4, turns="Bd4").click("a4"),
            "1 black + 1 white = 2, even: drop another stone to make it odd",
        ),
        (
            game_of("odd", 2, {"min_group": 1}).click("b2"),
            "1 black + 0 white = 1, odd: good for Black; you may end the turn",
        ),
        (game_of("odd", 5), "0 black + 0 white = 0 groups of 5 or more, even: good for White"),
        (game_of("ayu", 5), "6 black units, 6 white units: choose a piece to move"),
    ],
)
def test_the_counts_and_the_parity_are_said(current, sentence):
    assert counts_sentence(current).startswith(sentence)


def test_where_a_turn_is_one_stone_another_click_moves_it():
    current = game_of("odd", 3).click("c3").click("c3").click("d3")
    assert [str(drop) for drop in current.partial.drops] == ["Wd3"]


def test_a_second_stone_takes_the_colour_that_makes_the_number_odd():
    current = game_of("xodd", 3, turns="Bb2").click("a1")
    # White on a2 would join a1 and black b2: there would be two groups.
    with pytest.raises(IllegalTurn, match="neither a black nor a white stone on a2 makes"):
        current.click("a2")
    # Black on b3 would join b2.
    assert current.partial.continuations["b3"] == (Colour.WHITE,)
    assert current.partial.continuations["c3"] == (Colour.BLACK, Colour.WHITE)
    assert [str(drop) for drop in current.click("b3").partial.drops] == ["Wa1", "Wb3"]


def test_pieces_of_ayu_are_taken_up_put_back_and_moved():
    current = game_of("ayu", 5, {"pie": True})
    assert current.clicks["b1"] is Click.SELECT
    taken = current.click("b1")
    assert taken.partial.origin == "b1"
    assert taken.partial.destinations == ("c1", "b2")
    assert taken.click("b1") == current
    assert counts_sentence(taken).endswith("choose where b1 goes")
    moved = taken.click("c1")
    assert moved.turns == (Move("b1", "c1"),)
    assert moved.can_play(SWAP)
    swapped = moved.pass_or_swap(SWAP)
    assert (swapped.to_move, swapped.mover) == (Colour.WHITE, 0)
    with pytest.raises(IllegalTurn, match="the piece on a2 is white"):
        current.click("a2")


def test_a_pass_wants_no_stones_about():
    current = game_of("yodd", 2, turns="Bb2")
    with pytest.raises(IllegalTurn, match="take the stones of this turn back before a pass"):
        current.click("a2").pass_or_swap(PASS)
    over = current.pass_or_swap(PASS).pass_or_swap(PASS)
    assert over.is_over
    assert result_sentence(over) == "White wins by one group: both players passed."
    assert not over.clicks
    with pytest.raises(IllegalTurn) as refused:
        over.resign()
    assert refused.value.illegality is Illegality.GAME_OVER


def test_a_resignation_ends_the_game_and_can_be_taken_back():
    current = game_of("odd", 2, turns="Bb2").click("a2").resign()
    assert (current.is_over, current.winner) == (True, Colour.BLACK)
    assert result_sentence(current) == "Black wins: White resigned."
    assert not current.undo().is_over


def test_a_full_board_of_odd_is_explained():
    current = game_of("odd", 2, {"min_group": 1})
    while not current.is_over:
        vertex = next(v for v, c in current.clicks.items() if c is Click.DROP)
        current = current.click(vertex).end()
    assert "the board is full" in result_sentence(current)
    assert EMPTY not in current.partial.stones
