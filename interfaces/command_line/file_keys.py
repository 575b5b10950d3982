"""`--keys` and `--schema` of the commands that read a file of TOML."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import click

from oddly.interfaces.command_line.command import flag

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.interfaces.command_line.command import Decorator
    from oddly.tournaments.toml.schema import Schema

WIDEST = 100


def file_keys(schema: Callable[[], Schema]) -> Decorator:
    """Add options that print what may stand in the file, in the place of reading one."""

    def print_keys(context: click.Context, _: click.Parameter, asked: bool) -> None:
        if asked and not context.resilient_parsing:
            from oddly.interfaces.text.key_tables import keys_text
            from oddly.tournaments.toml.schema import key_tables

            width = min(shutil.get_terminal_size().columns, WIDEST)
            click.echo(keys_text(key_tables(schema()), width))
            context.exit()

    def print_schema(context: click.Context, _: click.Parameter, asked: bool) -> None:
        if asked and not context.resilient_parsing:
            click.echo(json.dumps(schema(), indent=2))
            context.exit()

    keys = flag(
        "--keys",
        is_eager=True,
        expose_value=False,
        callback=print_keys,
        help="print all keys that the file may have, with their defaults",
    )
    for_editors = flag(
        "--schema",
        is_eager=True,
        expose_value=False,
        callback=print_schema,
        help="print them as JSON Schema, for editors",
    )
    return lambda function: keys(for_editors(function))


def tournament_keys() -> Schema:
    """Return the schema of a tournament file."""
    from oddly.tournaments.toml.schema import tournament_schema

    return tournament_schema()


def bot_keys() -> Schema:
    """Return the schema of BOT.toml. It needs none of the packages that a bot needs."""
    from importlib.resources import files

    text = files("oddly.interfaces.bot").joinpath("bot.schema.json").read_text(encoding="utf-8")
    schema: Schema = json.loads(text)
    return schema
