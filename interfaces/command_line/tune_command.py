"""`oddly tune FILE`: the options of an engine, tuned by games."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.interfaces.command_line.command import command, file_keys, tournament_keys
from oddly.interfaces.command_line.declaring import flag, option, options
from oddly.interfaces.command_line.errors import DONE, BadInputError
from oddly.interfaces.command_line.tournament_command import TOML_FILE, FileOptions, games_at_once
from oddly.interfaces.command_line.tournament_run import PlayingOptions, play_and_print
from oddly.interfaces.text.format_reports import tuning_text
from oddly.protocol import parse_time_control
from oddly.tournaments import (
    LedgerError,
    OpeningsError,
    TournamentFileError,
    Tuning,
    TuningReport,
    load_tournament,
    tuning_so_far,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oddly.tournaments import Run, Tournament


@options()
class TuneOptions(FileOptions):
    """The options of a tuning besides those of playing."""

    plot: Path | None = option("FILE", "write the course of the options to FILE as SVG")
    show: bool = flag("only show the current state of the tuning")
    check: bool = flag("only check the file")


@command(also=file_keys(tournament_keys))
def run(file: Path = TOML_FILE, *, own: TuneOptions, options: PlayingOptions) -> int:
    """Tune the engine, or tell where its tuning stands."""
    time = parse_time_control(own.time) if own.time is not None else None
    try:
        tournament = options.applied(load_tournament(file, time))
    except TournamentFileError as error:
        raise BadInputError(str(error)) from None
    tuning = tournament.format
    if not isinstance(tuning, Tuning):
        raise BadInputError(
            f"{file}: the format is {tuning.name!r}: 'oddly tournament {file}' plays "
            'it, and a tuning has format = "tuning"'
        )
    if own.seed is not None:
        tournament = replace(tournament, seed=own.seed)
    if own.check:
        print(summary(tournament, tuning))
        return DONE
    ledger = own.ledger or file.with_suffix(".sqlite")
    check_plot(own.plot)
    try:
        if own.show:
            print_reports(tuning_so_far(tournament, ledger), options, own.plot)
            return DONE
        return play_and_print(
            tournament,
            options,
            ledger,
            partial(games_at_once, file),
            partial(print_run, plot=own.plot),
        )
    except (OpeningsError, LedgerError) as error:
        raise BadInputError(f"{file}: {error}") from None


def summary(tournament: Tournament, format_: Tuning) -> str:
    """Return what is tuned, on one line."""
    names = ", ".join(option.name for option in format_.options)
    against = "itself"
    if len(tournament.engines) > 2:
        against = tournament.engines[2].name
    tuned = tournament.engines[0].name.removesuffix(" +")
    return f"{tournament.name}: {names} of {tuned} in {format_.games} games against {against}"


def check_plot(plot: Path | None) -> None:
    """Raise BadInputError if the plot could not be written."""
    try:
        if plot is not None:
            plot.open("a", encoding="utf-8").close()
    except OSError as error:
        raise BadInputError(f"cannot write {plot}: {error.strerror}") from None


def print_run(run: Run, _: Path | None, options: PlayingOptions, *, plot: Path | None) -> None:
    """Print where the tuning stands after a run."""
    reports = run.plan.reports()
    found = {title: each for title, each in reports.items() if isinstance(each, TuningReport)}
    print_reports(found, options, plot, run)


def print_reports(
    reports: Mapping[str, TuningReport],
    options: PlayingOptions,
    plot: Path | None,
    run: Run | None = None,
) -> None:
    """Print a table for each game, or JSON, and write the plot."""
    if options.json:
        facts: dict[str, object] = {title: each.facts() for title, each in reports.items()}
        value: dict[str, object] = {"tuning": facts}
        if run is not None:
            value |= {"forfeits": run.forfeits, "interrupted": run.interrupted}
        print(json.dumps(value, indent=2))
    elif reports:
        texts = {title: tuning_text(each, options.format) for title, each in reports.items()}
        print("\n\n".join(f"{title}: {text}" for title, text in texts.items()))
    else:
        print("no result yet")
    if plot is not None and reports:
        from oddly.games.drawing.charts import file_of
        from oddly.interfaces.text.format_reports import tuning_plot

        plot.write_text(file_of(tuning_plot(next(iter(reports.values())))), encoding="utf-8")
