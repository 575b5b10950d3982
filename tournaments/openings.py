"""Openings: the first turns of games, which are played for both engines so that games differ.

Random ones follow from the tournament's seed, the game and the round, so that another round or
another engine changes none of the others.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from games.drop_level import DropPosition
from games.errors import IllegalTurn
from games.sampling import random_turn
from games.turns import Pass, Swap
from protocol.errors import NotationError
from protocol.notation import parse_turn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from games.game import Game, Position
    from games.turns import Turn
    from tournaments.schedule import Opening
    from tournaments.tournament import Tournament

BALANCED = (0.45, 0.55)
"""An opening is kept if Black wins a share of random games between these two."""

PLAYOUTS = 2_000
"""Random games for one opening: Black's share then has a standard deviation of 1.1 %."""

MAX_ATTEMPTS = 200


class OpeningsError(ValueError):
    """Openings cannot be read or found. The message is one sentence with the place."""


def openings_of(tournament: Tournament) -> dict[Game, tuple[Opening, ...]]:
    """Return the openings of every game that has any.

    Raises OpeningsError if too few balanced openings can be found.
    """
    return {
        **tournament.openings,
        **{
            game: random_openings(game, turns, tournament.format.openings, tournament.seed)
            for game, turns in tournament.opening_turns.items()
        },
    }


def random_openings(game: Game, turns: int, rounds: int, seed: int) -> tuple[Opening, ...]:
    """Return a balanced opening of `turns` turns for each round.

    Raises OpeningsError if too few can be found.
    """
    return tuple(_random_opening(game, turns, seed, number) for number in range(1, rounds + 1))


def _random_opening(game: Game, turns: int, seed: int, number: int) -> Opening:
    random = Random(f"{seed} {game} {number}")
    for _ in range(MAX_ATTEMPTS):
        found = _random_turns(game, turns, random)
        if found is not None and _is_balanced(*found, seed):
            return tuple(map(str, found[0]))
    raise OpeningsError(
        f"{game}: no balanced opening of {turns} turns in {MAX_ATTEMPTS} attempts: "
        "ask for fewer turns"
    )


def _random_turns(game: Game, turns: int, random: Random) -> tuple[list[Turn], Position] | None:
    """Return random turns other than passes and swaps; None if the game ends or has no others."""
    played: list[Turn] = []
    position = game.start()
    for _ in range(10 * turns):
        turn = random_turn(position, random)
        if isinstance(turn, Pass | Swap):
            continue
        position = position.play(turn)
        if position.is_over:
            return None
        played.append(turn)
        if len(played) == turns:
            return played, position
    return None


def _is_balanced(_turns: list[Turn], position: Position, seed: int) -> bool:
    from engines.kernels.estimate import black_share

    least, most = BALANCED
    return least <= black_share(DropPosition(position), PLAYOUTS, seed) <= most


def read_openings(path: Path, game: Game) -> tuple[Opening, ...]:
    """Return the openings of a file: one a line, its turns separated by spaces.

    Empty lines and what follows `#` are skipped. Raises OpeningsError if the file cannot be read or
    has an illegal turn.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise OpeningsError(f"cannot read openings from {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise OpeningsError(f"{path} is not UTF-8 text, at byte {error.start}") from None
    found = tuple(_read_lines(path, game, lines))
    if not found:
        raise OpeningsError(f"{path} has no openings: a line of turns for each is expected")
    return found


def _read_lines(path: Path, game: Game, lines: list[str]) -> Iterator[Opening]:
    for number, line in enumerate(lines, start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        position, opening = game.start(), []
        for word in words:
            try:
                turn = parse_turn(word)
                position = position.play(turn)
            except (NotationError, IllegalTurn) as error:
                raise OpeningsError(f"{path}:{number}: {word!r}: {error}") from None
            opening.append(str(turn))
        if position.is_over:
            raise OpeningsError(f"{path}:{number}: the game is over after this opening")
        yield tuple(opening)
