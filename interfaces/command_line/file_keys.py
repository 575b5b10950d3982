"""The options `--keys` and `--schema`, which print the possible contents of a file."""

from __future__ import annotations

import json
import shutil
import textwrap
from typing import TYPE_CHECKING

import click

from oddly.interfaces.command_line.command import WIDTH
from oddly.interfaces.command_line.declaring import GroupedOption

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oddly.tournaments.toml.schema import KeyFacts, Schema


def file_keys(schema: Callable[[], Schema]) -> list[click.Parameter]:
    """Return options that print the possible contents of a file instead of reading one."""

    def keys() -> str:
        from oddly.tournaments.toml.schema import key_tables

        return _keys_text(key_tables(schema()), min(shutil.get_terminal_size().columns, WIDTH))

    def print_keys(context: click.Context, param: click.Parameter, asked: bool) -> None:
        if asked and not context.resilient_parsing:
            click.echo(keys() if param.name == "keys" else json.dumps(schema(), indent=2))
            context.exit()

    meanings = {
        "keys": "print all keys that the file may have, with their defaults",
        "schema": "print them as JSON Schema, for editors",
    }
    return [
        GroupedOption([f"--{name}"], is_flag=True, is_eager=True, expose_value=False,
                      callback=print_keys, help=meaning)
        for name, meaning in meanings.items()
    ]  # fmt: skip


def tournament_keys() -> Schema:
    """Return the schema of a tournament file."""
    from oddly.tournaments.toml.schema import tournament_schema

    return tournament_schema()


def keys_of(room: str) -> Schema:
    """Return the schema of BOT.toml or ARENA.toml, without the packages that the room needs."""
    from importlib.resources import files

    path = files("oddly.interfaces").joinpath(room, f"{room}.schema.json")
    schema: Schema = json.loads(path.read_text(encoding="utf-8"))
    return schema


def _keys_text(tables: Mapping[str, Sequence[KeyFacts]], width: int) -> str:
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
