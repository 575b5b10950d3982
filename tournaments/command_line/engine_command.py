"""`oddly engine NAME`: one of our engines on stdin and stdout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engines.catalogue import ENGINES, UnknownEngineError, create_engine
from engines.fault_table import listing
from engines.misbehaving_engine import MisbehavingEngine
from engines.options import OptionError
from engines.stdio import run as run_engine
from tournaments.command_line.parser import BadInputError, add_game_arguments, game_from

if TYPE_CHECKING:
    import argparse


def fill(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    listed = "; ".join(f"{name}: {engine.summary}" for name, engine in ENGINES.items())
    parser.add_argument("name", metavar="NAME", help=listed)
    add_game_arguments(parser, required=False)
    group = parser.add_argument_group("options of the engine")
    for option in option_names():
        group.add_argument(f"--{option}", metavar="VALUE", help=f"the engine's option {option}")
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="set an engine option"
    )
    group.add_argument(
        "--list", action="store_true", help="list the faults of misbehave and the rulings on them"
    )
    parser.set_defaults(run=run, parser=parser)


def run(arguments: argparse.Namespace) -> int:
    """Speak the protocol until `quit` or the end of input."""
    options = [option.partition("=")[::2] for option in arguments.option]
    given = {name: getattr(arguments, name) for name in option_names()}
    options += [(name, value) for name, value in given.items() if value is not None]
    try:
        engine = create_engine(arguments.name)
        for name, value in options:
            engine.set_option(name, value)
    except (UnknownEngineError, OptionError) as error:
        raise BadInputError(f"engine: {error}") from None
    if arguments.list:
        if not isinstance(engine, MisbehavingEngine):
            raise BadInputError(f"engine: {engine.name} has no faults to list; misbehave has")
        print(listing())
        return 0
    if arguments.game is None:
        arguments.game = "yodd"
    run_engine(engine, game_from(arguments))
    return 0


def option_names() -> list[str]:
    """The options of all our engines; each of them takes those that it has."""
    return sorted({option.name for engine in ENGINES.values() for option in engine.options})
