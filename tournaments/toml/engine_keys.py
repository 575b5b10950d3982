"""The keys that an engine's table has in several files: its options and where its process runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from oddly.protocol import Command, LocalProtocolError, encode_command
from oddly.protocol.codec import MAX_LINE
from oddly.protocol.messages import MAX_ID
from oddly.tournaments.toml.checking import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oddly.tournaments.toml.checking import Place, Report


def check_options(options: Mapping[str, str], place: Place, report: Report) -> None:
    """Report each option of the table at `place` that `set_option` could not send unchanged."""
    for name, value in options.items():
        if (expected := _expected(name, value)) is not None:
            said = f"option {quoted(name)} = {quoted(value)} cannot be sent: {expected} expected"
            report.add((*place, "options", name), said)


def _expected(name: str, value: str) -> str | None:
    """Return what is expected instead of an option; None if it can be sent."""
    words = value.split()
    is_plain = (name + value).isprintable() and "#" not in name + value
    if not (is_plain and words and name.split() == [name]):
        return "words without '#'"
    try:
        encode_command(Command("set_option", (name, *words)), MAX_ID)
    except LocalProtocolError:
        return f"a name and a value that fit into a line of {MAX_LINE:,} bytes"
    return None


def check_process(
    directory: str | None, environment: Mapping[str, str], place: Place, report: Report
) -> None:
    """Report a working directory that is missing, and variables that cannot be set."""
    # A path that is too long, or that we may not look at, is none either.
    if directory is not None and not os.path.isdir(directory):  # noqa: PTH112
        report.add((*place, "directory"), f"there is no directory {directory!r}")
    for name, value in environment.items():
        if not name or "=" in name or "\0" in name:
            report.add((*place, "environment"), f"{name!r} cannot name a variable")
        elif "\0" in value:
            report.add(
                (*place, "environment"),
                f"variable {name!r} = {value!r} cannot be set: text without U+0000 expected",
            )
