"""The report as one HTML file that fetches nothing, with every game to play through.

The event is read from its ledger: its results, its engines, and the games. The templates escape
untrusted text and remove characters that would mislead a reader; in the embedded games `<`, `>` and
`&` are written as JSON escapes. A content security policy names the hashes of the one style sheet
and the one script, so nothing else can run.
"""

from __future__ import annotations

import base64
import hashlib
import shlex
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from oddly.games import Game, IllegalTurn, Parity, Position, one_line, storable_text, xml_text
from oddly.games.drawing import svg
from oddly.games.drawing.picture import geometry_of
from oddly.interfaces.report.game_section import ResultColumns, game_section
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
from oddly.tournaments import EngineStatistics, read_event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from oddly.tournaments import GameSummary, Ledger, RecordedEvent
    from oddly.tournaments.ledger.summaries import PlayedResult

    PassOn = Callable[[Iterable[PlayedResult]], Iterable[PlayedResult]]


@dataclass(frozen=True, slots=True)
class EnteredEngine:
    """An engine as entered: its command, its clock and its options."""

    name: str
    command: str
    time: str
    options: str
    versions: str
    """The names and versions that the engine reported, the latest last."""


@dataclass(frozen=True, slots=True)
class ReportedEvent:
    """An event so far, with its engines and its last games.

    `period` is when the first and the last game ended; `latest` are the last games with their
    turns, each with its id.
    """

    event: RecordedEvent
    entered: Sequence[EnteredEngine]
    period: tuple[str, str] | None
    latest: Sequence[tuple[str, GameRecord]]
    results: Mapping[Game | None, ResultColumns]
    """The results of each game in the order in which they came."""


def read_reported_event(ledger: Ledger, max_games: int, pass_on: PassOn = iter) -> ReportedEvent:
    """Return the event of a ledger, with the turns of its last `max_games` games.

    The games go through `pass_on` as they are read, so it can show progress. The event is that of
    one moment, also while a run writes to the ledger. Raises LedgerError.
    """
    with ledger.at_one_moment():
        return _read(ledger, max_games, pass_on)


def _read(ledger: Ledger, max_games: int, pass_on: PassOn) -> ReportedEvent:
    """Return the event of a ledger that does not change meanwhile. Raises LedgerError."""
    event = read_event(ledger, with_lengths=True)
    results: dict[Game | None, ResultColumns] = {}
    for result in pass_on(ledger.each_result()):
        if (columns := results.get(result[0])) is None:
            columns = results[result[0]] = ResultColumns()
        columns.add(*result[1:])
    latest = []
    for identity, record in ledger.latest(max_games):
        first, second = (storable_text(name) for name in record.players)
        latest.append((identity, replace(record, players=(first, second))))
    period = ledger.period()
    versions: dict[str, list[str]] = {}
    for known in event.programs:
        versions.setdefault(known.entrant.name, []).append(known.version)
    return ReportedEvent(
        event,
        tuple(_entered(event.engine_facts, versions)),
        (_minutes(period[0]), _minutes(period[1])) if period else None,
        latest,
        results,
    )


def _entered(
    engines: Mapping[str, Any], versions: Mapping[str, Iterable[str]]
) -> Iterator[EnteredEngine]:
    """Yield the engines whose facts are complete."""
    for name, facts in engines.items():
        match facts:
            case {
                "command": [program, *arguments],
                "time": str(time),
                "options": dict(options),
            }:
                # Without the folder: a page that is passed on should not reveal paths.
                words = shlex.join([str(program).rsplit("/", 1)[-1], *map(str, arguments)])
                settings = " ".join(f"{option}={value}" for option, value in options.items())
                given = ", ".join(dict.fromkeys(versions.get(name, ())))
                yield EnteredEngine(name, words, time, settings, given)


def _minutes(moment: str) -> str:
    """Return `2026-11-21 14:19` for `2026-11-21T14:19:05+00:00`."""
    return moment[:16].replace("T", " ")


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
