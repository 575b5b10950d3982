"""What all subcommands share: options in groups, the layout of help, and one kind of errors."""

from __future__ import annotations

from dataclasses import fields
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from oddly.interfaces.command_line.errors import UnknownArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

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
