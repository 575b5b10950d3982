"""Lists of turns: one game a line, its turns separated by spaces, like files of openings.

What follows `#` is a comment. A comment that names a game, `# odd 5 (board square, min_group 5)`,
says what the lines after it are games of.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from oddly.game_records.kept_game import UNFINISHED, KeptGame, game_without_outcome
from oddly.game_records.lines import game_named, numbered_lines
from oddly.games.colour import Colour
from oddly.games.errors import IllegalTurn
from oddly.games.untrusted_text import one_line
from oddly.protocol.errors import NotationError
from oddly.protocol.notation import parse_turn
from oddly.referee.justice.record import PlayedTurn, RecordError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oddly.games.game import Game

NAMES = {Colour.BLACK: "Black", Colour.WHITE: "White"}
"""The names of the players in a list."""


def read_turn_list(stream: IO[bytes], game: Game | None = None) -> Iterator[KeptGame]:
    """Return the games of a file; `game` is what they are games of until a comment says it.

    Raises RecordError with the line.
    """
    for number, line in numbered_lines(stream):
        turns, _, comment = line.partition("#")
        words = turns.split()
        if not words:
            game = game_named(comment) or game
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
    return game_without_outcome(game, position, played, NAMES)


class TurnListWriter:
    """Writes games as lines of turns, each under a comment, and names the game where it changes."""

    def __init__(self) -> None:
        self._game: Game | None = None

    def __call__(self, kept: KeptGame) -> str:
        """The lines of one game."""
        record = kept.record
        lines = [] if record.game == self._game else [f"# {record.game}"]
        self._game = record.game
        first, second = (one_line(name) for name in record.players)
        outcome = record.outcome
        how = UNFINISHED if outcome.is_void else f"{outcome.score}, {outcome.termination.value}"
        lines.append(f"# {first} - {second}: {how}")
        turns = " ".join(played.turn for played in record.turns)
        return "\n".join([*lines, turns or "# no turns", ""])
