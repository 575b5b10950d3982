"""Whole games between a clicking human and the computer, as GoGui's window would have them."""

import copy
from random import Random

import pytest

from engines.gogui.dispatcher import GoguiDispatcher
from engines.greedy_engine import GreedyEngine
from engines.random_engine import RandomEngine
from games.catalogue import create_game
from games.colour import Colour
from games.turns import PASS
from protocol.points import gogui_vertex
from tests.engines.gogui.double import Gogui, Shown, Talker
from tests.engines.gogui.mirror import Mirror

BOARDS = {
    "yodd": ("yodd", 3, {}),
    "xodd": ("xodd", 4, {}),
    "odd": ("odd", 3, {"min_group": 3}),
    "odd on a square": ("odd", 4, {"board": "square", "min_group": 2}),
    "ayu": ("ayu", 5, {}),
    "ayu with the pie rule": ("ayu", 5, {"pie": True}),
}
MOST_TAPS = 60
"""After these both sides pass, where that is legal."""


def window(name, size, settings, engine=RandomEngine) -> Gogui:
    game = create_game(name, size, settings)
    return Gogui(
        Talker(GoguiDispatcher(RandomEngine(), game)), Talker(GoguiDispatcher(engine(), game))
    )


def check(shown: Shown, mirror: Mirror) -> None:
    assert shown.board == mirror.rules_board()
    assert shown.counts == mirror.counts()
    assert shown.side == str(mirror.position.to_move)
    assert shown.legal == set(mirror.legal())
    assert (not shown.legal) == mirror.position.is_over


def human_tap(shown: Shown, mirror: Mirror, random: Random) -> str:
    """Any legal tap, though seldom one that leads in a circle or passes."""
    taps = sorted(shown.legal)
    onwards = [t for t in taps if t != "pass" and mirror.legal()[t] not in mirror.placed]
    return random.choice(onwards if onwards and random.random() < 0.7 else taps)


@pytest.mark.parametrize("engine", [RandomEngine, GreedyEngine])
@pytest.mark.parametrize("board", BOARDS)
def test_gogui_is_shown_what_the_rules_say_all_game_long(board, engine):
    name, size, settings = BOARDS[board]
    random = Random(f"{board} {engine.name}")
    gogui = window(name, size, settings, engine)
    mirror = Mirror.of(name, size, settings)
    assert gogui.attach() == name.capitalize()
    shown = gogui.refresh()
    check(shown, mirror)
    past = [copy.copy(mirror)]
    computer = random.choice(list(Colour))
    while not mirror.position.is_over:
        legal = mirror.legal()
        late = len(gogui.moves) >= MOST_TAPS and "pass" in legal
        stuck = mirror.placed and not late and len(gogui.moves) >= MOST_TAPS
        if stuck or random.random() < 0.1:
            fresh = max(n for n, earlier in enumerate(past) if not earlier.placed)
            number = fresh if stuck else random.randrange(max(len(past) - 3, 0), len(past))
            shown = gogui.go_to(number)
            del past[number + 1 :]
            mirror = copy.deepcopy(past[number])
            check(shown, mirror)
            continue
        if late:
            shown = gogui.click("pass")
        elif mirror.position.to_move is computer and not is_dead_end(mirror):
            shown = gogui.genmove()
        else:
            shown = gogui.click("Z99") or gogui.click(human_tap(shown, mirror, random))
        tapped = gogui.moves[-1][1]
        mirror = copy.deepcopy(mirror)
        mirror.tap(legal["pass" if tapped == "PASS" else tapped])
        past.append(copy.deepcopy(mirror))
        check(shown, mirror)
    assert mirror.position.is_over
    check_the_end(gogui, mirror)
    check_reloading(gogui, window(name, size, settings, engine), shown)


def is_dead_end(mirror: Mirror) -> bool:
    """Whether the stones placed belong to no legal turn, so that the computer cannot go on."""
    points = set(mirror.placed)
    return bool(points) and not any(
        points <= {drop.vertex for drop in getattr(turn, "drops", ())}
        for turn in mirror.position.legal_turns()
    )


def check_the_end(gogui: Gogui, mirror: Mirror) -> None:
    result = mirror.position.result
    winner = "Draw" if result.winner is None else f"{str(result.winner).capitalize()} wins"
    for talk in (gogui.ruler, gogui.program):
        assert talk("final_score") == str(result)
        sentence = talk("gogui-rules_final_result")
        assert sentence.startswith(winner)
        assert f"({result})" in sentence or result.winner is None
        assert talk.refused("play b A1").startswith("illegal move")
    assert gogui.program.refused("genmove b") == "the game is over"


def check_reloading(gogui: Gogui, other: Gogui, shown: Shown) -> None:
    """A saved game opens in another window with all its moves, and as a mere position."""
    other.attach()
    assert other.open(gogui.save()) == shown
    assert other.moves == gogui.moves
    assert other.program("gogui-rules_board") == shown.board


@pytest.mark.parametrize("board", BOARDS)
def test_a_position_that_an_sgf_file_sets_up_goes_on(board):
    name, size, settings = BOARDS[board]
    game = create_game(name, size, settings)
    random = Random(board)
    mirror = Mirror(game.start())
    while len(mirror.turns) < 5 and not mirror.position.is_over:
        mirror = copy.deepcopy(mirror)
        mirror.play(random.choice([t for t in mirror.position.legal_turns() if t != PASS]))
    talk = Talker(GoguiDispatcher(RandomEngine(), game))
    talk(f"boardsize {talk('gogui-rules_board_size').split()[0]}")
    talk("clear_board")
    words = [f"{c.letter} {gogui_vertex(game.board, v)}" for v, c in mirror.stones.items()]
    talk(f"gogui-setup {' '.join(words)}")
    talk(f"gogui-setup_player {str(mirror.position.to_move)[0]}")
    assert talk("gogui-rules_board") == mirror.rules_board()
    assert talk("gogui-rules_side_to_move") == str(mirror.position.to_move)
    assert set(talk("gogui-rules_legal_moves").split()) == set(mirror.legal())
    assert talk.refused("undo") == "cannot undo"
