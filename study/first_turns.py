"""First turns, one of each kind up to symmetry, evaluated by search."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oddly.games.drop_level import DropPosition
from oddly.games.game import Exchange
from oddly.games.turns import Drops, Move
from oddly.study.document import Column, HeatMap, StudyTable
from oddly.study.estimates import mean_of, share
from oddly.study.symmetries import orbit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oddly.games.colour import Colour
    from oddly.games.game import Game
    from oddly.games.turns import Turn
    from oddly.referee.justice.record import GameRecord
    from oddly.study.estimates import Estimate
    from oddly.study.searching import Evaluator

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
