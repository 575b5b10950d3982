"""Openings: the first turns of games, which are played for both engines so that games differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games import IllegalTurn
from oddly.protocol import NotationError, parse_turn
from oddly.tournaments.openings.random_openings import OpeningsError, RandomOpenings
from oddly.tournaments.results.schedule import ListedOpenings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from oddly.games import Game
    from oddly.tournaments.formats.tournament import Tournament
    from oddly.tournaments.results.schedule import Book, Opening

    PlayedOpenings = Mapping[str, Mapping[int, Opening]]


def openings_of(tournament: Tournament, played: PlayedOpenings | None = None) -> dict[Game, Book]:
    """Return the openings of every game that has any.

    `played` has the openings of earlier runs, by the title of the game and their number.

    Raises OpeningsError if there is no balanced opening of that length.
    """
    drawn = {
        game: RandomOpenings(
            game,
            turns,
            tournament.seed,
            (played or {}).get(str(game)),
            begins_plain=tournament.begins_plain,
        )
        for game, turns in tournament.opening_turns.items()
    }
    for book in drawn.values():
        book.opening(1)
    return {**{game: ListedOpenings(known) for game, known in tournament.openings.items()}, **drawn}


def read_openings(path: Path, game: Game) -> tuple[Opening, ...]:
    """Return the openings of a file: one a line, its turns separated by spaces.

    Empty lines and everything after `#` are skipped. Raises OpeningsError if the file cannot be
    read or has an illegal turn.
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
