"""First turns, one of each kind up to symmetry, and the replies to them, evaluated by search."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from oddly.engines import engine_class
from oddly.games import DropPosition, Drops, Exchange, Move
from oddly.study.document import Column, HeatMap, StudyTable
from oddly.study.estimates import mean_of, share
from oddly.study.evaluator import MEGABYTES, evaluator_name
from oddly.study.game_properties import image, orbit, symmetries_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oddly.games import Colour, Game, Turn
    from oddly.referee import GameRecord
    from oddly.study.estimates import Estimate
    from oddly.study.evaluator import Evaluator


ROWS = 12


@dataclass(frozen=True, slots=True)
class FirstTurn:
    """One first turn, all turns that are the same up to symmetry, and Black's expected points."""

    turn: Turn
    images: frozenset[Turn]
    value: Estimate


def kinds(game: Game) -> list[frozenset[Turn]]:
    """Return the legal first turns in sets that are the same up to symmetry."""
    found: dict[Turn, frozenset[Turn]] = {}
    for turn in game.start().legal_turns():
        if turn not in found:
            images = frozenset(orbit(game, turn))
            found |= dict.fromkeys(images, images)
    return list(dict.fromkeys(found.values()))


def first_turns(
    game: Game,
    evaluator: Evaluator,
    simulations: int,
    repeats: int,
    seed: int,
    step: Callable[[], None],
) -> list[FirstTurn]:
    """Return each kind of first turn, the best first; call `step` after each.

    Each is searched `repeats` times with different random numbers.
    """
    start = game.start()
    found = []
    for images in kinds(game):
        turn = min(images, key=str)
        after = DropPosition(start.play(turn))
        values = [
            evaluator.for_black(after, seed + number, simulations) for number in range(repeats)
        ]
        found.append(FirstTurn(turn, images, mean_of(values)))
        step()
    return sorted(found, key=lambda first: -first.value.value)


def first_turn_table(found: Sequence[FirstTurn], records: Sequence[GameRecord]) -> StudyTable:
    """Return the best and the worst first turns, and how often games between equals began so."""
    played = Counter(record.turns[0].turn for record in records if record.turns)
    shown = list(found) if len(found) <= 2 * ROWS else [*found[:ROWS], *found[-ROWS:]]
    rows = []
    for first in shown:
        number = sum(played[str(turn)] for turn in first.images)
        rows.append(
            (
                found.index(first) + 1,
                str(first.turn),
                len(first.images),
                first.value,
                number,
                share(number, played.total()),
            )
        )
    columns = (
        Column(""),
        Column("first turn"),
        Column("turns like it"),
        Column("Black's points", is_share=True),
        Column("times played"),
        Column("of all games", is_share=True),
    )
    note = f"The best and the worst {ROWS} of {len(found)}." if len(found) > len(shown) else ""
    return StudyTable("first_turns", "Best opening turns", columns, rows, note)


def heat_maps(game: Game, found: Sequence[FirstTurn]) -> list[HeatMap]:
    """Return maps of what the best first turn at each vertex is worth.

    There is one for each colour of a stone, or one for origins and one for destinations.
    """
    maps: dict[tuple[str, str], dict[str, Estimate]] = {}
    for first in found:
        for turn in first.images:
            for key, vertex in _places(game, turn):
                values = maps.setdefault(key, {})
                known = values.get(vertex)
                if known is None or known.value < first.value.value:
                    values[vertex] = first.value
    return [
        HeatMap(key, title, game.board, dict(sorted(values.items())))
        for (key, title), values in sorted(maps.items())
    ]


def _places(game: Game, turn: Turn) -> list[tuple[tuple[str, str], str]]:
    """Return the map, as key and title, and the vertex of each place that a turn has."""
    if isinstance(turn, Move):
        return [
            (("heat_from", "Black's points after moving the piece on"), turn.origin),
            (("heat_to", "Black's points after moving a piece to"), turn.destination),
        ]
    if isinstance(turn, Drops):
        if game.exchange is Exchange.STONES:
            # Its colours may be exchanged, so both maps would be the same.
            return [(("heat", "Black's points after a first stone on"), turn.drops[0].vertex)]
        return [(_map_of(drop.colour), drop.vertex) for drop in turn.drops]
    return []


def _map_of(colour: Colour) -> tuple[str, str]:
    return f"heat_{colour}", f"Black's points after a first {colour} stone on"


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
        f"The {BEST} best first turns and the {FAIREST} of the others that are closest to 50 %, "
        f"each answered {repeats} times with {simulations:,} simulations an action. The table has "
        "the most frequent answer and the value after it by search. Black is to move then, so "
        "these searches overrate Black, as those of first turns overrate White."
    )
    return StudyTable("replies", "Pairs of first turns", columns, rows, note)
