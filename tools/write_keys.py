"""Writes the schemas of TOML files and the tables of their keys: `python tools/write_keys.py`.

All of it is made of the models by which oddly reads the files. It needs the extra `bot`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from oddly.interfaces.arena.settings_file import arena_schema
from oddly.interfaces.bot.bot_file import bot_schema
from oddly.interfaces.text.key_tables import keys_markdown
from oddly.tournaments.toml.schema import key_tables, tournament_schema

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"(<!-- keys of the file -->\n)(.*?)(<!-- end -->)", re.DOTALL)
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


if __name__ == "__main__":
    for path, text in generated().items():
        (ROOT / path).write_text(text, encoding="utf-8")
