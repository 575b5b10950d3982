"""The report as one HTML file that fetches nothing and runs nothing but its own script.

Strangers' text is escaped by the templates, without the characters that would mislead a reader; in
the embedded games `<`, `>` and `&` are written as JSON escapes. A content security policy names the
hashes of the one style sheet and the one script, so that nothing else would run even then.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from games.drawing import colours
from games.drawing.picture import Picture
from games.drawing.svg import element
from games.untrusted_text import xml_text
from interfaces.report import charts
from interfaces.report.chapter import chapters
from interfaces.report.convergence import courses_of_ratings
from interfaces.report.replay import replays

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from games.game import Game
    from interfaces.report.chapter import Advantage, Chapter
    from interfaces.report.convergence import Course
    from interfaces.report.event import Event
    from interfaces.report.sequential import Test
    from tournaments.results.engine_statistics import EngineStatistics
    from tournaments.results.standings import Score

MAX_COLUMNS = 40
"""Engines in a crosstable: more make a page that nobody scrolls."""

SMALLEST_P_VALUE = 0.01

MAX_POINTS = 400
"""Of a line: more would lie on each other."""


def page(event: Event, version: str) -> str:
    """The whole file. Raises RecordError for a game whose turns are not legal."""
    told = [
        _chapter(number, chapter, event.test)
        for number, chapter in enumerate(chapters(event.engines, event.played), start=1)
    ]
    embedded = replays(reversed(event.latest))
    environment = _environment()
    style = environment.get_template("page.css").render(colours=colours, heat=_heat_classes())
    script = environment.get_template("replay.js").render()
    return environment.get_template("page.html").render(
        event=event,
        version=version,
        chapters=told,
        statistics_by_name=_statistics_by_name(event),
        boards=[_board(game) for game in embedded.boards],
        replays=embedded.as_json(),
        policy=_policy(style, script),
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        steps=[f"heat-{step}" for step in range(len(colours.CIVIDIS))],
    )


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the standings, written out."""

    place: int
    name: str
    elo: str
    error: str
    superiority: str
    games: int
    score: str
    results: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Cell:
    """An entry of the crosstable: wins and losses (wins, draws, losses), and its colour."""

    text: str
    kind: str
    hint: str


@dataclass(frozen=True, slots=True)
class ToldChapter:
    """A chapter, written and drawn."""

    anchor: str
    title: str
    games: int
    advantage: str
    first_score: str
    endings: list[tuple[str, int]]
    length: str
    results: str
    rows: list[Row]
    cells: list[tuple[Row, list[Cell]]]
    pictures: list[tuple[str, Markup]]


def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("interfaces.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _finalized(value: object) -> object:
    """What is put into a template: text without what would mislead, and markup of ours as it is."""
    return xml_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _policy(style: str, script: str) -> str:
    """The content security policy of the page."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _chapter(number: int, chapter: Chapter, test: Test | None) -> ToldChapter:
    rows = [_row(place, name, chapter) for place, name in enumerate(chapter.order, start=1)]
    return ToldChapter(
        anchor=f"game-{number}",
        title=str(chapter.game),
        games=len(chapter.played),
        advantage=_advantage(chapter.advantage) if chapter.advantage else "",
        first_score=_percent(chapter.first_score),
        endings=chapter.endings.most_common(),
        length=f"{next(iter(chapter.lengths))} turns" if len(chapter.lengths) == 1 else "",
        results="W–D–L" if _has_draws(chapter) else "W–L",
        rows=rows,
        cells=[
            (row, [_cell(row.name, other.name, chapter) for other in rows[:MAX_COLUMNS]])
            for row in rows[:MAX_COLUMNS]
        ],
        pictures=list(_pictures(chapter, test)),
    )


def _row(place: int, name: str, chapter: Chapter) -> Row:
    standing, rating = chapter.standings[name], chapter.ratings.get(name)
    los = rating.superiority if rating else None
    draws = f"–{standing.draws}" if _has_draws(chapter) else ""
    return Row(
        place,
        name,
        _elo(rating.elo) if rating else "–",
        f"{rating.error_95:.0f}" if rating else "–",
        "" if los is None else _percent(los),
        standing.games,
        _percent(standing.points / standing.games),
        f"{standing.wins}{draws}–{standing.losses}",
        *("–" if share is None else _percent(share) for share in chapter.seats[name]),
    )


def _cell(name: str, other: str, chapter: Chapter) -> Cell:
    score: Score | None = chapter.crosstable[name].get(other)
    if name == other:
        return Cell("", "self", "")
    if score is None:
        return Cell("", "none", "no game")
    draws = f"–{score.draws}" if score.draws else ""
    share = score.points / score.games
    return Cell(
        f"{score.wins}{draws}–{score.losses}",
        f"heat-{round(share * (len(colours.CIVIDIS) - 1))}",
        f"{name} against {other}: {score.points:g} of {score.games} points",
    )


def _pictures(chapter: Chapter, test: Test | None) -> Iterable[tuple[str, Markup]]:
    """The charts of a game with their headings."""
    order, ratings, played = chapter.order, chapter.ratings, chapter.played
    if ratings:
        bars = [charts.Interval(n, ratings[n].elo, ratings[n].error_95) for n in order]
        yield "Ratings with 95 % error bars", _svg(charts.intervals(bars, "Elo"))
    shares = [(name, *chapter.seats[name]) for name in order]
    seats = ("as first player", "as second player")
    yield "Score by seat", _svg(charts.two_shares(shares, "score, %", seats))
    best = order[: charts.SERIES]
    courses = {name: course for name, course in _courses(chapter).items() if course}
    drawn = [charts.Series(name, courses[name]) for name in best if name in courses]
    if drawn and len(played) > 1:
        heading = "Ratings as games were played" + (
            f" (the first {len(best)})" if len(best) < len(order) else ""
        )
        yield heading, _svg(charts.lines(drawn, "Ratings by games", ("games", "Elo")))
    if len(chapter.lengths) > 1:
        lengths = charts.histogram(chapter.lengths, "Turns in a game", ("turns", "games"))
        yield "Length of games", _svg(lengths)
    yield from _test(chapter, test)


def _courses(chapter: Chapter) -> dict[str, list[tuple[int, float]]]:
    return courses_of_ratings(sorted(chapter.order), chapter.played) if chapter.ratings else {}


def _test(chapter: Chapter, test: Test | None) -> Iterable[tuple[str, Markup]]:
    """The course of the sequential test, once a pair of games was finished."""
    course = test.course(chapter.played) if test else []
    if test is None or not course:
        return
    hypotheses = test.hypotheses
    guides = [
        (hypotheses.upper, f"H1: {_elo(hypotheses.elo1)}"),
        (hypotheses.lower, f"H0: {_elo(hypotheses.elo0)}"),
    ]
    line = charts.Series("", [(0, 0.0), *_thinned(course)])
    units = ("pairs of games", "log-likelihood ratio")
    chart = charts.lines([line], test.question(), units, guides)
    yield f"{test.question()} {test.verdict(course)}", _svg(chart)


def _thinned(course: Course) -> Course:
    """So many points at most as can be seen, the last among them."""
    step = -(-len(course) // MAX_POINTS)
    return course[::-step][::-1]


def _statistics_by_name(event: Event) -> list[tuple[str, EngineStatistics, str]]:
    """How each engine behaved, and its faults in words."""
    return [
        (
            name,
            statistics,
            ", ".join(f"{count} × {kind.value}" for kind, count in statistics.faults.most_common()),
        )
        for name, statistics in event.statistics_by_name.items()
    ]


def _board(game: Game) -> Markup:
    """The empty board, on which the page's script moves stones."""
    return _svg(element(Picture(game.board, title=str(game)), playable=True))


def _svg(root: ET.Element) -> Markup:
    # Every text in it was escaped by the library that writes XML.
    return Markup(ET.tostring(root, "unicode"))  # noqa: S704


@cache
def _heat_classes() -> Sequence[tuple[str, str]]:
    """A background and an ink for each step of the scale."""
    return tuple((colour, colours.ink_on(colour)) for colour in colours.CIVIDIS)


def _has_draws(chapter: Chapter) -> bool:
    return any(standing.draws for standing in chapter.standings.values())


def _advantage(advantage: Advantage) -> str:
    """The worth of playing first, in a sentence."""
    p_value = advantage.p_value
    size = f"= {p_value:.2f}" if p_value >= SMALLEST_P_VALUE else f"< {SMALLEST_P_VALUE}"
    return (
        f"Playing first is worth {_elo(advantage.elo)} ± {advantage.error_95:.0f} Elo "
        f"(p {size} if it is worth nothing)"
    )


def _elo(elo: float) -> str:
    """Whole Elo with a sign; 0 has none."""
    whole = round(elo)
    return f"{whole:+d}".replace("-", "−") if whole else "0"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
