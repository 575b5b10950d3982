"""Openings: the first turns of games, which are played for both engines so that games differ.

They come from a file, or are random: balanced, all different, drawn in a separate process, and
endless. Random ones follow from the tournament's seed, the game and their number, so an added round
or engine changes none of them. A number means the same opening in every run: openings already
played come from the ledger.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from functools import partial
from random import Random
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from oddly.games import (
    DropPosition,
    Game,
    IllegalTurn,
    Pass,
    Position,
    Swap,
    create_game,
    random_turn,
)
from oddly.games.catalogue import is_in_catalogue
from oddly.games.legal_turns import black_share as plain_black_share
from oddly.games.wording import counted
from oddly.protocol import NotationError, parse_turn
from oddly.tournaments.results.schedule import Book, ListedOpenings, Opening

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from oddly.tournaments.formats.tournament import Tournament

    PlayedOpenings = Mapping[str, Mapping[int, Opening]]


BALANCED = (0.45, 0.55)
"""An opening is kept if Black's share of wins in random games lies between these two."""

PLAYOUTS = 500
"""Random games for one opening: Black's share then has a standard deviation of 2.2 %."""

FIRST_PLAYOUTS = 100
"""Random games after which an opening that is far from balanced is dropped."""

FAR = 0.2
"""The distance from 1/2 that counts as far: three standard deviations beyond balanced."""

PLAIN_EFFORT = 60_000
"""Without a kernel, the random games for one opening times the square of the number of cells."""

MAX_ATTEMPTS = 200
"""Candidates of one length that are tried for one opening."""

DEFAULT_TURNS = 2
"""The default number of turns of an opening."""

BATCH, MAX_BATCH = 8, 100
"""How many openings another process draws in one go, at first and at most."""

AHEAD = 4
"""How many openings are drawn ahead."""


class OpeningsError(ValueError):
    """Openings cannot be read or found. The message is one sentence with the place."""


class RandomOpenings:
    """The openings of one game, of `turns` turns each.

    When openings of that length run out, as on the smallest boards, the next are longer; when none
    is left at all, the first comes again. With `begins_plain` the first is empty, so a run can
    begin before anything is drawn; if none is balanced, all are empty.
    """

    def __init__(
        self,
        game: Game,
        turns: int,
        seed: int,
        known: Mapping[int, Opening] | None = None,
        *,
        begins_plain: bool = False,
    ) -> None:
        self.game = game
        self.turns = turns
        self.seed = seed
        self.begins_plain = begins_plain
        self._known = {number - begins_plain: turns for number, turns in (known or {}).items()}
        self._drawn: list[Opening] = []
        self._seen: set[int] = set()
        self._length = turns
        self._are_all_drawn = False
        self._none_is_balanced = False
        self._batch = BATCH
        self._lock = Lock()
        self._drawing: Thread | None = None
        self._take_known()

    def opening(self, number: int) -> Opening:
        """Return the opening of a number, from 1; some of the next are drawn meanwhile.

        Raises OpeningsError if there is no balanced opening of that length.
        """
        if self.begins_plain:
            if number == 1:
                return ()
            number -= 1
            self._prepare(number)
            if self._none_is_balanced:
                return ()
        self._draw(number)
        if len(self._drawn) < number + AHEAD and not self._are_all_drawn:
            self._draw_meanwhile(number + AHEAD)
        return self._drawn[(number - 1) % len(self._drawn)]

    def preparation(self, number: int) -> Callable[[], None] | None:
        """Return the function that draws the opening of a number; None if it has been drawn.

        If many before it are missing, one call draws only the first of them.
        """
        place = number - self.begins_plain
        return None if self._is_ready(place) else partial(self._prepare_batch, place)

    def drawn(self, number: int) -> DrawnOpenings:
        """Return the first `number` openings, or all there are. Raises OpeningsError."""
        self._draw(number)
        return DrawnOpenings(self._drawn, self._are_all_drawn)

    def _is_ready(self, place: int) -> bool:
        """Return whether no opening must be drawn up to this number."""
        return len(self._drawn) >= place or self._are_all_drawn or self._none_is_balanced

    def _prepare(self, place: int) -> None:
        """Have openings drawn up to this number and beyond, or record that there are none."""
        while not self._is_ready(place):
            self._prepare_batch(place)

    def _prepare_batch(self, place: int) -> None:
        """Have the next openings drawn, unless this number is ready, or record that none exist."""
        with self._lock:
            if self._is_ready(place):
                return
            known = self._known | dict(enumerate(self._drawn, start=1))
            number = len(self._drawn) + self._batch
            self._batch = min(MAX_BATCH, 2 * self._batch)
            found = draw_in_child(self.game, self.turns, self.seed, known, number)
            if found is not None:
                for opening in found.openings[len(self._drawn) :]:
                    self._take(opening)
                self._are_all_drawn = found.are_all
                self._none_is_balanced = not self._drawn
                return
        try:
            self._draw(min(place, number))
        except OpeningsError:
            self._none_is_balanced = True

    def _take_known(self) -> None:
        """Take the next openings as long as they are known and can be played."""
        while _after(self.game, known := self._known.get(len(self._drawn) + 1, ())) is not None:
            if self._drawn and known == self._drawn[0]:
                # The openings had run out, and began again.
                self._are_all_drawn = True
                return
            self._take(known)

    def _take(self, opening: Opening) -> None:
        """Add an opening that was drawn elsewhere, so that it is not drawn again here."""
        self._drawn.append(opening)
        if (position := _after(self.game, opening)) is not None:
            self._seen.add(_identity(position))
        self._length = max(self._length, len(opening))

    def _draw_meanwhile(self, number: int) -> None:
        """Draw openings in a thread. The kernels release Python's lock, so games continue."""
        draw = self._prepare if self.begins_plain else self._draw
        if self._drawing is None or not self._drawing.is_alive():
            self._drawing = Thread(target=draw, args=(number,), daemon=True)
            self._drawing.start()

    def _draw(self, number: int) -> None:
        """Draw the openings up to this number, unless none is left."""
        while len(self._drawn) < number and not self._are_all_drawn:
            with self._lock:
                self._take_known()
                if len(self._drawn) >= number or self._are_all_drawn:
                    return
                new = self._next()
                if new is None:
                    self._are_all_drawn = True
                else:
                    self._drawn.append(new)

    def _next(self) -> Opening | None:
        """Return the next opening; None if none is left."""
        number = len(self._drawn) + 1
        random = Random(f"{self.seed} {self.game} {number}")
        longest = self._length if number == 1 else len(self.game.board)
        for length in range(self._length, longest + 1):
            for _ in range(MAX_ATTEMPTS):
                found = _random_turns(self.game, length, random)
                if found is None or _identity(found[1]) in self._seen:
                    continue
                # Balance does not change, so a position that fails is not tried again.
                self._seen.add(_identity(found[1]))
                if is_balanced(found[1], self.seed):
                    self._length = length
                    return found[0]
        if number == 1:
            of_turns, instead = counted(self.turns, "turn"), "fewer turns"
            if self.turns == 1:
                of_turns, instead = "1 turn", "more turns, or for none"
            raise OpeningsError(
                f"{self.game}: no balanced opening of {of_turns} in {MAX_ATTEMPTS} attempts with "
                f"the seed {self.seed}: ask for {instead}, or take another seed"
            )
        return None


def drawn_by_child(facts: Mapping[str, Any]) -> DrawnOpenings:
    """Return the openings for `draw_in_child`; an empty, complete list if none is balanced."""
    game = create_game(facts["game"], facts["size"], facts["settings"])
    known = {number: tuple(opening) for number, opening in facts["known"]}
    try:
        return RandomOpenings(game, facts["turns"], facts["seed"], known).drawn(facts["number"])
    except OpeningsError:
        return DrawnOpenings([], are_all=True)


def is_balanced(position: Position, seed: int) -> bool:
    """Return whether Black wins about half of the random games from a position."""
    from oddly.engines import HAS_NUMBA, has_kernel
    from oddly.engines.kernels.interface import black_share

    start = DropPosition(position)
    least, most = BALANCED
    if not (HAS_NUMBA and has_kernel(position.game)):
        playouts = max(4, PLAIN_EFFORT // len(position.game.board) ** 2)
        room = 0.5 / math.sqrt(playouts)
        plain_share = plain_black_share(start, playouts, seed)
        return least - room <= plain_share <= most + room
    if abs(black_share(start, FIRST_PLAYOUTS, seed) - 0.5) > FAR:
        return False
    share = black_share(start, PLAYOUTS, seed)
    return least <= share <= most


def _after(game: Game, opening: Opening) -> Position | None:
    """Return the position after an opening; None without one, or if it cannot be played."""
    position = game.start()
    try:
        for turn in opening:
            position = position.play(parse_turn(turn))
    except (IllegalTurn, NotationError):
        return None
    return position if opening and not position.is_over else None


def _random_turns(game: Game, turns: int, random: Random) -> tuple[Opening, Position] | None:
    """Return random turns other than passes and swaps; None if the game ends or has no others."""
    played: list[str] = []
    position = game.start()
    for _ in range(10 * turns):
        turn = random_turn(position, random)
        if isinstance(turn, Pass | Swap):
            continue
        position = position.play(turn)
        if position.is_over:
            return None
        played.append(str(turn))
        if len(played) == turns:
            return tuple(played), position
    return None


def _identity(position: Position) -> int:
    """Return a key that two openings share if they lead to the same position."""
    return hash((bytes(position.stones), position.to_move))


PROGRAM = """
import gc, json, os, sys, threading; gc.disable()
facts = json.loads(sys.stdin.readline())
threading.Thread(target=lambda: os._exit(len(os.read(0, 1))), daemon=True).start()
sys.path[:] = facts["path"]
from oddly.tournaments.openings.openings import drawn_by_child
print(json.dumps(drawn_by_child(facts))); gc.freeze()
"""
"""What another process does. It ends with its input, and before there is much garbage."""


class DrawnOpenings(NamedTuple):
    """The first openings of a game."""

    openings: Sequence[Opening]
    are_all: bool
    """Whether there are no others."""


def draw_in_child(
    game: Game, turns: int, seed: int, known: Mapping[int, Opening], number: int
) -> DrawnOpenings | None:
    """Return the first `number` openings, drawn by another process; None if it could not.

    The `known` openings, by number, are not drawn again.
    """
    if not is_in_catalogue(game):
        return None
    facts = {
        "path": sys.path,
        "game": game.name,
        "size": game.size,
        "settings": dict(game.settings),
        "turns": turns,
        "seed": seed,
        "known": list(known.items()),
        "number": number,
    }
    try:
        with subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        ) as child:
            print(json.dumps(facts), file=child.stdin, flush=True)
            openings, are_all = json.loads("".join(child.stdout or ()))
            return DrawnOpenings([tuple(opening) for opening in openings], are_all)
    except (OSError, TypeError, ValueError):
        return None


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
        lines = path.read_text(encoding="utf-8-sig").splitlines()
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
