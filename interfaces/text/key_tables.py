"""The keys of a TOML file as text: for a terminal, and in Markdown for the docs."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from oddly.games import table_cell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.tournaments.toml.schema import KeyFacts

MARKDOWN = "github"
HEADERS = ("key", "value", "default", "meaning")


def keys_text(tables: Mapping[str, Sequence[KeyFacts]], width: int) -> str:
    """Return the keys for a terminal of `width` columns, a paragraph for each."""
    parts = []
    for title, rows in tables.items():
        parts.append(title)
        indent = max(len(facts.key) for facts in rows) + 4
        for facts in rows:
            default = {"": "", "required": " Required."}.get(
                facts.default, f" Default: {facts.default}."
            )
            said = f"{facts.meaning} ({facts.values}).{default}"
            parts.append(
                textwrap.fill(
                    said,
                    max(width, indent + 40),
                    initial_indent=f"  {facts.key:<{indent - 4}}  ",
                    subsequent_indent=" " * indent,
                    break_long_words=False,
                )
            )
        parts.append("")
    return "\n".join(parts).rstrip()


def keys_markdown(tables: Mapping[str, Sequence[KeyFacts]]) -> str:
    """Return the keys as tables of Markdown, each below its title in bold."""
    parts = []
    for title, rows in tables.items():
        lines = [
            (f"`{facts.key}`", facts.values, _code(facts.default), facts.meaning) for facts in rows
        ]
        cells = [[table_cell(cell, MARKDOWN) for cell in line] for line in lines]
        body = [f"| {' | '.join(line)} |" for line in (HEADERS, *cells)]
        body.insert(1, f"|{' --- |' * len(HEADERS)}")
        parts.append("\n".join([f"**{_title(title)}**", "", *body]))
    return "\n\n".join(parts)


def _title(title: str) -> str:
    """Return a title with the header of its table as code."""
    header, bracket, rest = title.rpartition("]")
    return f"`{header}{bracket}`{rest}"


def _code(default: str) -> str:
    return default if default in ("", "required") else f"`{default}`"
