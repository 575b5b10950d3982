"""`oddly engine NAME`: one of our engines on stdin and stdout."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.engines import ENGINES, Engine, OptionError, UnknownEngineError, engine_class
from oddly.engines import run as run_engine
from oddly.engines.dispatcher import Dispatcher
from oddly.engines.engine import known_name
from oddly.interfaces.command_line.command import OneOf, Subcommand, Value, command
from oddly.interfaces.command_line.common_options import GameOptions
from oddly.interfaces.command_line.declaring import (
    GroupedOption,
    argument,
    collected,
    flag,
    option,
    word_of,
)
from oddly.interfaces.command_line.errors import BadInputError, refusing

if TYPE_CHECKING:
    from collections.abc import Callable

    import click

    from oddly.games import Game

PROFILES = ("gogui", "native")
"""The protocols that an engine can speak."""

NAMED = "oddly.engine"
"""The key under which a context keeps the name of the engine."""
OWN = "engine_option_"
"""The prefix of parameters that are the engine's own options."""


class EngineCommand(Subcommand):
    """A subcommand with an option for each option of the engine named in its arguments."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. Raises click.UsageError."""
        ctx.meta[NAMED] = next((word for word in args if word in ENGINES), None)
        # Report an unknown name, not the options that its engine might have.
        ctx.ignore_unknown_options = ctx.meta[NAMED] is None
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the arguments, with the options of the engine that is named."""
        name = ctx.meta.get(NAMED)
        params = super().get_params(ctx)
        return params if name is None else [*params, *_options_of(name)]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write how to see an engine's options, unless the help lists them."""
        if ctx.meta.get(NAMED) is None:
            super().format_epilog(ctx, formatter)


def _options_of(name: str) -> list[click.Parameter]:
    """Return an option for each option of the engine `name`; `set_option` sets the same ones."""
    return [
        GroupedOption(
            [
                *dict.fromkeys([f"--{option.name}", word_of(option.name)]),
                OWN + option.name,
            ],
            metavar="VALUE",
            help=option.description,
            group=f"Options of {name}",
        )
        for option in engine_class(name).options
    ]


def _known_engine(name: str) -> str:
    try:
        return known_name(name)
    except UnknownEngineError as error:
        raise ValueError(str(error)) from None


@command(
    "engine greedy --game odd",
    epilog="'oddly engine NAME --help' shows the options of that engine.",
    cls=EngineCommand,
)
def run(
    name: str = argument(
        "NAME",
        "; ".join(f"{name}: {entry.summary}" for name, entry in ENGINES.items()),
        kind=Value(_known_engine, lambda: ENGINES),
    ),
    *,
    game: GameOptions,
    profile: str = option(
        "PROFILE",
        "native: the protocol, turn by turn; gogui: GoGui's, tap by tap",
        kind=OneOf(*PROFILES),
        default="native",
    ),
    after: Path | None = option("FILE", "with --profile gogui: go on with the game saved in FILE"),
    settings: tuple[str, ...] = option("NAME=VALUE", "set an engine option", names="--option"),
    batch: bool = flag("read positions as JSON Lines and write evaluations"),
    lists: bool = flag("list the faults of misbehave and the rulings on them", names="--list"),
    own: Mapping[str, str] = collected(OWN),
) -> None:
    """Speak the protocol until `quit` or the end of input."""
    engine = engine_class(name)()
    is_for_people = profile == "gogui" or sys.stdin.isatty()
    if ENGINES[name].is_compiled and is_for_people and not batch:
        settings = ("while_compiling=plain", *settings)
    with refusing(OptionError, where="engine"):
        for setting in settings:
            key, _, value = setting.partition("=")
            engine.set_option(key, value)
        for option_name, value in own.items():
            engine.set_option(option_name, value)
    if lists:
        list_faults(name)
    elif batch:
        answer_positions(engine)
    else:
        played = game.create()
        run_engine(engine, played, dispatcher_for(profile, played, after))


def dispatcher_for(
    profile: str, game: Game, after: Path | None = None
) -> Callable[[Engine, Game], Dispatcher]:
    """Return the function that makes an engine's dispatcher; GoGui's is imported only for GoGui.

    Raises BadInputError for a saved game that cannot go on.
    """
    if profile == "native":
        if after is not None:
            raise BadInputError("engine: --after goes with --profile gogui")
        return Dispatcher
    from oddly.interfaces.gogui.dispatcher import GoguiDispatcher

    if after is None:
        return GoguiDispatcher
    from oddly.interfaces.command_line.common_options import turns_before

    return partial(GoguiDispatcher, opening=turns_before("engine", after, game))


def answer_positions(engine: Engine) -> None:
    """Answer the positions on standard input, each as soon as it is read."""
    from oddly.engines.batch import evaluations

    with suppress(BrokenPipeError):
        for line in evaluations(engine, sys.stdin):
            print(line, flush=True)


def list_faults(name: str) -> None:
    """Print the faults of misbehave. Raises BadInputError for any other engine."""
    if name != "misbehave":
        raise BadInputError(f"engine: {name} has no faults to list; misbehave has")
    from oddly.engines.faults import listing

    print(listing())
