"""The tournament files and engines that come with oddly, in a checkout and in the wheel."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE = Path(__file__).parent
SCHEMA = "tournament.schema.json"
WITHOUT_ENGINES = {"languages.toml"}
"""Tournament files whose engines have to be built first, in a checkout."""

ENGINES = {
    "full": "an engine that knows every command and all four games",
    "tiny": "the smallest engine, for Odd only, to begin from",
    "drops": "an engine that plays single drops, for the bridge",
}


class ShippedExample(NamedTuple):
    """A file to look at and to copy."""

    path: Path
    summary: str


def engines_folder() -> Path:
    """Return the folder of the example engines."""
    return HERE.parents[1] / "examples"


def shipped_examples() -> Mapping[str, ShippedExample]:
    """Return the examples by name, such as `xodd.toml` and `go/tiny.go`."""
    found: dict[str, ShippedExample] = {}
    tournaments = HERE.parents[1] / "tournaments"
    for path in sorted(tournaments.glob("*.toml")):
        if path.name not in WITHOUT_ENGINES:
            first_line = path.read_text(encoding="utf-8").split("\n", 1)[0]
            found[path.name] = ShippedExample(path, first_line.removeprefix("# ").rstrip("."))
    found[SCHEMA] = ShippedExample(
        tournaments / SCHEMA, "by which editors complete and check tournament files"
    )
    folder = engines_folder()
    for path in sorted(folder.glob("*/*")):
        if (summary := ENGINES.get(path.stem.lower())) is not None:
            found[str(path.relative_to(folder))] = ShippedExample(path, summary)
    return found
