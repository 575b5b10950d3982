"""The report of a training: the losses, the matches and the rating of each generation."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from oddly.study.document import (
    Chart,
    Column,
    Line,
    Section,
    Study,
    StudyTable,
    columns_of,
    in_percent,
)
from oddly.study.estimates import Estimate, share, transformed
from oddly.study.training.self_play import NATS
from oddly.tournaments.ratings.elo import elo_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.study.training.course import Generation

THIRDS = ("first", "second", "last")
"""The thirds of the board, by how much of it is full."""


def report(facts: Mapping[str, object], generations: Sequence[Generation]) -> Study:
    """Return the report of all generations."""
    parts = (loss_table(generations), match_table(generations), rating_chart(generations))
    text = (
        "A generation learns from the games of all generations so far and plays a match against "
        "the one before; generation 0 knows nothing."
    )
    return Study(f"Training: {facts['game']}", facts, [Section("Generations", text, parts)])


def loss_table(generations: Sequence[Generation]) -> StudyTable:
    """Return the losses on held-out positions, also by thirds of the board if they are known."""
    with_thirds = any(generation.losses.thirds for generation in generations)
    thirds = [f"of the {which} third" for which in THIRDS if with_thirds]
    losses = (Column(title, digits=NATS) for title in ("loss without weights", "loss", *thirds))
    columns = columns_of("generation", "games", "positions", *losses)
    rows = [
        (g.number, g.games, g.positions, g.losses.before, g.losses.after, *g.losses.thirds)
        for g in generations
    ]
    note = "In nats, on a tenth of the examples, which was kept back; 0 would be perfect."
    return StudyTable("losses", "How well the examples are foretold", columns, rows, note)


def match_table(generations: Sequence[Generation]) -> StudyTable:
    """Return how each generation scored against the previous one, and the difference in Elo."""
    columns = columns_of("generation", "games", in_percent("score"), Column("Elo", digits=0))
    rows = [(g.number, g.match_games, share(g.points, g.match_games), elo(g)) for g in generations]
    note = "In pairs of games from one opening, the colours exchanged, at equal simulations."
    return StudyTable("matches", "Against the generation before", columns, rows, note)


def rating_chart(generations: Sequence[Generation]) -> Chart:
    """Return a chart of the summed Elo differences up to each generation."""
    value = square = 0.0
    points = []
    for generation in generations:
        difference = elo(generation)
        if difference is None or difference.low is None or difference.high is None:
            continue
        value += difference.value
        # The errors of separate matches add up as independent errors do.
        square += ((difference.high - difference.low) / 2) ** 2
        error = math.sqrt(square)
        whole = replace(difference, value=value, low=value - error, high=value + error)
        points.append((float(generation.number), whole))
    lines = [Line("Elo", points)]
    return Chart("ratings", "Elo above generation 0", "generation", "Elo", lines)


def elo(generation: Generation) -> Estimate | None:
    """Return the difference in Elo from the previous generation; None without a match."""
    score = share(generation.points, generation.match_games)
    return None if score is None else transformed(score, _bounded_elo)


def _bounded_elo(score: float) -> float:
    """Return the difference in Elo that a score stands for, at most 1,200."""
    return elo_of(min(max(score, 0.001), 0.999))
