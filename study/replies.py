"""Pairs of first turns: Black's, and the answer that the engine likes best."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, cast

from oddly.engines.catalogue import engine_class
from oddly.games.drop_level import DropPosition
from oddly.study.document import Column, StudyTable
from oddly.study.estimates import mean_of
from oddly.study.searching import MEGABYTES, evaluator_name
from oddly.study.symmetries import image, symmetries_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oddly.games.game import Game
    from oddly.games.turns import Turn
    from oddly.study.first_turns import FirstTurn
    from oddly.study.searching import Evaluator

BEST, FAIREST = 3, 3
"""How many of the best first turns, and of those nearest to one half, are answered."""


def to_answer(found: Sequence[FirstTurn]) -> list[FirstTurn]:
    """Return the first turns to answer: the best ones, then the fairest of the others."""
    best = list(found[:BEST])
    rest = sorted(found[BEST:], key=lambda first: abs(first.value.value - 0.5))
    return best + rest[:FAIREST]


def reply_table(
    game: Game,
    engine: str,
    chosen: Sequence[FirstTurn],
    evaluator: Evaluator,
    simulations: int,
    repeats: int,
    step: Callable[[], None],
) -> StudyTable:
    """Return the engine's most frequent answer to each of some first turns, and its value.

    The engine answers `repeats` times with other random numbers; `step` is called after each first
    turn. Answers that a symmetry of the position turns into each other count as one.
    """
    name = evaluator_name(engine)
    player = engine_class(name)()
    player.set_option("simulations", str(simulations))
    player.set_option("memory", str(MEGABYTES))
    player.prepare(game)
    rows = []
    for first in chosen:
        after = game.start().play(first.turn)
        answers: Counter[Turn] = Counter()
        kept = [by for by in symmetries_of(game) if image(game, first.turn, by) == first.turn]
        for number in range(repeats):
            player.set_option("seed", str(number + 1))
            player.new_game()
            # It is not asked to resign.
            answer = cast("Turn", player.choose(after))
            answers[min((image(game, answer, by) for by in kept), key=str)] += 1
        answer, times = answers.most_common(1)[0]
        then = DropPosition(after.play(answer))
        values = [evaluator.for_black(then, number, simulations) for number in range(repeats)]
        rows.append((str(first.turn), str(answer), f"{times} of {repeats}", mean_of(values)))
        step()
    columns = (
        Column("first turn"),
        Column("answer"),
        Column("chosen"),
        Column("Black's points after both", is_share=True),
    )
    note = (
        f"The {BEST} best first turns and the {FAIREST} nearest to one half of the others, each "
        f"answered {repeats} times with {simulations:,} simulations an action; the answer given "
        "most often, and what searches expect after it, with Black to move. Such a search thinks a "
        "little too much of Black, as those of first turns think too much of White."
    )
    return StudyTable("replies", "Pairs of first turns", columns, rows, note)
