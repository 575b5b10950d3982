"""One game a line: lists of turns, and JSON Lines as `--records` and `oddly export` write them.

A `#` begins a comment. A comment that names a game, `# odd 5 (board square, min_group 5)`, gives
the game of the lines after it.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from typing import IO, TYPE_CHECKING

from oddly.game_records.kept_game import (
    UNFINISHED,
    KeptGame,
    game_named,
    game_without_outcome,
    json_text,
)
from oddly.games import Colour, Game, IllegalTurn, one_line
from oddly.protocol import NotationError, parse_turn
from oddly.referee import PlayedTurn, RecordError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oddly.game_records.kept_game import Notice


PLAYER_NAMES = {Colour.BLACK: "Black", Colour.WHITE: "White"}
"""The names of the players in a list."""


def read_turn_list(
    stream: IO[bytes], game: Game | None = None, notice: Notice | None = None
) -> Iterator[KeptGame]:
    """Return the games of a file; `game` is their game until a comment names one.

    `notice` is called with what else the file holds, in a sentence after the last game.

    Raises RecordError with the line.
    """
    has_comments = False
    for number, line in numbered_lines(stream):
        turns, _, comment = line.partition("#")
        words = turns.split()
        named = None if words else game_named(comment)
        has_comments = has_comments or (named is None and bool(comment.strip()))
        if not words:
            game = named or game
        elif game is None:
            raise RecordError(
                f"line {number}: nothing says what game this is: "
                "name it with --game, or in a comment above, as in '# yodd 8'"
            )
        else:
            try:
                yield _read_turns(game, words)
            except RecordError as error:
                raise RecordError(f"line {number}, {error}") from None
    if has_comments and notice is not None:
        notice("the comments of this file are left out, with the names and results in them")


def _read_turns(game: Game, words: Sequence[str]) -> KeptGame:
    position, played = game.start(), []
    for number, word in enumerate(words, start=1):
        try:
            turn = parse_turn(word)
            after = position.play(turn)
        except (NotationError, IllegalTurn) as error:
            raise RecordError(f"turn {number}, {one_line(word)}: {error}") from None
        played.append(PlayedTurn(position.to_move, str(turn), 0.0))
        position = after
    return game_without_outcome(game, position, played, PLAYER_NAMES)


class TurnListWriter:
    """Writes games as lines of turns, each under a comment, and names the game where it changes."""

    def __init__(self) -> None:
        self._game: Game | None = None

    def __call__(self, kept: KeptGame) -> str:
        """Return the lines of one game."""
        record = kept.record
        lines = [] if record.game == self._game else [f"# {record.game}"]
        self._game = record.game
        first, second = (one_line(name) for name in record.players)
        outcome = record.outcome
        score = one_line(outcome.score)
        how = UNFINISHED if outcome.is_void else f"{score}, {outcome.termination.value}"
        lines.append(f"# {first} - {second}: {how}")
        turns = " ".join(one_line(played.turn) for played in record.turns)
        return "\n".join([*lines, turns or "# no turns", ""])


def read_json_lines(
    stream: IO[bytes], _game: Game | None = None, _notice: Notice | None = None
) -> Iterator[KeptGame]:
    """Return the games of a file. Raises RecordError with the line."""
    for number, line in numbered_lines(stream):
        if line.strip():
            try:
                yield KeptGame.read(line)
            except RecordError as error:
                raise RecordError(f"line {number}: {error}") from None


MAX_LINE_LENGTH = 1 << 20
"""In bytes: ten times the longest game on the largest board."""


def json_line(game: KeptGame) -> str:
    """Return the line of one game, in ASCII unless it would be too long to be read.

    Raises RecordError for text that is not Unicode, and for a line that is too long.
    """
    facts = game.as_json()
    line = json_text(facts) + "\n"
    if len(line) > MAX_LINE_LENGTH:
        line = json_text(facts, is_ascii=False) + "\n"
        if len(line.encode()) > MAX_LINE_LENGTH:
            raise RecordError(f"its line is longer than {MAX_LINE_LENGTH >> 20} MiB")
    return line


def numbered_lines(stream: IO[bytes]) -> Iterator[tuple[int, str]]:
    """Return the numbered lines as text. Raises RecordError for a line that cannot be read."""
    number = 0
    while line := stream.readline(MAX_LINE_LENGTH + 1):
        number += 1
        if len(line) > MAX_LINE_LENGTH:
            raise RecordError(f"line {number} is longer than {MAX_LINE_LENGTH >> 20} MiB")
        try:
            yield number, line.removeprefix(BOM_UTF8).decode()
        except UnicodeDecodeError as error:
            raise RecordError(
                f"line {number} is not UTF-8 text, at byte {error.start + 1}"
            ) from None
