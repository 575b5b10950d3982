"""Arguments and options that several commands share, above all those that lead to a position.

A game is named; turns, a diagram or a saved game lead to the position.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games import (
    GAMES,
    Board,
    Colour,
    Game,
    IllegalTurn,
    Position,
    Turn,
    create_game,
    one_line,
    read,
    read_setting,
    settings_of,
)
from oddly.games.catalogue import DEFAULT_GAME, OWN_GAMES
from oddly.interfaces.command_line.command import POSITIVE, WHOLE_NUMBER, WORDS, Value
from oddly.interfaces.command_line.declaring import (
    GroupedOption,
    argument,
    collected,
    flag,
    option,
    options,
    word_of,
)
from oddly.interfaces.command_line.errors import BadInputError, UnknownValueError, refusing
from oddly.interfaces.text.tables import DEFAULT_FORMAT, WIDE, table_formats
from oddly.protocol import NotationError, parse_turn
from oddly.protocol.messages import VERTEX

if TYPE_CHECKING:
    import click

    from oddly.game_records import KeptGame
    from oddly.games.settings import SettingInfo


def _table_format(text: str) -> str:
    if text != DEFAULT_FORMAT and text not in table_formats():
        raise UnknownValueError("table format", text, table_formats())
    return text


LEDGER = argument("LEDGER", "the .sqlite file of a tournament")
JSON = flag("print all facts as one JSON object", names="--json")
SEED = option("N", "the seed of everything random", kind=WHOLE_NUMBER, default=0)


@options()
class TableOptions:
    """How tables are printed."""

    format: str = option(
        "NAME",
        "a table format of tabulate, with all columns: github, grid, html, ..., or simple, which "
        "fits the terminal",
        kind=Value(_table_format, table_formats),
        default=DEFAULT_FORMAT,
    )
    wide: bool = flag("print all columns, however narrow the terminal is")

    @property
    def chosen(self) -> str:
        """The chosen format."""
        return WIDE if self.wide and self.format == DEFAULT_FORMAT else self.format


@options("A recorded game, instead of a position")
class RecordOptions:
    """A recorded game, at one of its turns."""

    record: Path | None = option(
        "FILE",
        "a file of games (JSON Lines, SGF, lists of turns, ...), as --records and 'oddly export' "
        "write it",
    )
    line: int | None = option("N", "which game of the file (default: 1)", kind=POSITIVE)
    turn: int | None = option("N", "after how many turns (default: all)", kind=WHOLE_NUMBER)


GROUP = "Game"
OWN = "setting_"
"""The prefix of parameters that are settings."""
ANY_GAME = Value(str, lambda: GAMES)


class GameOption(GroupedOption):
    """`--game`."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the help, with the names of all games."""
        self.help = ", ".join(GAMES)
        return super().get_help_record(ctx)


class SizeOption(GroupedOption):
    """`--size`, which adds an option for each setting."""

    def companions(self, ctx: click.Context) -> list[GroupedOption]:
        """Return the options of settings: those of our games, or of all if that makes a difference.

        Finding the games of other packages takes as long as starting an engine. A setting that is
        named like an option of the command has none.
        """
        words = ctx.meta.get(WORDS, ())
        named = {after for before, after in pairwise(words) if before == "--game"}
        named |= {word.removeprefix("--game=") for word in words if word.startswith("--game=")}
        all_matter = ctx.resilient_parsing or {*words} & {*ctx.help_option_names}
        taken = {word for param in ctx.command.params for word in _words_of(param)}
        found = setting_options(tuple(GAMES) if all_matter or named - {*OWN_GAMES} else OWN_GAMES)
        return [each for each in found if not taken & {*_words_of(each)}]


def _words_of(param: click.Parameter) -> Sequence[str]:
    return (*param.opts, *param.secondary_opts)


@cache
def setting_options(games: tuple[str, ...]) -> list[GroupedOption]:
    """Return an option for each setting that any of these games has."""
    found: dict[str, dict[str, SettingInfo]] = {}
    for name in games:
        for setting, info in settings_of(GAMES[name]).items():
            found.setdefault(setting, {})[name] = info
    return [_setting_option(setting, by_game) for setting, by_game in found.items()]


def _setting_option(setting: str, by_game: Mapping[str, SettingInfo]) -> GroupedOption:
    infos = list(by_game.values())
    word, name = word_of(setting), OWN + setting
    label = infos[0].label
    said = f"{label[:1].lower()}{label[1:]} ({', '.join(GAMES[game].__name__ for game in by_game)})"
    if all(info.kind is bool for info in infos):
        words = f"{word}/--no-{word[2:]}" if any(info.default for info in infos) else word
        return GroupedOption([words, name], is_flag=True, default=None, help=said, group=GROUP)
    choices = list(dict.fromkeys(choice for info in infos for choice in info.choices))
    is_number = all(info.kind is int for info in infos)
    kind = WHOLE_NUMBER if is_number else Value(str, lambda: choices)
    if choices:
        said = f"{said}: {' or '.join(choices)}"
    return GroupedOption([word, name], type=kind, metavar="N" if is_number else "WORD", help=said,
                  group=GROUP)  # fmt: skip


@options(GROUP)
class GameOptions:
    """The options of a game on the command line."""

    game: str | None = option("GAME", kind=ANY_GAME, made=GameOption)
    size: int | None = option(
        "N",
        "cells per edge of a hexhex board, points per side of a square one",
        kind=POSITIVE,
        made=SizeOption,
    )
    settings: Mapping[str, object] = collected(OWN)
    """The settings that are given, by name."""

    @property
    def given(self) -> list[str]:
        """The names of the options that are given."""
        values = {"game": self.game, "size": self.size, **self.settings}
        return [name for name, value in values.items() if value is not None]

    def create(self) -> Game:
        """Return the game. Raises GameError if there is no such game."""
        name = DEFAULT_GAME if self.game is None else self.game
        settings = {
            setting: read_setting(name, setting, value) if isinstance(value, str) else value
            for setting, value in self.settings.items()
        }
        return create_game(name, self.size, settings)

    def create_if_named(self, called: str) -> Game | None:
        """Return the game, or None if none is named.

        Raises GameError, or BadInputError in the name of the subcommand `called` if there are
        settings of a game that is not named.
        """
        if self.game is not None:
            return self.create()
        if self.given:
            raise BadInputError(f"{called}: --size and a game's settings go with --game")
        return None


@options(GROUP)
class NamedGame(GameOptions):
    """The options of a game that must be named."""

    game: str = option("GAME", kind=ANY_GAME, made=GameOption)


POSITION = argument(
    "[DIAGRAM | TURN...]",
    "a file with a diagram as 'oddly show' draws it (- for standard input), "
    "or turns from the start: Bc3 Bd4,We2 pass d4-d5",
)
"""A diagram's file or turns, as trailing words."""


def position_from(options: GameOptions, words: Sequence[str], called: str) -> Position:
    """Return the position of the diagram, or after the turns.

    Raises BadInputError in the name of the subcommand `called`, DiagramError, GameError or
    NotationError.
    """
    if not names_a_diagram(words):
        return play_turns(options.create(), words)
    text = _read_text(words[0], called)
    if options.size is None:
        options = replace(options, size=_size_of(options.create().board, text))
    return read(options.create(), text)


LARGEST_DIAGRAM = 1 << 20


def names_a_diagram(words: Sequence[str]) -> bool:
    """Return whether the words name a file with a diagram, instead of being turns."""
    return len(words) == 1 and not _is_turn(words[0])


def _is_turn(word: str) -> bool:
    try:
        parse_turn(word)
    except NotationError:
        # A lone vertex is a turn that lacks its colour.
        return VERTEX.fullmatch(word.lower()) is not None and not Path(word).is_file()
    return True


def _read_text(name: str, called: str) -> str:
    """Return the text of the file `name`, or of standard input for `-`. Raises BadInputError."""
    try:
        with nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb") as file:
            data = file.read(LARGEST_DIAGRAM + 1)
        if len(data) > LARGEST_DIAGRAM:
            raise BadInputError(f"{called}: {name!r} is longer than {LARGEST_DIAGRAM} bytes")
        return data.decode("utf-8-sig")
    except OSError as error:
        raise BadInputError(
            f"{called}: {name!r} is neither a turn nor a file that can be read: {error.strerror}"
        ) from None
    except UnicodeDecodeError:
        raise BadInputError(f"{called}: {name!r} is not UTF-8 text") from None


def _size_of(board: Board, text: str) -> int:
    """Return the size of the board in a diagram, from the number of its rows."""
    rows = sum(1 for line in text.splitlines() if {".", "X", "O"} & set(line.split()))
    return (rows + 1) // 2 if board.shape == "hexhex" else rows


TURNS = argument("[TURN]...", "turns from the start: Bc3 Bd4,We2 pass d4-d5")
"""The turns that lead to a position, as trailing words."""


def play_turns(game: Game, turns: Iterable[str]) -> Position:
    """Return the position after `turns`.

    Raises NotationError, or BadInputError for an illegal turn and for one without a colour.
    """
    position = game.start()
    for number, text in enumerate(turns, start=1):
        try:
            position = position.play(_turn(game, number, text))
        except IllegalTurn as error:
            raise BadInputError(f"turn {number}, {text}, is illegal: {error.reason}") from None
    return position


def _turn(game: Game, number: int, text: str) -> Turn:
    """Return the turn. Raises NotationError, or BadInputError if only its colour is missing."""
    try:
        return parse_turn(text)
    except NotationError:
        if not (game.start().most_drops and VERTEX.fullmatch(text.lower())):
            raise
    # Its file takes long to import.
    from oddly.interfaces.human_play.sentences import lacks_colour

    raise BadInputError(f"turn {number}, {text}, {lacks_colour(text.lower())}")


def saved_game(command: str, path: Path, game: Game | None = None) -> KeptGame:
    """Return the game in a file; `game` has the rules if the file does not say.

    Raises BadInputError in the name of a subcommand if the file has no game, or several.
    """
    # A bridge or an engine that begins anew has no need of it.
    from oddly.game_records import read_games
    from oddly.referee import RecordError

    name = one_line(str(path))
    with (
        refusing(RecordError, where=f"{command}: {name}"),
        refusing(OSError, where=f"{command}: cannot read {name}"),
    ):
        games = read_games(path, game)
    if len(games) != 1:
        raise BadInputError(
            f"{command}: {name} has {len(games)} games, but only one can go on: "
            f"'oddly convert {name} --folder DIR' makes a file of each"
        )
    return games[0]


def turns_before(command: str, path: Path | None, game: Game) -> Sequence[tuple[Colour, Turn]]:
    """Return the turns of a saved game of `game`; none without a file.

    Raises BadInputError if the file has another game.
    """
    if path is None:
        return ()
    record = saved_game(command, path, game).record
    if record.game != game:
        name = one_line(str(path))
        raise BadInputError(f"{command}: {name} is a game of {record.game}, not of {game}")
    return [(played.colour, parse_turn(played.turn)) for played in record.turns]
