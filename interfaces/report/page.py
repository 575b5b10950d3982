"""The report as one HTML file that fetches nothing and runs nothing but its own script.

Strangers' text is escaped by the templates, without the characters that would mislead a reader; in
the embedded games `<`, `>` and `&` are written as JSON escapes. A content security policy names the
hashes of the one style sheet and the one script, so that nothing else would run in any case.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from oddly.games import xml_text
from oddly.games.drawing import svg
from oddly.interfaces.report.game_section import game_section
from oddly.interfaces.report.replay import replays
from oddly.interfaces.report.reported_event import ResultColumns
from oddly.interfaces.viewer.static_files import one_script, viewer_files
from oddly.tournaments import EngineStatistics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.interfaces.report.reported_event import ReportedEvent
    from oddly.tournaments import GameSummary, RecordedEvent


def page(reported: ReportedEvent, version: str) -> str:
    """Return the whole file. Raises RecordError for a game whose turns are not legal."""
    event = reported.event
    summaries = event.summaries()
    plan = event.plan()
    reports = {} if plan is None else plan.reports()
    sections = [
        game_section(
            number,
            summary,
            reported.results.get(summary.game, ResultColumns()),
            reports.get(summary.title),
        )
        for number, summary in enumerate(summaries, start=1)
    ]
    embedded = replays(reversed(reported.latest))
    environment = _environment()
    own_style = environment.get_template("page.css").render(heat=_heat_classes())
    style = f"{viewer_files()['viewer.css']}\n{own_style}"
    script = _script()
    return environment.get_template("page.html").render(
        event=event,
        period=reported.period,
        entered=reported.entered,
        version=version,
        sections=sections,
        newline=Markup("\n"),
        statistics=_statistics(event, summaries),
        replays=embedded.as_json(),
        policy=_policy(style, script),
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        steps=[f"heat-{step}" for step in range(len(svg.CIVIDIS))],
    )


def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("oddly.interfaces.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _finalized(value: object) -> object:
    """Return what a template may show: our own markup, and text without misleading characters."""
    return xml_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _policy(style: str, script: str) -> str:
    """Return the content security policy of the page."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _statistics(
    event: RecordedEvent, summaries: Sequence[GameSummary]
) -> list[tuple[str, EngineStatistics, str]]:
    """Return how each engine behaved in all games, with its faults in words."""
    known = summaries[-1].statistics_by_name if summaries else {}
    return [
        (
            name,
            statistics,
            ", ".join(f"{count} × {kind.value}" for kind, count in statistics.faults.most_common()),
        )
        for name in event.engines
        for statistics in [known.get(name, EngineStatistics())]
    ]


@cache
def _script() -> str:
    """Return the viewer with the report's own script, as one."""
    own = (files("oddly.interfaces.report") / "templates" / "replay.js").read_text(encoding="utf-8")
    return one_script(own, viewer_files())


@cache
def _heat_classes() -> Sequence[tuple[str, str]]:
    """Return a background and an ink for each step of the scale."""
    # Text needs a little more contrast than stones have.
    inks = {svg.BLACK_STONE: "#000000"}
    found = ((colour, svg.ink_on(colour)) for colour in svg.CIVIDIS)
    return tuple((colour, inks.get(ink, ink)) for colour, ink in found)
