"""The report of a training: how well its weights predict searches, and how well they play."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from oddly.study.document import Chart, Column, Line, Section, Study, StudyTable
from oddly.study.estimates import Estimate, share, transformed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.study.training.course import Generation

NATS = 3
"""Decimals of a loss."""


def report(facts: Mapping[str, object], generations: Sequence[Generation]) -> Study:
    """Return the report of all generations."""
    parts = (loss_table(generations), match_table(generations), rating_chart(generations))
    text = (
        "A generation learns from the games of all generations so far and plays a match against "
        "the one before; generation 0 knows nothing."
    )
    return Study(f"Training: {facts['game']}", facts, [Section("Generations", text, parts)])


def loss_table(generations: Sequence[Generation]) -> StudyTable:
    """Return the losses on held-out positions."""
    columns = (
        Column("generation"),
        Column("games"),
        Column("positions"),
        Column("loss without weights", digits=NATS),
        Column("loss", digits=NATS),
    )
    rows = [(g.number, g.games, g.positions, g.losses.before, g.losses.after) for g in generations]
    note = "In nats, on a tenth of the positions, which was kept back; 0 would be perfect."
    return StudyTable("losses", "How well searches are foretold", columns, rows, note)


def match_table(generations: Sequence[Generation]) -> StudyTable:
    """Return how each generation scored against the one before, and the difference in Elo."""
    columns = (
        Column("generation"),
        Column("games"),
        Column("score", is_share=True),
        Column("Elo", digits=0),
    )
    rows = [(g.number, g.match_games, share(g.points, g.match_games), elo(g)) for g in generations]
    note = "In pairs of games from one opening, the colours exchanged, at equal simulations."
    return StudyTable("matches", "Against the generation before", columns, rows, note)


def rating_chart(generations: Sequence[Generation]) -> Chart:
    """Return the sum of the differences so far, for each generation."""
    value = square = 0.0
    points = []
    for generation in generations:
        difference = elo(generation)
        if difference is None or difference.low is None or difference.high is None:
            continue
        value += difference.value
        # The errors of separate matches add up like independent ones.
        square += ((difference.high - difference.low) / 2) ** 2
        error = math.sqrt(square)
        whole = replace(difference, value=value, low=max(value - error, 0.0), high=value + error)
        points.append((float(generation.number), whole))
    lines = [Line("Elo", points)]
    note = "The band ends at 0."
    return Chart("ratings", "Elo above generation 0", "generation", "Elo", lines, note=note)


def elo(generation: Generation) -> Estimate | None:
    """Return the difference in Elo to the generation before; None without a match."""
    score = share(generation.points, generation.match_games)
    return None if score is None else transformed(score, elo_of)


def elo_of(score: float) -> float:
    """Return the difference in Elo that a score stands for, at most 1,200."""
    bounded = min(max(score, 0.001), 0.999)
    return -400 * math.log10(1 / bounded - 1)
