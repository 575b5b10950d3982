"""`oddly report LEDGER`: an event as one HTML file, with every game to play through."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.interfaces.command_line.command import WHOLE_NUMBER, command
from oddly.interfaces.command_line.declaring import option
from oddly.interfaces.command_line.errors import DONE, BadInputError
from oddly.interfaces.command_line.hints import nearest_ledger
from oddly.interfaces.command_line.main import version_text
from oddly.interfaces.command_line.shared_options import LEDGER
from oddly.referee import RecordError
from oddly.safe_files import replace_file
from oddly.tournaments import Ledger, LedgerError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oddly.interfaces.report.reported_event import ReportedEvent
    from oddly.tournaments.ledger.tallies import PlayedResult


@command()
def run(
    ledger: Path = LEDGER,
    *,
    output: Path | None = option(
        "FILE",
        "the file of the page, - for standard output (default: the ledger's name with .html, here)",
        names="--output -o",
    ),
    games: int = option(
        "N", "the number of recent games to replay", kind=WHOLE_NUMBER, default=200
    ),
) -> int:
    """Read the ledger, which is not changed, and write the page."""
    output = output or Path(ledger.name).with_suffix(".html")
    event = _read(ledger, games)
    from oddly.interfaces.report.page import page

    try:
        text = page(event, version_text())
    except RecordError as error:
        raise BadInputError(f"report: {ledger} is damaged: {error}") from None
    if str(output) == "-":
        sys.stdout.write(text)
        return DONE
    if output.exists() and ledger.exists() and output.samefile(ledger):
        raise BadInputError(f"report: {output} is the ledger itself; name another --output")
    _write(output, text)
    kept = len(event.latest)
    print(f"{output}: {event.event.tallies.games} games, {kept} of them to replay")
    return DONE


def _read(path: Path, most_games: int) -> ReportedEvent:
    from oddly.interfaces.report.reported_event import read_event

    try:
        with Ledger(path, read_only=True) as ledger:
            total = ledger.number_of_games()
            return read_event(ledger, most_games, lambda games: _watched(games, total))
    except LedgerError as error:
        raise BadInputError(f"report: {error}{nearest_ledger(path)}") from None


def _watched(games: Iterable[PlayedResult], total: int) -> Iterable[PlayedResult]:
    """Yield the games, with a progress bar on a terminal."""
    if not sys.stderr.isatty():
        return games
    from rich.console import Console
    from rich.progress import track

    return track(games, "reading games", total, console=Console(stderr=True), transient=True)


def _write(output: Path, text: str) -> None:
    """Write the whole file, or leave what was there. Raises BadInputError if that fails."""
    try:
        replace_file(output, text)
    except OSError as error:
        raise BadInputError(f"report: cannot write {output}: {error.strerror}") from None
