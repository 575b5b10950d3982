"""What a study must know about a game: its symmetries, and whether turns may be passes or pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING

from oddly.engines.board_symmetries import symmetries_of_position
from oddly.games import EMPTY, Colour, Drop, Drops, Exchange, Move, Pass, settings_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oddly.games import Game, Turn


@dataclass(frozen=True, slots=True)
class Symmetry:
    """The image of each cell, by index, and whether stones change colour too, as in Odd."""

    to: tuple[int, ...]
    exchanges: bool


@cache
def symmetries_of(game: Game) -> tuple[Symmetry, ...]:
    """Return all symmetries, the identity first. The player to move stays the same."""
    kept = symmetries_of_position(game.start())
    exchanges = (False, True) if game.exchange is Exchange.STONES else (False,)
    return tuple(Symmetry(to, exchange) for exchange in exchanges for to in kept)


def image(game: Game, turn: Turn, symmetry: Symmetry) -> Turn:
    """Return the image of a turn under a symmetry."""
    board = game.board

    def moved(vertex: str) -> str:
        return board.vertices[symmetry.to[board.index[vertex]]]

    if isinstance(turn, Move):
        return Move(moved(turn.origin), moved(turn.destination))
    if isinstance(turn, Drops):
        drops = [
            Drop(drop.colour.other if symmetry.exchanges else drop.colour, moved(drop.vertex))
            for drop in turn.drops
        ]
        return Drops(tuple(drops))
    return turn


def orbit(game: Game, turn: Turn) -> set[Turn]:
    """Return all turns that are the same up to symmetry, `turn` among them."""
    return {image(game, turn, symmetry) for symmetry in symmetries_of(game)}


def first_turn_kinds(game: Game) -> list[frozenset[Turn]]:
    """Return the legal first turns in sets that are the same up to symmetry."""
    found: dict[Turn, frozenset[Turn]] = {}
    for turn in game.start().legal_turns():
        if turn not in found:
            images = frozenset(orbit(game, turn))
            found |= dict.fromkeys(images, images)
    return list(dict.fromkeys(found.values()))


@cache
def stone_images(game: Game) -> tuple[Callable[[Sequence[int]], bytes], ...]:
    """Return for each symmetry a function from stones to their image, as bytes."""
    return tuple(_taker(symmetry) for symmetry in symmetries_of(game))


def _taker(symmetry: Symmetry) -> Callable[[Sequence[int]], bytes]:
    # A permutation and its inverse are both in the group, so either will do.
    take = itemgetter(*symmetry.to)
    swapped = bytes((EMPTY, Colour.WHITE, Colour.BLACK))
    if symmetry.exchanges:
        return lambda stones: bytes(take(stones)).translate(swapped.ljust(256, b"\0"))
    return lambda stones: bytes(take(stones))


def has_passes(game: Game) -> bool:
    """Return whether a player may pass."""
    return Pass in game.turn_kinds


def has_pairs(game: Game) -> bool:
    """Return whether a turn may have two drops; in the games that we know, those with passes."""
    return Drops in game.turn_kinds and has_passes(game)


def short_title(game: Game) -> str:
    """Return a game's title on a page: `Yodd 8`, `Odd 5, threshold 8`, `Ayu 11, pie`."""
    words = [f"{game.title} {game.size}"]
    for name, value in game.settings.items():
        if name == "min_group":
            words.append(f"threshold {value}")
        elif value != settings_of(type(game))[name].default:
            words.append(name if value is True else str(value))
    return ", ".join(words)


def action_words(game: Game) -> str:
    """Return the kinds of actions of a game in words, such as `a drop or a pass`."""
    words = []
    if Drops in game.turn_kinds:
        words.append("a drop")
    if has_pairs(game):
        words.append("the end of a turn that could go on")
    if has_passes(game):
        words.append("a pass")
    if Move in game.turn_kinds:
        words.append("a move")
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
