"""A whole game in GoGui's window between a human who taps anything and the computer."""

import copy
from random import Random

from oddly.games.colour import Colour
from tests.interfaces.gogui.double import Gogui, Shown
from tests.interfaces.gogui.mirror import Mirror

BOARDS = {
    "yodd": ("yodd", 3, {}),
    "xodd": ("xodd", 4, {}),
    "odd": ("odd", 3, {"min_group": 3}),
    "odd on a square": ("odd", 4, {"board": "square", "min_group": 2}),
    "ayu": ("ayu", 5, {}),
    "ayu with the pie rule": ("ayu", 5, {"pie": True}),
}
MAX_TAPS = 60
"""After these both sides pass, where that is legal."""


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


def play_to_the_end(gogui: Gogui, mirror: Mirror, random: Random) -> Shown:
    """Play, go back now and then, and find what is shown to be what the rules say."""
    shown = gogui.refresh()
    check(shown, mirror)
    past = [copy.copy(mirror)]
    computer = random.choice(list(Colour))
    while not mirror.position.is_over:
        legal = mirror.legal()
        late = len(gogui.moves) >= MAX_TAPS and "pass" in legal
        stuck = mirror.placed and not late and len(gogui.moves) >= MAX_TAPS
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
    return shown


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
