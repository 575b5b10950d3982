"""The parts of a subcommand: options in groups, the kinds of their values, and its help.

The options `--keys` and `--schema` print what the file that a subcommand reads may contain.
"""

from __future__ import annotations

import json
import shutil
import textwrap
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from oddly.interfaces.command_line.declaring import OPTIONS, GroupedOption, Parameters, word_of
from oddly.interfaces.command_line.errors import UnknownArgumentError, UnknownValueError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from oddly.tournaments.toml.schema import KeyFacts, Schema

    Words = Callable[[], Iterable[str]]


HELP = {"help_option_names": ["-h", "--help"]}
WORDS = "oddly.words"
"""The key under which a context keeps the words after the subcommand."""
WIDTH = 100
"""The maximum width of help and of a file's keys, in columns."""


class Subcommand(click.Command):
    """A subcommand that reports the first extra word, and lists its options by groups."""

    example: str
    """An example of its words, shown below the options."""

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
        groups: dict[str, list[tuple[str, str]]] = {OPTIONS: []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and not isinstance(param, click.Argument):
                groups.setdefault(getattr(param, "group", OPTIONS), []).append(record)
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records)
        with formatter.section("Example"):
            formatter.write(f"{'':{formatter.current_indent}}oddly {self.example}\n")


def _meant(word: str, command: click.Command) -> str:
    """Return a suggestion for a lone word that is the name of a game."""
    from oddly.games import GAMES

    is_meant = word.lower() in GAMES and any("--game" in param.opts for param in command.params)
    return f"; did you mean '--game {word.lower()}'?" if is_meant else ""


def command(
    example: str,
    epilog: str | None = None,
    cls: type[Subcommand] = Subcommand,
    also: Sequence[click.Parameter] = (),
) -> Callable[[Callable[..., int | None]], click.Command]:
    """Make a subcommand of a function that returns the exit code, None for 0.

    The help shows the example after `oddly`. Its parameters are declared as `declaring.py` says;
    `also` has further options that the function does not take.
    """

    def decorate(function: Callable[..., int | None]) -> click.Command:
        parameters = Parameters.of(function)
        made = cls(
            None,
            callback=lambda **read: function(**parameters.values(read)),
            params=[*parameters.of_click(), *also],
            epilog=epilog,
            # Our own parse_args reports extra words.
            context_settings={**HELP, "allow_extra_args": True, "max_content_width": WIDTH},
        )
        made.example = example
        return made

    return decorate


def only_one(**given: object) -> None:
    """Raise click.UsageError if more than one of these options is given."""
    named = [word_of(name) for name, value in given.items() if value]
    if len(named) > 1:
        click.get_current_context().fail(
            f"argument {named[1]}: not allowed with argument {named[0]}"
        )


class Value(click.ParamType[Any]):
    """A value read by a function, which raises ValueError with a sentence if it fails.

    `words` gives the words that a shell completes.
    """

    name = "value"

    def __init__(self, read: Callable[[str], object], words: Words = tuple) -> None:
        self._read = read
        self._words = words

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
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
    """One of several words; errors call them `kind`."""

    name = "word"

    def __init__(self, *expected: str, kind: str = "value") -> None:
        super().__init__(str, lambda: expected)
        self._expected = expected
        self._kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Return the word. Raises UnknownValueError if it is not expected."""
        if value not in self._expected:
            raise UnknownValueError(self._kind, str(value), self._expected)
        return value


MAX_DIGITS = 18


def whole_number(text: str) -> int:
    """Return the number in a text, 0 or more. Raises ValueError."""
    return _at_least(0, text, digits=MAX_DIGITS)


def _positive(text: str) -> int:
    return _at_least(1, text, digits=9)


def _at_least(least: int, text: str, *, digits: int) -> int:
    if not (text.isascii() and text.isdigit()) or (len(text) <= digits and int(text) < least):
        raise ValueError(f"a whole number from {least} is expected, not {text!r}")
    if len(text) > digits:
        raise ValueError(f"a whole number of at most {digits} digits is expected, not {text!r}")
    return int(text)


def within(kind: type, least: float, most: float) -> Value:
    """Return the kind of a whole number (`int`) or a number of seconds between bounds."""
    bounds = f"from {_written(least)} to {_written(most)}"
    if kind is not int:
        return number(f"a number of seconds {bounds}", lambda seconds: least <= seconds <= most)

    def read(text: str) -> int:
        is_number = text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS
        if is_number and least <= (value := int(text)) <= most:
            return value
        raise ValueError(f"a whole number {bounds} is expected, not {text!r}")

    return Value(read)


def _written(bound: float) -> str:
    return f"{bound:.3f}".rstrip("0").rstrip(".")


def number(expected: str, fits: Callable[[float], bool]) -> Value:
    """Return the kind of a number that fits; errors say what is expected."""

    def read(text: str) -> float:
        with suppress(ValueError):
            if fits(value := float(text)):
                return value
        raise ValueError(f"{expected} is expected, not {text!r}")

    return Value(read)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) < 65_536):
        raise ValueError(f"a port from 0 to 65535 is expected, not {text!r}")
    return int(text)


WHOLE_NUMBER = Value(whole_number)
"""0 or more."""
POSITIVE = Value(_positive)
"""1 or more."""
SECONDS = number("a number of seconds", lambda seconds: 0 <= seconds < 1e6)
SOME_SECONDS = number("a number of seconds above 0", lambda seconds: 0.001 <= seconds < 1e6)
"""As for a fixed time control."""
PORT = Value(_port)
"""0 stands for any free port."""


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
