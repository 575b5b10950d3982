"""`oddly gogui GAME`: set GoGui up for a game, new or saved, and start it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from oddly.engines import ENGINES, OptionError, engine_class
from oddly.games import GAMES, Game, did_you_mean, one_line
from oddly.games.wording import counted
from oddly.interfaces.command_line.command import OneOf, Value, command
from oddly.interfaces.command_line.common_options import GROUP as OF_THE_GAME
from oddly.interfaces.command_line.common_options import GameOptions, saved_game
from oddly.interfaces.command_line.declaring import argument, flag, option, options, word_of
from oddly.interfaces.command_line.engine_command import OWN
from oddly.interfaces.command_line.engine_command import run as engine_command
from oddly.interfaces.command_line.errors import (
    BadInputError,
    ExitCode,
    refusing,
    sentence,
    tell_of_known_winners,
)
from oddly.interfaces.gogui.display import game_label
from oddly.interfaces.gogui.preferences import (
    NotInstalledError,
    find_gogui,
    preferences_file,
    quoted,
    update,
)
from oddly.protocol import grid_width
from oddly.referee import ProgramError, find_program
from oddly.referee.program.configuration import split_words

if TYPE_CHECKING:
    from collections.abc import Sequence

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
def run(
    name: str | None = argument(
        "GAME", "a game, or a file with one to go on with", kind=Value(str, lambda: GAMES)
    ),
    *,
    options: GoguiOptions,
    game: GameOptions,
) -> int:
    """Put the program into GoGui's menu, and start GoGui with it. Raises BadInputError."""
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
