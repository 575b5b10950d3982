"""`oddly engine NAME`: one of our engines on stdin and stdout."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from engines.catalogue import ENGINES, UnknownEngineError, engine_class, known_name
from engines.dispatcher import Dispatcher
from engines.options import OptionError
from engines.stdio import run as run_engine
from interfaces.command_line.parser import BadInputError, add_game_arguments, game_from
from interfaces.gogui.dispatcher import GoguiDispatcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from engines.engine import Engine
    from engines.options import Option
    from games.game import Game
    from interfaces.command_line.parser import Parser

PROFILES: dict[str, Callable[[Engine, Game], Dispatcher]] = {
    "native": Dispatcher,
    "gogui": GoguiDispatcher,
}
"""The tables of commands that an engine can be started with."""

DESTINATION = "engine_option_{}"
"""Where the parser keeps the value of an engine's option."""


def fill(parser: Parser) -> None:
    """Add the arguments; among them the options of the engine that `parser.words` name."""
    listed = "; ".join(f"{name}: {entry.summary}" for name, entry in ENGINES.items())
    parser.add_argument("name", metavar="NAME", type=known_engine, help=listed)
    add_game_arguments(parser, required=False)
    named = next((word for word in parser.words if word in ENGINES), None)
    if named is None:
        parser.epilog = "'oddly engine NAME --help' shows the options of that engine."
    else:
        add_options(parser, named, engine_class(named).options)
    parser.add_argument(
        "--profile",
        choices=sorted(PROFILES),
        default="native",
        help="native: the protocol, turn by turn (default); gogui: GoGui's, tap by tap",
    )
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="set an engine option"
    )
    parser.add_argument(
        "--list", action="store_true", help="list the faults of misbehave and the rulings on them"
    )
    parser.set_defaults(run=run, parser=parser)


def add_options(parser: Parser, name: str, options: tuple[Option, ...]) -> None:
    """A flag for each option of the engine `name`; `set_option` sets the same ones."""
    group = parser.add_argument_group(f"options of {name}")
    for option in options:
        flags = dict.fromkeys([f"--{option.name}", f"--{option.name.replace('_', '-')}"])
        group.add_argument(
            *flags,
            dest=DESTINATION.format(option.name),
            metavar="VALUE",
            help=option.description.replace("%", "%%"),
        )


def run(arguments: argparse.Namespace) -> int:
    """Speak the protocol until `quit` or the end of input."""
    engine = engine_class(arguments.name)()
    options = [option.partition("=")[::2] for option in arguments.option]
    for option in engine.options:
        value = getattr(arguments, DESTINATION.format(option.name), None)
        if value is not None:
            options.append((option.name, value))
    try:
        for name, value in options:
            engine.set_option(name, value)
    except OptionError as error:
        raise BadInputError(f"engine: {error}") from None
    if arguments.list:
        return list_faults(arguments.name)
    if arguments.game is None:
        arguments.game = "yodd"
    run_engine(engine, game_from(arguments), PROFILES[arguments.profile])
    return 0


def list_faults(name: str) -> int:
    """Print what misbehave can do. Raises BadInputError for any other engine."""
    if name != "misbehave":
        raise BadInputError(f"engine: {name} has no faults to list; misbehave has")
    from engines.fault_table import listing

    print(listing())
    return 0


def known_engine(name: str) -> str:
    """The name of an engine of ours."""
    try:
        return known_name(name)
    except UnknownEngineError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
