"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path

from oddly.interfaces.command_line.command import POSITIVE, WHOLE_NUMBER, Value
from oddly.interfaces.command_line.declaring import argument, flag, option, options
from oddly.interfaces.command_line.errors import BadInputError, UnknownValueError
from oddly.interfaces.text.tables import DEFAULT_FORMAT, WIDE, table_formats


def _table_format(text: str) -> str:
    if text != DEFAULT_FORMAT and text not in table_formats():
        raise UnknownValueError("table format", text, table_formats())
    return text


LEDGER = argument("LEDGER", "the .sqlite file of a tournament")
JSON = flag("print all facts as one JSON object", names="--json")
SEED = option("N", "the seed of everything random", kind=WHOLE_NUMBER, default=0)


@options()
class TableOptions:
    """How tables are printed."""

    format: str = option(
        "NAME",
        "a table format of tabulate, with all columns: github, grid, html, ..., or simple, which "
        "fits the terminal",
        kind=Value(_table_format, table_formats),
        default=DEFAULT_FORMAT,
    )
    wide: bool = flag("print all columns, however narrow the terminal is")

    @property
    def chosen(self) -> str:
        """The chosen format."""
        return WIDE if self.wide and self.format == DEFAULT_FORMAT else self.format


@options("A recorded game, instead of a position")
class RecordOptions:
    """A recorded game, at one of its turns."""

    record: Path | None = option(
        "FILE",
        "a file of games, a line of JSON each, as --records and 'oddly export --to jsonl' write it",
    )
    line: int | None = option("N", "which game of the file (default: 1)", kind=POSITIVE)
    turn: int | None = option("N", "after how many turns (default: all)", kind=WHOLE_NUMBER)

    def check_unused(self, called: str) -> None:
        """Raise BadInputError, in the name of the subcommand, for a line or turn of no record."""
        for name, value in (("line", self.line), ("turn", self.turn)):
            if value is not None:
                raise BadInputError(f"{called}: --{name} goes with --record")
