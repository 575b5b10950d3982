"""Games as plain values for a page that plays them through without knowing the rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from oddly.games import IllegalTurn, Parity, one_line, xml_text
from oddly.games.drawing.geometry import geometry_of
from oddly.interfaces.viewer.recorded_game import black_lead, recorded_game, stones_text
from oddly.protocol import NotationError, parse_turn
from oddly.referee import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oddly.games import Game, Position
    from oddly.referee import GameRecord


@dataclass(slots=True)
class Replays:
    """Games with what they share: boards by number, and sentences by number."""

    boards: list[Game] = field(default_factory=list)
    games: list[dict[str, Any]] = field(default_factory=list)
    sentences: dict[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return plain values.

        `says[i]` is the number of the sentence after turn i, and `leads[i]` Black's lead then, null
        where nobody leads.
        """
        return {
            "boards": [
                {
                    "title": str(game),
                    "geometry": geometry_of(game.board.shape, game.board.size).as_json(),
                    "start": stones_text(game.start().stones),
                }
                for game in self.boards
            ],
            "games": self.games,
            "sentences": list(self.sentences),
        }


def replays(records: Iterable[tuple[str, GameRecord]]) -> Replays:
    """Return the games in this order. Raises RecordError for one whose turns are not legal."""
    found = Replays()
    for identity, record in records:
        if record.game not in found.boards:
            found.boards.append(record.game)
        board = found.boards.index(record.game)
        try:
            game = _game(record, found)
        except (IllegalTurn, NotationError) as error:
            raise RecordError(f"game {one_line(identity)}: {one_line(str(error))}") from None
        found.games.append({"id": xml_text(identity), "board": board, **game})
    return found


def _game(record: GameRecord, found: Replays) -> dict[str, Any]:
    """Return one game. Raises IllegalTurn or NotationError if its turns are not legal."""
    position = record.game.start()
    says = [_number(found, statement(position))]
    leads = [black_lead(record.game, position.group_counts)]
    for played in record.turns:
        position = position.play(parse_turn(played.turn))
        says.append(_number(found, statement(position)))
        leads.append(black_lead(record.game, position.group_counts))
    return {**recorded_game(record), "says": says, "leads": leads}


def _number(found: Replays, sentence: str) -> int:
    return found.sentences.setdefault(sentence, len(found.sentences))


def statement(position: Position) -> str:
    """Return the counts of a position: `3 black + 2 white = 5 groups, odd`.

    Where parity decides the game, the sentence says who is ahead; where it means nothing, it has
    the counts alone.
    """
    game, (black, white) = position.game, position.group_counts
    total = black + white
    parity = "odd" if total % 2 else "even"
    if game.parity is Parity.WINS:
        side = "Black" if total % 2 else "White"
        verb = "wins" if position.is_over else "would win a full board"
        which = (game.counting or f"{game.counted}s").capitalize()
        return f"{which}: {black} black + {white} white = {total}, {parity}: {side} {verb}"
    if game.parity is Parity.NOTHING:
        words = game.counted if black == 1 else f"{game.counted}s"
        return f"{black} black {words}, {white} white {game.counted}{'' if white == 1 else 's'}"
    if total == 0:
        return f"No {game.counted}s yet"
    said = f"{black} black + {white} white = {game.counted_words(total)}, {parity}"
    result = position.result
    if result is not None and result.winner is not None:
        return f"{said}: {str(result.winner).capitalize()} has fewer and wins"
    return said
