"""`oddly engine` runs one of our engines on stdin and stdout; `oddly gogui` has GoGui run one.

`oddly gogui` sets GoGui up for a game, new or saved, and starts it. What only GoGui needs is
imported only for GoGui.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from oddly.engines import ENGINES, Engine, OptionError, UnknownEngineError, engine_class
from oddly.engines import run as run_engine
from oddly.engines.dispatcher import Dispatcher
from oddly.engines.engine import known_name
from oddly.games import GAMES, Game, did_you_mean, one_line
from oddly.games.wording import counted
from oddly.interfaces.command_line.command import OneOf, Subcommand, Value, command
from oddly.interfaces.command_line.common_options import GROUP as OF_THE_GAME
from oddly.interfaces.command_line.common_options import GameOptions, saved_game, turns_before
from oddly.interfaces.command_line.declaring import (
    GroupedOption,
    argument,
    collected,
    flag,
    option,
    options,
    word_of,
)
from oddly.interfaces.command_line.errors import (
    BadInputError,
    ExitCode,
    refusing,
    sentence,
    tell_of_known_winners,
)
from oddly.protocol import grid_width

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


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
def engine_command(
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
    return partial(GoguiDispatcher, opening=turns_before("engine", after, game))


def answer_positions(engine: Engine) -> None:
    """Answer the positions on standard input, each as soon as it is read."""
    from oddly.engines.position_reading import evaluations

    with suppress(BrokenPipeError):
        for line in evaluations(engine, sys.stdin):
            print(line, flush=True)


def list_faults(name: str) -> None:
    """Print the faults of misbehave. Raises BadInputError for any other engine."""
    if name != "misbehave":
        raise BadInputError(f"engine: {name} has no faults to list; misbehave has")
    from oddly.engines.faults import listing

    print(listing())


RULES_ALONE = "random"
"""The engine of a board on which two people play; it is never asked for a turn."""
SIDES = ("black", "white", "both", "none")


@options()
class GoguiOptions:
    """Who plays, and whether GoGui is started."""

    against: str | None = option(
        "ENGINE",
        "one of our engines, with its options, or the command line of any engine, in quotes "
        "(default: nobody; two people play)",
    )
    computer: str | None = option(
        "SIDE",
        f"the side of ENGINE: {', '.join(SIDES)} (default: white, or none without ENGINE)",
        kind=OneOf(*SIDES),
    )
    no_start: bool = flag("only add the program to GoGui's menu")


@command(
    "gogui yodd --size 8 --against rave",
    epilog="GoGui is the 'gogui' on the PATH, or what ODDLY_GOGUI names.",
)
def gogui_command(
    name: str | None = argument(
        "GAME", "a game, or a file with one to go on with", kind=Value(str, lambda: GAMES)
    ),
    *,
    options: GoguiOptions,
    game: GameOptions,
) -> int:
    """Put the program into GoGui's menu, and start GoGui with it. Raises BadInputError."""
    from oddly.interfaces.gogui.display import game_label
    from oddly.interfaces.gogui.preferences import (
        NotInstalledError,
        find_gogui,
        preferences_file,
        quoted,
        update,
    )

    if name is not None and (saved := _file(name)) is not None:
        record = saved_game("gogui", saved, game.create_if_named("gogui")).record
        made = record.game
        print(
            f"{one_line(name)}: {game_label(made)} after {counted(len(record.turns), 'turn')}; "
            f"'oddly convert NEW OUT --after {one_line(name)}' joins it to what GoGui saves",
            file=sys.stderr,
        )
    else:
        saved = None
        if name is not None and game.game not in (None, name):
            raise BadInputError(f"gogui: {name} and --game {game.game}: name one game")
        made = replace(game, game=name or game.game).create()
        tell_of_known_winners([made])
    label, words = program_for(made, game, options.against, saved)
    try:
        gogui = () if options.no_start else find_gogui()
        program = quoted(words)
        path = preferences_file()
        label = update(path, label, program, grid_width(made.board))
    except (NotInstalledError, ValueError) as error:
        raise BadInputError(f"gogui: {error}") from None
    except OSError as error:
        raise BadInputError(f"gogui: {error.filename}: {error.strerror}") from None
    print(f"'{label}' is in GoGui's menu Program > Attach", file=sys.stderr)
    if options.no_start:
        return ExitCode.DONE
    side = options.computer or ("none" if options.against is None else "white")
    return start((*gogui, "-program", program, f"-computer-{side}"))


def program_for(
    game: Game, named: GameOptions, against: str | None, saved: Path | None = None
) -> tuple[str, tuple[str, ...]]:
    """Return the label of a program, and its command, which continues a saved game.

    Raises BadInputError if there is no such engine, or it has no such options.
    """
    from oddly.interfaces.gogui.display import game_label
    from oddly.referee import ProgramError, find_program
    from oddly.referee.program.configuration import split_words

    settings = _game_words(game, named if saved is None else replace(named, settings=game.settings))
    told = game_label(game)
    if saved is not None:
        told += f", after {one_line(saved.name)}"
        settings += ("--after", str(saved.absolute()))
    if against is None:
        return f"oddly, {told}", (*_oddly(), "engine", RULES_ALONE, *settings)
    try:
        words = split_words(against)
        if words and words[0] in ENGINES:
            _check_options(against, words)
            label = f"oddly {one_line(against)}, {told}"
            return label, (*_oddly(), "engine", *words, *settings)
        program = find_program(words)
    except ProgramError as error:
        near = did_you_mean(against, ENGINES)
        ours = f"expected one of {', '.join(ENGINES)}, or an engine's command line"
        raise BadInputError(f"gogui: --against {against!r}: {error}; {ours}{near}") from None
    named_with = shlex.join((Path(program[0]).name, *program[1:]))
    label = f"{one_line(named_with)}, {told}"
    return label, (*_oddly(), "bridge", shlex.join(program), *settings)


def _check_options(against: str, words: Sequence[str]) -> None:
    """Raise BadInputError unless the words after the name of our engine are options of its own."""
    name, said = words[0], f"gogui: --against {against!r}"
    # Click would print its help, or leave out what only separates.
    if unfit := next((word for word in words if word in ("--", "-h", "--help")), ""):
        raise BadInputError(f"{said}: {unfit} is not an option of {name}")
    try:
        context = engine_command.make_context("oddly engine", list(words))
    except click.UsageError as error:
        raise BadInputError(f"{said}: {sentence(error).removeprefix('engine: ')}") from None
    for param in engine_command.get_params(context):
        called = param.name or ""
        is_given = context.get_parameter_source(called) is ParameterSource.COMMANDLINE
        if is_given and called not in ("name", "settings") and not called.startswith(OWN):
            is_ours = getattr(param, "group", None) == OF_THE_GAME
            ours = ", but of 'oddly gogui' itself" if is_ours else ""
            raise BadInputError(f"{said}: {param.opts[0]} is not an option of {name}{ours}")
    engine, read = engine_class(name)(), context.params
    pairs = [setting.partition("=")[::2] for setting in read["settings"]]
    pairs += [(key.removeprefix(OWN), read[key]) for key in read if key.startswith(OWN)]
    with refusing(OptionError, where=said):
        for key, value in pairs:
            if value is not None:
                engine.set_option(key, value)


def _file(name: str) -> Path | None:
    """Return the file that the argument names, unless it names a game."""
    path = Path(name)
    is_file = path.is_file() or path.suffix or len(path.parts) > 1
    return path if is_file and name not in GAMES else None


def start(words: tuple[str, ...]) -> int:
    """Run GoGui until its window is closed, and return the exit code. Raises BadInputError."""
    if sys.platform.startswith("linux") and not os.environ.get("DISPLAY"):
        raise BadInputError("gogui: GoGui needs a screen, and DISPLAY names none")
    with refusing(OSError, where=f"gogui: cannot start {words[0]}"):
        failed = subprocess.run(words, check=False).returncode != 0
    return ExitCode.NO_START if failed else ExitCode.DONE


def _game_words(game: Game, named: GameOptions) -> tuple[str, ...]:
    """Return the options that name the game to `oddly engine`, with the settings given."""
    words = ["--game", game.name, "--size", str(game.size)]
    for setting, value in named.settings.items():
        option = word_of(setting)
        if isinstance(value, bool):
            words.append(option if value else f"--no-{option[2:]}")
        else:
            words += [option, str(value)]
    return (*words, "--profile", "gogui")


def _oddly() -> tuple[str, ...]:
    """Return the running oddly: the command beside its Python, or that Python itself."""
    beside = Path(sys.executable).with_name("oddly")
    return (str(beside),) if beside.is_file() else (sys.executable, "-P", "-m", "oddly")
