"""Arguments and options that several commands have."""

from __future__ import annotations

from oddly.interfaces.command_line.command import POSITIVE, WHOLE_NUMBER, Value
from oddly.interfaces.command_line.declaring import argument, flag, option
from oddly.interfaces.command_line.errors import UnknownValueError
from oddly.interfaces.text.tables import DEFAULT_FORMAT, table_formats


def _table_format(text: str) -> str:
    if text != DEFAULT_FORMAT and text not in table_formats():
        raise UnknownValueError("table format", text, table_formats())
    return text


LEDGER = argument("LEDGER", "the .sqlite file of a tournament")
JSON = flag("print all facts as one JSON object", names="--json")
SEED = option("N", "the seed of everything random", kind=WHOLE_NUMBER, default=0)
TABLE_FORMAT = option(
    "NAME",
    "a table format of tabulate: simple, github, grid, html, ...",
    kind=Value(_table_format, table_formats),
    default=DEFAULT_FORMAT,
)
RECORDED_LINE = option("N", "which game of the file (default: 1)", kind=POSITIVE)
RECORDED_TURN = option("N", "after how many turns (default: all)", kind=WHOLE_NUMBER)
