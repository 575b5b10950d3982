"""First turns, one of each kind up to symmetry, and what the games from each show."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oddly.games import Drops, Exchange, Game, Move, Turn
from oddly.protocol import parse_turn
from oddly.study.document import HeatMap, StudyTable, cell_text, columns_of, in_percent
from oddly.study.estimates import Estimate, IntervalMethod, exactly, share
from oddly.study.game_properties import first_turn_kinds, has_swap, image, orbit, symmetries_of
from oddly.study.playing import Purpose, StudyPlan
from oddly.study.scores import first_player_share
from oddly.tournaments import QUANTILE_975

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.referee import GameRecord
    from oddly.study.playing import GamesByPairing


ROWS = 12


class StudyError(ValueError):
    """Games contradict each other, so no study can be written. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class FirstTurn:
    """One first turn, its equivalents up to symmetry, and the games played from it.

    `value` is the first player's share of their points.
    """

    turn: Turn
    images: frozenset[Turn]
    value: Estimate
    records: Sequence[GameRecord] = ()


def first_turns(plan: StudyPlan, played: GamesByPairing) -> list[FirstTurn]:
    """Return each kind of first turn that has games of its own, the best first."""
    found = []
    for pairing in plan.of(Purpose.FIRST_TURN):
        turn, records = parse_turn(pairing.opening[0]), played[pairing]
        value = first_player_share(records)
        if value is not None:
            found.append(FirstTurn(turn, frozenset(orbit(plan.game, turn)), value, records))
    return sorted(found, key=lambda first: -first.value.value)


def first_turn_table(found: Sequence[FirstTurn]) -> StudyTable:
    """Return the best and the worst first turns, by the games played from them."""
    shown = list(found) if len(found) <= 2 * ROWS else [*found[:ROWS], *found[-ROWS:]]
    rows = [
        (found.index(first) + 1, str(first.turn), len(first.images), first.value.samples,
         first.value)
        for first in shown
    ]  # fmt: skip
    columns = columns_of(
        "", "first turn", "turns like it", "games from it", in_percent("first player's points")
    )
    note = f"The best and the worst {ROWS} of {len(found)}." if len(found) > len(shown) else ""
    return StudyTable("first_turns", "First turns by games from each", columns, rows, note)


def chosen_first_table(game: Game, free: Sequence[GameRecord]) -> StudyTable:
    """Return how often freely chosen games began with each kind of first turn, and their points.

    It has the ROWS most frequent ones.
    """
    begun = {str(turn): images for images in first_turn_kinds(game) for turn in images}
    games: dict[frozenset[Turn], list[GameRecord]] = defaultdict(list)
    for record in free:
        games[begun[record.turns[0].turn]].append(record)
    often = sorted(games.items(), key=lambda each: (-len(each[1]), str(min(each[0], key=str))))
    rows = [
        (str(min(images, key=str)), len(images), len(records), share(len(records), len(free)),
         first_player_share(records))
        for images, records in often[:ROWS]
    ]  # fmt: skip
    columns = columns_of(
        "first turn", "turns like it", "games", in_percent("of all games"),
        in_percent("first player's points"),
    )  # fmt: skip
    note = f"The {ROWS} most frequent of {len(games)}." if len(games) > ROWS else ""
    return StudyTable("chosen_first", "First turns of free choice", columns, rows, note)


def as_chosen(found: Sequence[FirstTurn], free: Sequence[GameRecord]) -> Estimate | None:
    """Return the points that the first turns promise when chosen as in `free`.

    This is the mean of the first turns' values, weighted by how often `free` began with each. None
    if no game of `free` began with any of them.
    """
    begun = Counter(record.turns[0].turn for record in free)
    weights = [sum(begun[str(turn)] for turn in first.images) for first in found]
    games = sum(weights)
    if not games:
        return None
    parts = [(weight / games, first.value) for weight, first in zip(weights, found, strict=True)]
    value = sum(weight * each.value for weight, each in parts)
    half = QUANTILE_975 * math.sqrt(sum(w**2 * _variance(each) for w, each in parts))
    low, high = max(value - half, 0.0), min(value + half, 1.0)
    return Estimate(
        value, low, high, IntervalMethod.WEIGHTED, sum(e.samples for w, e in parts if w)
    )


def _variance(points: Estimate) -> float:
    """Return the squared standard error of a share of points.

    Games that all ended alike do not make it certain: two wins and two losses are added to them, as
    in Agresti and Coull, "Approximate is better than 'exact' for interval estimation of binomial
    proportions", The American Statistician 52 (1998).
    """
    value, games = points.value, points.samples
    if value in (0.0, 1.0):
        value, games = (value * games + 2) / (games + 4), games + 4
    return value * (1 - value) / games


def check_agreement(found: Sequence[FirstTurn], free: Sequence[GameRecord]) -> None:
    """Raise StudyError if games from first turns and games of free choice contradict each other.

    They do if, beyond both intervals, the first player scores more by its own choice than from the
    best first turn, or its score differs from what its choices promise.
    """
    points, promised = first_player_share(free), as_chosen(found, free)
    if points is None or promised is None:
        return
    best = found[0]
    column = in_percent("")
    for what, value, is_upper in (
        (f"from the best first turn, {best.turn}", best.value, True),
        ("from the first turns that it chooses", promised, False),
    ):
        if _lies_above(points, value) or (_lies_above(value, points) and not is_upper):
            raise StudyError(
                f"the first player has {cell_text(points, column)} of the points where it chooses "
                f"its first turn, but {cell_text(value, column)} {what}: they differ by more than "
                "their errors, so play more games, or look for games of another engine among them"
            )


def _lies_above(one: Estimate, other: Estimate) -> bool:
    return one.low is not None and other.high is not None and one.low > other.high


@dataclass(frozen=True, slots=True)
class Pie:
    """What a pie rule would do, by the values of first turns: the best turns with and without it.

    With the rule, White takes Black's side whenever it is better. `swapped` is the share of all
    first turns after which White does so.
    """

    best: FirstTurn
    fairest: FirstTurn
    swapped: float

    @property
    def points(self) -> Estimate:
        """The first player's expectation from the fairest turn: the lesser of the two shares."""
        value = self.fairest.value
        if value.value <= 0.5:
            return value
        low, high = value.low, value.high
        return Estimate(
            1 - value.value,
            None if high is None else 1 - high,
            None if low is None else 1 - low,
            value.method,
            value.samples,
        )


def pie(found: Sequence[FirstTurn]) -> Pie:
    """Return what a pie rule would do, given one first turn or more."""
    best = max(found, key=lambda first: first.value.value)
    fairest = max(found, key=lambda first: min(first.value.value, 1 - first.value.value))
    turns = sum(len(first.images) for first in found)
    swapped = sum(len(first.images) for first in found if first.value.value > 0.5)
    return Pie(best, fairest, swapped / turns)


def pie_table(found: Sequence[FirstTurn], free: Sequence[GameRecord] = ()) -> StudyTable:
    """Return what the first player can expect without a pie rule and with one."""
    what = pie(found)
    rows = [
        ("best first turn, no pie rule", str(what.best.turn), what.best.value),
        ("fairest first turn, for a pie rule", str(what.fairest.turn), what.points),
        ("first turns that White would swap", "", exactly(what.swapped)),
        ("first turns as the engine chooses them", "", as_chosen(found, free)),
        ("first player's points where it chooses", "", first_player_share(free)),
    ]
    columns = columns_of("what", "turn", in_percent("share"))
    note = (
        "The first player's points in the games from each first turn. With a pie rule White takes "
        "the first player's side whenever it is the better one, so the fairest turn is the best. "
        "The difference between the first two lines is what the rule is worth to White. The best "
        f"of {len(found)} measured shares is too high by chance, as is the fairest. The last two "
        "lines are two measurements of the same thing; a study in which they differ by more than "
        "their errors is not written."
    )
    return StudyTable("pie", "What a pie rule would do", columns, rows, note)


BEST, FAIREST = 3, 3
"""How many of the best first turns, and of those closest to 50 %, are shown with replies."""


def reply_table(game: Game, found: Sequence[FirstTurn]) -> StudyTable:
    """Return the most frequent reply to the best and to the fairest first turns, and its games.

    Replies that are symmetric to each other in the position count as one.
    """
    rest = sorted(found[BEST:], key=lambda first: abs(first.value.value - 0.5))
    rows = []
    for first in (*found[:BEST], *rest[:FAIREST]):
        kept = [by for by in symmetries_of(game) if image(game, first.turn, by) == first.turn]
        answers: dict[str, list[GameRecord]] = defaultdict(list)
        for record in first.records:
            turn = parse_turn(record.turns[1].turn)
            answers[min(str(image(game, turn, by)) for by in kept)].append(record)
        answer, records = max(answers.items(), key=lambda each: (len(each[1]), each[0]))
        times = f"{len(records)} of {len(first.records)}"
        rows.append((str(first.turn), answer, times, first_player_share(records)))
    columns = columns_of(
        "first turn", "answer", "chosen", in_percent("first player's points after both")
    )
    note = (
        f"The {BEST} best first turns and the {FAIREST} of the others that are closest to 50 %, "
        "each with the engine's most frequent answer and the points in those games."
    )
    return StudyTable("replies", "Pairs of first turns", columns, rows, note)


def heat_maps(game: Game, found: Sequence[FirstTurn]) -> list[HeatMap]:
    """Return maps of the value of the best first turn at each vertex.

    There is one for each colour of a stone, or one for origins and one for destinations. The first
    player is Black, except where the pie rule lets White take Black's side.
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
    """Return each vertex of a turn after its map, as key and title."""
    points = "First player's points" if has_swap(game) else "Black's points"
    if isinstance(turn, Move):
        return [
            (("heat_from", f"{points} after moving the piece on"), turn.origin),
            (("heat_to", f"{points} after moving a piece to"), turn.destination),
        ]
    if isinstance(turn, Drops):
        if game.exchange is Exchange.STONES:
            # Its colours may be exchanged, so both maps would be the same.
            return [(("heat", f"{points} after a first stone on"), turn.drops[0].vertex)]
        return [
            ((f"heat_{drop.colour}", f"{points} after a first {drop.colour} stone on"), drop.vertex)
            for drop in turn.drops
        ]
    return []
