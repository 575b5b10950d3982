"""A game in progress against the rules, action by action, and what people read of it."""

import importlib
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games.ayu_units import units
from oddly.games.catalogue import create_game
from oddly.games.drop_level import END, DropPosition
from oddly.games.legal_turns import random_turn
from oddly.games.turns import EMPTY, PASS, SWAP, Colour, Drop, Drops, Illegality, IllegalTurn, Move
from oddly.interfaces.human_play.game_in_progress import Click, GameInProgress
from oddly.interfaces.human_play.sentences import counts_sentence, result_sentence
from tests.interfaces.human_play.test_sentences import game_of

INSTALLED = Path(__file__).parents[2] / "other_games" / "installed"

GAMES = [
    ("yodd", 2, {}),
    ("yodd", 3, {}),
    ("xodd", 3, {}),
    ("odd", 2, {"min_group": 2}),
    ("odd", 3, {"board": "square", "min_group": 1}),
    ("ayu", 3, {}),
    ("ayu", 5, {"pie": True}),
]


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
    for current in wander(game_of(name, size, options=options), Random(seed)):
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
    current = game_of(name, size, options=options)
    for _ in range(random.randrange(12)):
        if not current.is_over:
            current = current.play(random_turn(current.position, random))
    legal = {str(turn) for turn in current.position.legal_turns()}
    reached = {str(turn) for turn in turns_by_clicks(current)}
    assert reached == legal


@pytest.mark.parametrize(("name", "size", "options"), GAMES)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_click_with_a_chosen_colour_does_what_it_says(name, size, options, seed):
    random = Random(seed)
    for current in wander(game_of(name, size, options=options), random):
        colour = random.choice(list(Colour))
        clicks = current.clicks_in(colour)
        either = {vertex for each in Colour for vertex in current.clicks_in(each)}
        assert either == set(current.clicks)
        for vertex in current.game.board.vertices:
            if vertex not in clicks:
                with pytest.raises(IllegalTurn):
                    current.click(vertex, colour)
                continue
            after = {
                drop.vertex: drop.colour for drop in current.click(vertex, colour).partial.drops
            }
            match clicks[vertex]:
                case Click.DROP | Click.FLIP:
                    assert after[vertex] is colour
                case Click.TAKE_BACK:
                    assert Drop(colour, vertex) in current.partial.drops
                    assert vertex not in after
                case _:
                    assert clicks[vertex] is current.clicks[vertex]


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
    for current in wander(game_of(name, size, options=options), Random(seed), steps=20):
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
    *_, current = wander(game_of(name, size, options=options), Random(seed), steps=30)
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
    for current in wander(game_of(name, size, options=options), Random(seed), steps=15):
        for vertex in (*current.game.board.vertices, "z99"):
            if vertex not in current.clicks:
                with pytest.raises(IllegalTurn) as refused:
                    current.click(vertex)
                assert len(refused.value.reason) > 10


TWO_STONES = game_of("yodd", 4, "Bd4", "e2 b5")
"""White's turn of two white stones in Yodd, not ended."""
ONE_OF_TWO = game_of("xodd", 3, "Bb2", "a1")
"""White's turn in Xodd with one of its two stones, on a1; black b2 touches a2 and b1."""
AYU = game_of("ayu", 5, options={"pie": True})
PASSED_TWICE = game_of("yodd", 2, "Bb2").pass_or_swap(PASS).pass_or_swap(PASS)
NOT_FITTING = "the turn on the board does not fit the position"
REFUSED = {
    "a third stone": (lambda: TWO_STONES.click("d1"), "the turn has its two stones"),
    # White on a2 would join a1 and black b2: there would be two groups.
    "a stone that leaves an even number in either colour": (
        lambda: ONE_OF_TWO.click("a2"), "neither a black nor a white stone on a2 makes",
    ),
    "a stone of a colour that no legal turn has there": (
        lambda: game_of("yodd", 4, "Bd4", "a4").click("a5", Colour.WHITE),
        "no legal turn has a white stone on a5 now, but one has a black one",
    ),
    "the opponent's piece": (lambda: AYU.click("a2"), "the piece on a2 is white"),
    "a pass with stones about": (
        lambda: game_of("yodd", 2, "Bb2", "a2").pass_or_swap(PASS),
        "take the stones of this turn back before a pass",
    ),
    **{
        f"a turn begun elsewhere: {what}": (
            lambda begun=begun: game_of("yodd", 4, "Bd4").with_turn_begun(*begun), NOT_FITTING,
        )
        for what, begun in {
            "occupied": (["Bd4"], None),
            "one vertex twice": (["We2", "Be2"], None),
            "off the board": (["Wz9"], None),
            "no piece to move": ([], "d4"),
        }.items()
    },
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_may_not_be_done_is_refused_with_its_reason(what):
    act, said = REFUSED[what]
    with pytest.raises(IllegalTurn, match=said):
        act()


def test_a_turn_of_two_stones_is_put_together_changed_and_taken_back():
    for current, drops in (
        (TWO_STONES, "We2 Wb5"),
        (TWO_STONES.click("b5"), "We2 Bb5"),
        (TWO_STONES.undo(), "We2"),
        (TWO_STONES.remove("e2"), "Wb5"),
    ):
        assert " ".join(map(str, current.partial.drops)) == drops
    assert counts_sentence(TWO_STONES) == "1 black + 2 white = 3, odd: you may end the turn"
    assert TWO_STONES.last == (frozenset({"d4"}), frozenset())
    assert game_of("yodd", 4, "Bd4").with_turn_begun(["We2", "Wb5"], None) == TWO_STONES
    # Where a turn is one stone, another click moves it.
    moved = game_of("odd", 3, "", "c3 c3 d3")
    assert [str(drop) for drop in moved.partial.drops] == ["Wd3"]


def test_a_second_stone_has_a_colour_that_makes_the_number_odd():
    # Black on b3 would join b2.
    assert ONE_OF_TWO.partial.continuations["b3"] == (Colour.WHITE,)
    assert [str(drop) for drop in ONE_OF_TWO.click("b3").partial.drops] == ["Wa1", "Wb3"]
    assert ONE_OF_TWO.partial.continuations["c3"] == (Colour.BLACK, Colour.WHITE)
    assert game_of("yodd", 4, "Bd4", "a4").click("a5", Colour.BLACK).partial.can_end


def test_a_stone_that_moves_keeps_its_colour_even_where_no_legal_turn_has_it(monkeypatch):
    monkeypatch.syspath_prepend(INSTALLED)
    tictac = importlib.import_module("tictac").Tictac()
    current = GameInProgress.of(tictac).click("a1").click("a1")
    assert [str(drop) for drop in current.partial.drops] == ["Wa1"]
    with pytest.raises(IllegalTurn, match="no legal turn has a white stone on b2 now"):
        current.click("b2")


def test_a_piece_of_ayu_is_taken_up_put_back_and_moved():
    assert AYU.clicks["b1"] is Click.SELECT
    taken = AYU.click("b1")
    assert (taken.partial.origin, taken.partial.destinations) == ("b1", ("c1", "b2"))
    assert AYU.with_turn_begun([], "b1") == taken
    assert taken.click("b1") == AYU
    moved = taken.click("c1")
    assert moved.turns == (Move("b1", "c1"),)
    assert moved.can_play(SWAP)
    swapped = moved.pass_or_swap(SWAP)
    assert (swapped.to_move, swapped.mover) == (Colour.WHITE, 0)


def test_two_passes_end_the_game():
    assert PASSED_TWICE.is_over
    assert result_sentence(PASSED_TWICE) == "White wins by one group: both players passed."
    assert not PASSED_TWICE.clicks
    with pytest.raises(IllegalTurn) as refused:
        PASSED_TWICE.resign()
    assert refused.value.illegality is Illegality.GAME_OVER


def test_a_resignation_ends_the_game_and_can_be_taken_back():
    current = game_of("odd", 2, "Bb2", "a2")
    resigned = current.resign()
    assert (resigned.is_over, resigned.winner) == (True, Colour.BLACK)
    assert result_sentence(resigned) == "Black wins: White resigned."
    assert not resigned.undo().is_over
    assert result_sentence(current.resign(on_time=True)) == "Black wins: White lost on time."


def test_a_full_board_of_odd_is_explained():
    current = game_of("odd", 2, options={"min_group": 1})
    while not current.is_over:
        vertex = next(v for v, c in current.clicks.items() if c is Click.DROP)
        current = current.click(vertex).end()
    assert "the board is full" in result_sentence(current)
    assert EMPTY not in current.partial.stones
