"""Writes the schemas of TOML files and the tables of their keys: `python tools/write_keys.py`.

All of it is made of the models by which oddly reads the files. It needs the extra `bot`.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games import table_cell
from oddly.interfaces.arena.settings_file import ArenaTomlFile
from oddly.interfaces.bot.bot_file import BotFile
from oddly.tournaments.toml.schema import KeyFacts, key_tables, schema_of, tournament_schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"(<!-- keys of the file -->\n)(.*?)(<!-- end -->)", re.DOTALL)
MARKDOWN = "github"
HEADERS = ("key", "value", "default", "meaning")


def bot_schema() -> dict[str, object]:
    """Return what may stand in BOT.toml, as JSON Schema."""
    return schema_of(BotFile, "A bot of oddly", "Served by 'oddly bot abstract-play BOT.toml'.")


def arena_schema() -> dict[str, object]:
    """Return what may stand in ARENA.toml, as JSON Schema."""
    return schema_of(ArenaTomlFile, "An arena of oddly", "Served by 'oddly arena ARENA.toml'.")


FILES = {
    "tournaments/tournament.schema.json": tournament_schema,
    "interfaces/bot/bot.schema.json": bot_schema,
    "interfaces/arena/arena.schema.json": arena_schema,
}
PAGES = {
    "docs/reference/tournaments.md": tournament_schema,
    "docs/how-to/abstract-play-bot.md": bot_schema,
}


def generated() -> dict[str, str]:
    """Return the text of every generated file and page, by its path."""
    texts = {path: f"{json.dumps(schema(), indent=2)}\n" for path, schema in FILES.items()}
    for path, schema in PAGES.items():
        tables = keys_markdown(key_tables(schema()))
        page = (ROOT / path).read_text(encoding="utf-8")
        texts[path] = BLOCK.sub(lambda found, new=tables: f"{found[1]}{new}\n{found[3]}", page)
    return texts


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


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    for path, text in generated().items():
        (ROOT / path).write_text(text, encoding="utf-8")
