"""What a subcommand is made of: options in groups, the kinds of their values, and its help."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from oddly.interfaces.command_line.errors import UnknownArgumentError, UnknownValueError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from oddly.tournaments.toml.schema import Schema

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
    Words = Callable[[], Iterable[str]]


T = TypeVar("T")

HELP = {"help_option_names": ["-h", "--help"]}
WORDS = "oddly.words"
"""The key under which a context keeps the words after the subcommand."""
WIDTH = 100
"""The greatest width of help, in columns."""


class GroupedOption(click.Option):
    """An option, listed in the help with the others of its `group`."""

    def __init__(self, *names: Any, group: str = "Options", **settings: Any) -> None:  # noqa: ANN401
        super().__init__(*names, **settings)
        self.group = group

    def companions(self, ctx: click.Context) -> Sequence[GroupedOption]:
        """Return options that come with this one, determined when they are needed."""
        return ()


class Subcommand(click.Command):
    """A subcommand that reports the first extra word, and lists its options by groups."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. Raises UnknownArgumentError for an extra word."""
        ctx.meta[WORDS] = tuple(args)
        rest = super().parse_args(ctx, args)
        if rest and not ctx.resilient_parsing:
            raise UnknownArgumentError(f"unknown argument {rest[0]!r}{_meant(rest[0], self)}", ctx)
        return rest

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the arguments and options, with their companions."""
        found: list[click.Parameter] = []
        for param in super().get_params(ctx):
            found.append(param)
            if isinstance(param, GroupedOption):
                found += param.companions(ctx)
        return found

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each group of options."""
        groups: dict[str, list[tuple[str, str]]] = {"Options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and not isinstance(param, click.Argument):
                groups.setdefault(getattr(param, "group", "Options"), []).append(record)
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records)


def _meant(word: str, command: click.Command) -> str:
    """Return what a word that stands alone was meant for, if it is the name of a game."""
    from oddly.games import GAMES

    is_meant = word.lower() in GAMES and any("--game" in param.opts for param in command.params)
    return f"; did you mean '--game {word.lower()}'?" if is_meant else ""


def command(epilog: str | None = None, cls: type[Subcommand] = Subcommand) -> Decorator:
    """Make a subcommand of a function that returns the exit code."""

    def decorate(function: Callable[..., Any]) -> click.Command:
        # Our own parse_args reports extra words.
        context = {**HELP, "allow_extra_args": True, "max_content_width": WIDTH}
        return click.command(cls=cls, epilog=epilog, context_settings=context)(function)

    return decorate


def option(
    *names: str,
    group: str = "Options",
    cls: type[GroupedOption] = GroupedOption,
    **settings: Any,  # noqa: ANN401
) -> Decorator:
    """Add an option. `settings` are those of click."""
    return click.option(*names, cls=cls, group=group, **settings)


def flag(*names: str, group: str = "Options", **settings: Any) -> Decorator:  # noqa: ANN401
    """Add an option without a value. `settings` are those of click."""
    return click.option(*names, cls=GroupedOption, group=group, is_flag=True, **settings)


def argument(name: str, **settings: Any) -> Decorator:  # noqa: ANN401
    """Add a positional argument. `settings` are those of click."""
    return click.argument(name, **settings)


def gathered(name: str, kind: type[T], *options: Decorator) -> Decorator:
    """Add `options`, and pass their values to the function as one `kind`, a dataclass.

    The dataclass has a field for each option, with its name.
    """
    parts = [field.name for field in fields(kind)]  # type: ignore[arg-type]

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def gathering(**values: Any) -> Any:  # noqa: ANN401
            values[name] = kind(**{part: values.pop(part) for part in parts})
            return function(**values)

        decorated: Callable[..., Any] = gathering
        for add in reversed(options):
            decorated = add(decorated)
        return decorated

    return decorate


def only_one(**given: object) -> None:
    """Raise click.UsageError if more than one of these options is given."""
    named = [f"--{name.replace('_', '-')}" for name, value in given.items() if value]
    if len(named) > 1:
        click.get_current_context().fail(
            f"argument {named[1]}: not allowed with argument {named[0]}"
        )


FILE = click.Path(path_type=Path, readable=False)
"""The name of a file, which is not opened here."""


class Value(click.ParamType[Any]):
    """A value that a function reads, which raises ValueError with a sentence if it cannot.

    `words` gives the words that a shell completes.
    """

    name = "value"

    def __init__(self, read: Callable[[str], object], words: Words = tuple) -> None:
        self._read = read
        self._words = words

    def convert(
        self,
        value: Any,  # noqa: ANN401 - a default may have any type
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401
        """Return the value, read unless it is a default. Raises click.BadParameter."""
        if not isinstance(value, str):
            return value
        try:
            return self._read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the words that complete the incomplete one."""
        return [CompletionItem(word) for word in self._words() if word.startswith(incomplete)]


class OneOf(Value):
    """One of several words; `kind` is what an error calls them."""

    name = "word"

    def __init__(self, *expected: str, kind: str = "value") -> None:
        super().__init__(self._known, lambda: expected)
        self._expected = expected
        self._kind = kind

    def convert(
        self,
        value: Any,  # noqa: ANN401
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401
        """Return the word. Raises UnknownValueError if it is not expected."""
        if value not in self._expected:
            raise UnknownValueError(self._kind, str(value), self._expected)
        return value

    def _known(self, text: str) -> str:
        return text


def _whole_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise ValueError(f"a whole number is expected, not {text!r}")
    return int(text)


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) > 0):
        raise ValueError(f"a whole number from 1 is expected, not {text!r}")
    return int(text)


def number(text: str) -> float:
    """Return the number that a text is; NaN if it is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _seconds(text: str) -> float:
    if not 0 <= (value := number(text)) < 1e6:
        raise ValueError(f"a number of seconds is expected, not {text!r}")
    return value


def _some_seconds(text: str) -> float:
    if not 0.001 <= (value := number(text)) < 1e6:
        raise ValueError(f"a number of seconds above 0 is expected, not {text!r}")
    return value


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) < 65_536):
        raise ValueError(f"a port from 0 to 65535 is expected, not {text!r}")
    return int(text)


WHOLE_NUMBER = Value(_whole_number)
"""0 or more."""
POSITIVE = Value(_positive)
"""1 or more."""
SECONDS = Value(_seconds)
"""0 or more."""
SOME_SECONDS = Value(_some_seconds)
"""More than 0, as in a fixed time control."""
PORT = Value(_port)
"""0 is any port that is free."""


def _table_format(text: str) -> str:
    from oddly.interfaces.text.tables import DEFAULT_FORMAT, table_formats

    if text != DEFAULT_FORMAT and text not in table_formats():
        raise UnknownValueError("table format", text, table_formats())
    return text


def _table_formats() -> Iterable[str]:
    from oddly.interfaces.text.tables import table_formats

    return table_formats()


TABLE_FORMAT = Value(_table_format, _table_formats)
"""A format of tables that tabulate knows."""


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
