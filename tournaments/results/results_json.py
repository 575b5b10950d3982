"""The results of an event, and ratings, as plain values for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oddly.tournaments.ratings.bradley_terry import Ratings
    from oddly.tournaments.ratings.over_time import PeriodRating, RatingHistory
    from oddly.tournaments.results.counts import EngineStatistics
    from oddly.tournaments.results.game_summary import GameSummary
    from oddly.tournaments.results.sequential import PairTest


DECIMALS = 3
"""The decimals of Elo, scores and probabilities; further digits depend on the machine."""
TIME_DECIMALS = 6
"""The decimals of seconds."""


def results_json(summaries: Sequence[GameSummary]) -> dict[str, Any]:
    """Return all summaries as plain values."""
    return {"tables": [_facts(summary) for summary in summaries]}


def _facts(summary: GameSummary) -> dict[str, Any]:
    names = sorted(summary.order)
    strength = summary.strength
    facts: dict[str, Any] = {
        "title": summary.title,
        "games": summary.counts.games,
        "distinct": summary.counts.distinct_games,
        "standings": _standing_facts(summary),
        "crosstable": {
            name: {other: asdict(score) for other, score in summary.crosstable[name].items()}
            for name in names
        },
        "endings": dict(summary.counts.endings.most_common()),
        "first_player_advantage": None,
    }
    if summary.tests:
        facts["sprt"] = [_test_facts(test) for test in summary.tests]
    if strength is not None:
        ratings = strength.ratings
        facts["fit"] = fit_facts(ratings, sorted(summary.order))
        facts["groups"] = group_facts(ratings, sorted(summary.order))
        facts["first_player_advantage"] = {
            **elo_facts(ratings.advantage, ratings.advantage_error_95, ratings.unknown_advantage),
            "p_value": round(strength.test.p_value, 6),
        }
    if summary.statistics_by_name:
        facts["statistics"] = {
            name: _statistics_facts(summary.statistics_by_name[name]) for name in names
        }
    return facts


def _standing_facts(summary: GameSummary) -> list[dict[str, Any]]:
    """Return each row with its rating and the probability that it is stronger than the next."""
    strength, found = summary.strength, []
    for row, superiority in zip(summary.table, summary.superiorities, strict=True):
        rating: dict[str, Any] = dict.fromkeys(("elo", "error_95", "unknown", "los_to_next"))
        if strength is not None:
            name = row.name
            rating |= elo_facts(strength.elo(name), strength.error_95(name), strength.unknown(name))
            rating["los_to_next"] = rounded(superiority)
        found.append({**asdict(row), **rating})
    return found


def _statistics_facts(statistics: EngineStatistics) -> dict[str, Any]:
    mean = statistics.seconds_a_turn
    return {
        "turns": statistics.turns,
        "seconds_a_turn": None if mean is None else round(mean, TIME_DECIMALS),
        "slowest": round(statistics.slowest, TIME_DECIMALS),
        "lag": round(statistics.lag, TIME_DECIMALS),
        "marked": statistics.marked,
        "faults": {kind.value: number for kind, number in statistics.faults.most_common()},
        "deaths": statistics.deaths,
    }


def _test_facts(test: PairTest) -> dict[str, Any]:
    return {
        "engines": [test.one, test.other],
        "scale": test.question.scale,
        "elo0": test.question.hypotheses.elo0,
        "elo1": test.question.hypotheses.elo1,
        "llr": rounded(test.state.llr),
        "lower": rounded(test.state.lower),
        "upper": rounded(test.state.upper),
        "decision": test.state.decision,
        "pairs": list(test.counts.counts),
        "not_counted": test.not_counted,
        "openings": round(test.openings, 1),
        "exhausted": test.is_exhausted,
    }


def ratings_json(ratings: Ratings) -> dict[str, Any]:
    """Return each engine with its Elo, half the width of its 95 % interval, games and score."""
    return {
        "ratings": [
            {
                "name": ratings.names[engine],
                **elo_facts(
                    ratings.elo[engine], ratings.errors_95[engine], ratings.unknown(engine)
                ),
                "games": int(ratings.games[engine]),
                "distinct": int(ratings.distinct[engine]),
                "score": rounded(ratings.score(engine)),
            }
            for engine in ratings.order()
        ],
        "first_player_advantage": elo_facts(
            ratings.advantage, ratings.advantage_error_95, ratings.unknown_advantage
        ),
        "fit": fit_facts(ratings, ratings.names),
        "groups": group_facts(ratings, ratings.names),
    }


def fit_facts(ratings: Ratings, names: Sequence[str]) -> dict[str, Any] | None:
    """Return the test of fit, and the pairs of engines that fit least; None if there is no test.

    `names` are those of the engines in the order of `ratings.names`.
    """
    fit = ratings.fit
    if not fit.freedom:
        return None
    return {
        "chi_square": rounded(fit.statistic),
        "freedom": rounded(fit.freedom),
        "p_value": round(fit.p_value, 6),
        "is_poor": fit.is_poor,
        "effect": rounded(fit.effect),
        "worst": [
            {
                "engines": [names[pair.one], names[pair.other]],
                "points": pair.points,
                "expected": rounded(pair.expected),
                "games": pair.games,
            }
            for pair in fit.worst
        ],
    }


def group_facts(ratings: Ratings, names: Sequence[str]) -> list[list[str]]:
    """Return the engines by groups that games connect: ratings compare only within a group."""
    return [[names[engine] for engine in group] for group in ratings.connected_groups()]


def elo_facts(elo: float, error: float, unknown: str | None) -> dict[str, Any]:
    """Return a rating with its error bar, or null for both and the reason."""
    if unknown is not None:
        return {"elo": None, "error_95": None, "unknown": unknown}
    return {"elo": rounded(elo), "error_95": rounded(error), "unknown": None}


def history_json(history: RatingHistory) -> dict[str, Any]:
    """Return each engine's ratings by period, the advantage of playing first, and the drift.

    The ratings are made during iteration, one engine at a time.
    """
    return {
        "engines": [
            {"name": engine.name, "ratings": _PeriodFacts(engine.periods)}
            for engine in history.engines
        ],
        "first_player_advantage": {"elo": rounded(history.advantage)},
        "drift": {
            "elo": rounded(history.drift.elo),
            "low": rounded(history.drift.low),
            "high": rounded(history.drift.high),
        },
    }


class _PeriodFacts(list["PeriodRating"]):
    """Ratings made into plain values as `json` iterates; it accepts only lists."""

    def __iter__(self) -> Iterator[Any]:
        return map(_period_facts, super().__iter__())


def _period_facts(rating: PeriodRating) -> dict[str, Any]:
    return {
        "from": rating.begins.isoformat(),
        "games": rating.games,
        "elo": rounded(rating.elo),
        "error_95": rounded(rating.error_95),
        "moved": rounded(rating.moved),
        "moved_error_95": rounded(rating.moved_error_95),
    }


def rounded(value: float | None) -> float | None:
    """Return the value with DECIMALS decimals and 0.0 unsigned; None for None."""
    return None if value is None else round(float(value), DECIMALS) + 0.0
