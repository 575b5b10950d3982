"""An atlas of boards: what their studies say, side by side, for those who choose a board."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oddly.study.document import (
    Cell,
    Column,
    Section,
    Study,
    StudyTable,
    columns_of,
    files_of,
    in_percent,
)
from oddly.study.estimates import Estimate, IntervalMethod, exactly

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


ATLAS = "atlas"
"""The name of the atlas's files, which are not read as studies."""


SUFFIX = ".games.jsonl.xz"
"""The ending of the file of a study's games, after the study's name."""

IN_BRIEF = "In brief"
"""The section of a study that puts its findings into words."""

PIE = ("pie", 0, 1), ("pie", 0, 2), ("pie", 1, 1), ("pie", 1, 2)
"""The places of the best and the fairest first turn, each with its points."""


class AtlasError(ValueError):
    """A folder has no studies, or a file is not one. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class StudiedBoard:
    """One study as read from its JSON."""

    name: str
    facts: dict[str, Any]
    tables: dict[str, Any]
    texts: dict[str, str]
    title: str
    """The board as the study names it, such as `Odd 5, threshold 8`."""
    games: str = ""
    """The SHA-256 of the file of its games; "" if there is none."""

    @classmethod
    def of(cls, name: str, json: Mapping[str, Any], games: str) -> StudiedBoard:
        """Return the board of a study's JSON. Raises KeyError, TypeError or ValueError."""
        facts, tables, texts = (dict(json.get(key, {})) for key in ("facts", "tables", "texts"))
        return cls(name, facts, tables, texts, str(json["title"]), games)

    def cell(self, key: str, row: str | int, column: int) -> Cell:
        """Return a cell of a table, found by the first word of its row or by the row's number.

        None if the study has no such table or row.
        """
        rows = self.tables.get(key, {"rows": []})["rows"]
        if isinstance(row, str):
            rows, row = [each for each in rows if each[0] == row], 0
        if not -len(rows) <= row < len(rows):
            return None
        return as_cell(rows[row][column])

    def cells(self, *places: tuple[str, str | int, int]) -> list[Cell]:
        """Return several cells, each found as `cell` does."""
        return [self.cell(*place) for place in places]


def as_cell(value: Any) -> Cell:  # noqa: ANN401 - it comes from JSON
    """Return a cell from its JSON."""
    if not isinstance(value, dict):
        return value if value is None or isinstance(value, str | int | float) else str(value)
    method = IntervalMethod[value["interval"].upper()]
    return Estimate(value["value"], value["low"], value["high"], method, value["samples"])


def read_studies(folder: Path) -> list[StudiedBoard]:
    """Return the studies of a folder by their names. Raises AtlasError if there are none."""
    found = []
    for path in sorted(folder.glob("*.json")):
        if path.stem == ATLAS:
            continue
        try:
            facts = json.loads(path.read_text(encoding="utf-8"))
            board = StudiedBoard.of(path.stem, facts, digest(folder / (path.stem + SUFFIX)))
            # A study has the tables that an atlas takes from it, in the right shape.
            files_of(make_atlas([board]), ATLAS)
            found.append(board)
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise AtlasError(f"{path} is not the JSON of a study") from None
    if not found:
        raise AtlasError(f"{folder} has no studies: 'oddly study --output {folder}' makes one")
    return sorted(found, key=_order)


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, or "" if there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _order(board: StudiedBoard) -> tuple[str, int, str]:
    name, *rest = board.name.split("-")
    return name, (_whole_number(rest[0]) or 0) if rest else 0, board.name


def _whole_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None


def make_atlas(boards: Sequence[StudiedBoard]) -> Study:
    """Return the atlas as a study, with a row for each board in every table."""
    sections = [
        Section("The boards side by side", "", [_comparison_table(boards)]),
        Section("How it plays", "", [_course_table(boards), _design_table(boards)]),
        Section("Is it fair?", "", [_fairness_table(boards), _pie_table(boards)]),
        Section("Does skill win?", "", [_skill_table(boards)]),
        *(
            Section(f"{board.title} in brief", board.texts[IN_BRIEF], [])
            for board in boards
            if board.texts.get(IN_BRIEF)
        ),
        Section("The games", GAMES_TEXT, [_boards_table(boards)]),
    ]
    facts = {"boards": len(boards), "made from": ", ".join(board.name for board in boards)}
    return Study("Atlas of boards", facts, sections)


def _comparison_table(boards: Sequence[StudiedBoard]) -> StudyTable:
    """Return a row for each board with the answers to a designer's first questions."""
    course = ("length", -1, 2), ("branching", "all turns", 2)
    rows = [
        (board.title, _cells(board), *board.cells(*course), *_most_played(board),
         *board.cells(*PIE))
        for board in boards
    ]  # fmt: skip
    columns = columns_of(
        "board", "cells", "turns", "legal turns", "both players",
        in_percent("first player's points"), "best first turn", in_percent("its points"),
        "fairest", in_percent("points with a pie rule"),
    )  # fmt: skip
    note = (
        "Turns are those between equals of the strongest player. A dash: no games were played from "
        "each first turn of that board."
    )
    return StudyTable("comparison", "Comparison", columns, rows, note)


def _most_played(board: StudiedBoard) -> tuple[str, Cell]:
    """Return the engine with the most games against itself, and the first player's points there."""
    rows = board.tables.get("balance", {"rows": []})["rows"]
    if not rows:
        return "", None
    # The last of several is the strongest.
    name, _, points, *_ = max(reversed(rows[1:] or rows), key=lambda row: row[1])
    return name, as_cell(points)


GAMES_TEXT = (
    "The file of a study has all of its games. 'oddly atlas --check' derives its pages from that "
    "file again and says where one differs. A dash: the games were not kept."
)


def _boards_table(boards: Sequence[StudiedBoard]) -> StudyTable:
    rows = [
        (
            board.title,
            board.facts.get("players", "").split(", ")[-1],
            board.facts.get("games", "").partition(" ")[0],
            board.facts.get("fingerprint", "none"),
            f"{board.name}{SUFFIX}" if board.games else None,
            board.games or None,
        )
        for board in boards
    ]
    columns = columns_of(
        "board", "strongest player", "games", "engine's fingerprint", "file", "SHA-256"
    )
    return StudyTable("boards", "What was played", columns, rows)


def _cells(board: StudiedBoard) -> int | None:
    words = str(board.facts.get("board", "")).split()
    return _whole_number(words[-2]) if len(words) > 1 else None


def _course_table(boards: Sequence[StudiedBoard]) -> StudyTable:
    places = (
        ("length", "random actions", 2), ("length", -1, 2), ("branching", "all turns", 2),
        ("complexity", "game tree, by turns", 2), ("complexity", "positions", 2),
    )  # fmt: skip
    rows = [(board.title, *board.cells(*places)) for board in boards]
    columns = columns_of(
        "board", "turns at random", "turns between equals", "legal turns", "game tree, log10",
        "positions, log10, at most",
    )  # fmt: skip
    note = "Between equals: the strongest player against itself. The rest is from those games too."
    return StudyTable("course", "Length and size", columns, rows, note)


def _design_table(boards: Sequence[StudiedBoard]) -> StudyTable:
    names = (
        "drama", "lead change", "uncertainty", "uncertainty, second half", "decisiveness",
        "killer move",
    )  # fmt: skip
    places = [("measures", name, 2) for name in names]
    rows = [(board.title, *board.cells(*places)) for board in boards]
    columns = columns_of("board", *(Column(name, digits=2) for name in names))
    note = "Our own measures, from 0 to 1. Study-a-game says what each means."
    return StudyTable("measures", "Measures of design", columns, rows, note)


def _fairness_table(boards: Sequence[StudiedBoard]) -> StudyTable:
    rows = [
        (board.title, row[0], *map(as_cell, row[1:]))
        for board in boards
        for row in board.tables.get("balance", {"rows": []})["rows"]
    ]
    columns = columns_of(
        "board", "both players", "games", in_percent("first player's points"), in_percent("drawn")
    )
    note = " ".join(
        f"{board.title}: {board.tables['trend']['note']}"
        for board in boards
        if "trend" in board.tables
    )
    return StudyTable("fairness", "First player's points by strength", columns, rows, note)


def _pie_table(boards: Sequence[StudiedBoard]) -> StudyTable:
    rows = []
    for board in boards:
        swapped = board.cell("pie", 2, 2)
        share = exactly(swapped) if isinstance(swapped, float) else swapped
        rows.append((board.title, *board.cells(*PIE), share))
    columns = columns_of(
        "board", "best first turn", in_percent("worth"), "fairest",
        in_percent("worth with a pie rule"), in_percent("first turns swapped"),
    )  # fmt: skip
    return StudyTable("pie", "What a pie rule would do", columns, rows)


def _skill_table(boards: Sequence[StudiedBoard]) -> StudyTable:
    rows = [
        (board.title, row[0], row[1], row[2], *map(as_cell, row[3:6]))
        for board in boards
        for row in board.tables.get("ladder", {"rows": []})["rows"]
    ]
    columns = columns_of(
        "board", "strong", "weak", "games", in_percent("strong's points"),
        Column("Elo", digits=0), Column("Elo a doubling", digits=0),
    )  # fmt: skip
    note = "400 log10 of the odds of a point, in total and for each doubling of the simulations."
    return StudyTable("ladder", "A ladder of strengths", columns, rows, note)
