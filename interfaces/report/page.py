"""The report as one HTML file that fetches nothing, with every game to play through.

The templates escape untrusted text and remove characters that would mislead a reader; in the
embedded games `<`, `>` and `&` are written as JSON escapes. A content security policy names the
hashes of the one style sheet and the one script, so nothing else can run.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from oddly.games import Game, IllegalTurn, Parity, Position, one_line, xml_text
from oddly.games.drawing import svg
from oddly.games.drawing.geometry import geometry_of
from oddly.interfaces.report.game_section import game_section
from oddly.interfaces.report.reported_event import ReportedEvent, ResultColumns
from oddly.interfaces.viewer.viewer import (
    black_lead,
    one_script,
    recorded_game,
    stones_text,
    templates_of,
    viewer_files,
)
from oddly.protocol import NotationError, parse_turn
from oddly.referee import GameRecord, RecordError
from oddly.tournaments import EngineStatistics

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    environment = templates_of("oddly.interfaces.report")
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
    """Return each engine's statistics over all games, with its faults in words."""
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
    """Return the viewer and the report's own script as one script."""
    own = (files("oddly.interfaces.report") / "templates" / "replay.js").read_text(encoding="utf-8")
    return one_script(own, viewer_files())


@cache
def _heat_classes() -> Sequence[tuple[str, str]]:
    """Return a background and an ink for each step of the scale."""
    # Text needs a little more contrast than stones have.
    inks = {svg.BLACK_STONE: "#000000"}
    found = ((colour, svg.ink_on(colour)) for colour in svg.CIVIDIS)
    return tuple((colour, inks.get(ink, ink)) for colour, ink in found)


@dataclass(slots=True)
class Replays:
    """Games with their shared parts: boards and sentences, by number."""

    boards: list[Game] = field(default_factory=list)
    games: list[dict[str, Any]] = field(default_factory=list)
    sentences: dict[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return plain values.

        `says[i]` is the number of the sentence after turn i, and `leads[i]` Black's lead then, null
        where nobody leads.
        """
        return {
            "boards": [
                {
                    "title": str(game),
                    "geometry": geometry_of(game.board.shape, game.board.size).as_json(),
                    "start": stones_text(game.start().stones),
                }
                for game in self.boards
            ],
            "games": self.games,
            "sentences": list(self.sentences),
        }


def replays(records: Iterable[tuple[str, GameRecord]]) -> Replays:
    """Return the games in this order. Raises RecordError for one whose turns are not legal."""
    found = Replays()
    for identity, record in records:
        if record.game not in found.boards:
            found.boards.append(record.game)
        board = found.boards.index(record.game)
        try:
            game = _game(record, found)
        except (IllegalTurn, NotationError) as error:
            raise RecordError(f"game {one_line(identity)}: {one_line(str(error))}") from None
        found.games.append({"id": xml_text(identity), "board": board, **game})
    return found


def _game(record: GameRecord, found: Replays) -> dict[str, Any]:
    """Return one game. Raises IllegalTurn or NotationError if its turns are not legal."""
    position = record.game.start()
    says = [_number(found, statement(position))]
    leads = [black_lead(record.game, position.group_counts)]
    for played in record.turns:
        position = position.play(parse_turn(played.turn))
        says.append(_number(found, statement(position)))
        leads.append(black_lead(record.game, position.group_counts))
    return {**recorded_game(record), "says": says, "leads": leads}


def _number(found: Replays, sentence: str) -> int:
    return found.sentences.setdefault(sentence, len(found.sentences))


def statement(position: Position) -> str:
    """Return the counts of a position: `3 black + 2 white = 5 groups, odd`.

    Where parity decides the game, the sentence says who is ahead; where it means nothing, it has
    the counts alone.
    """
    game, (black, white) = position.game, position.group_counts
    total = black + white
    parity = "odd" if total % 2 else "even"
    if game.parity is Parity.WINS:
        side = "Black" if total % 2 else "White"
        verb = "wins" if position.is_over else "would win a full board"
        which = (game.counting or f"{game.counted}s").capitalize()
        return f"{which}: {black} black + {white} white = {total}, {parity}: {side} {verb}"
    if game.parity is Parity.NOTHING:
        words = game.counted if black == 1 else f"{game.counted}s"
        return f"{black} black {words}, {white} white {game.counted}{'' if white == 1 else 's'}"
    if total == 0:
        return f"No {game.counted}s yet"
    said = f"{black} black + {white} white = {game.counted_words(total)}, {parity}"
    result = position.result
    if result is not None and result.winner is not None:
        return f"{said}: {str(result.winner).capitalize()} has fewer and wins"
    return said
