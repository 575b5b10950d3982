"""Played games as columns: sixty bytes a game, which become objects when they are looked at."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any, overload

from tournaments.ledger.summaries import engine_name, game_of, outcome_of
from tournaments.results.played_game import PlayedGame
from tournaments.schedule import ScheduledGame, scheduled_id

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from games.game import Game
    from tournaments.schedule import RoundOfGame

HEXADECIMAL = 16
"""The base, and the number of digits, of the id of a scheduled game."""


class _Numbers(dict[tuple[Any, ...], int]):
    """Numbers for the values in rows, and what was made of the values."""

    def __init__(self, make: Callable[..., Any]) -> None:
        super().__init__()
        self._make = make
        self.values_: list[Any] = []

    def __missing__(self, key: tuple[Any, ...]) -> int:
        number = self[key] = len(self.values_)
        self.values_.append(self._make(*key))
        return number


class CompactGames(Sequence[PlayedGame]):
    """The games that count in a ledger, in the order in which they ended.

    `rows` are those of PLAYED. Raises ValueError, KeyError or OverflowError for a row that is no
    game.
    """

    def __init__(self, rows: Iterable[tuple[Any, ...]]) -> None:
        self._kinds, self._pairs = _Numbers(_kind), _Numbers(_pair)
        self._outcomes = _Numbers(outcome_of)
        self._kind, self._pair, self._outcome = array("I"), array("I"), array("I")
        self._round, self._place, self._seed = array("i"), array("i"), array("q")
        self._digest, self._id = array("q"), array("Q")
        self._other_ids: dict[int, str] = {}
        """The ids that are not those of the schedule, by the number of the game."""
        for identity, kind, round_, place, opening, seed, first, second, *end, digest in rows:
            number = _as_number(identity)
            if number is None:
                self._other_ids[len(self._id)] = identity
            self._id.append(number or 0)
            self._kind.append(self._kinds[kind, opening])
            self._pair.append(self._pairs[first, second])
            self._outcome.append(self._outcomes[tuple(end)])
            self._round.append(round_)
            self._place.append(place)
            self._seed.append(seed)
            self._digest.append(digest)

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self._id)

    @overload
    def __getitem__(self, index: int) -> PlayedGame: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PlayedGame]: ...
    def __getitem__(self, index: int | slice) -> PlayedGame | Sequence[PlayedGame]:
        """Return a game, or some."""
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        index = range(len(self))[index]
        game, opening = self._kinds.values_[self._kind[index]]
        first, second = self._pairs.values_[self._pair[index]]
        scheduled = ScheduledGame(
            self._place[index],
            game,
            self._round[index],
            first,
            second,
            self._seed[index],
            self.id_of(index),
            opening,
        )
        outcome = self._outcomes.values_[self._outcome[index]]
        return PlayedGame(scheduled, outcome, self._digest[index])

    def openings(self) -> dict[str, dict[int, tuple[str, ...]]]:
        """Return the openings of the rounds, by the title of the game and the round."""
        found: dict[str, dict[int, tuple[str, ...]]] = {}
        for kind, round_ in sorted(set(zip(self._kind, self._round, strict=True)), reverse=True):
            game, opening = self._kinds.values_[kind]
            if round_ > 0:
                found.setdefault(str(game), {})[round_] = opening
        return found

    def full_rounds(self, pairs: Collection[tuple[str, str]]) -> set[RoundOfGame]:
        """Return the rounds in which each of `pairs` played both ways.

        The ids need not be read: a schedule has no two games with the same seats in a round, so a
        round is full if it has as many games between them.
        """
        wanted = {*pairs, *((other, one) for one, other in pairs)}
        between = [pair in wanted for pair in self._pairs.values_]
        rounds = zip(self._kind, self._round, strict=True)
        counts = Counter(compress(rounds, map(between.__getitem__, self._pair)))
        full = (place for place, games in counts.items() if games == len(wanted))
        found = set()
        for kind, round_ in full:
            game, opening = self._kinds.values_[kind]
            found.add((str(game), round_, opening))
        return found

    def id_of(self, index: int) -> str:
        """Return the id of a game."""
        return self._other_ids.get(index) or f"{self._id[index]:016x}"

    def by_scheduled_id(self) -> Mapping[str, PlayedGame]:
        """Return the games by the ids of the schedule, which one that was replayed has too."""
        return _ByScheduledId(self, self._id, self._other_ids)


class _ByScheduledId(Mapping[str, PlayedGame]):
    """Finds games by bisection in their sorted ids."""

    def __init__(self, games: CompactGames, ids: array[int], other_ids: Mapping[int, str]) -> None:
        self._games = games
        order = sorted(range(len(ids)), key=ids.__getitem__)
        self._order = array("I", order)
        self._ids = array("Q", (ids[index] for index in order))
        self._others = {scheduled_id(identity): index for index, identity in other_ids.items()}

    def _index(self, identity: object) -> int | None:
        if not isinstance(identity, str):
            return None
        if (index := self._others.get(identity)) is not None:
            return index
        if (number := _as_number(identity)) is None:
            return None
        place = bisect_left(self._ids, number)
        if place == len(self._ids) or self._ids[place] != number:
            return None
        index = self._order[place]
        return index if self._games.id_of(index) == identity else None

    def __contains__(self, identity: object) -> bool:
        """Return whether there is such a game."""
        return self._index(identity) is not None

    def __getitem__(self, identity: str) -> PlayedGame:
        """Return the game. Raises KeyError if there is none."""
        if (index := self._index(identity)) is None:
            raise KeyError(identity)
        return self._games[index]

    def __iter__(self) -> Iterator[str]:
        """Yield the ids."""
        return (scheduled_id(self._games.id_of(index)) for index in range(len(self._games)))

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self._games)


def _kind(game: str, opening: str) -> tuple[Game, tuple[str, ...]]:
    return game_of(game), tuple(opening.split())


def _pair(first: object, second: object) -> tuple[str, str]:
    return engine_name(first), engine_name(second)


def _as_number(identity: str) -> int | None:
    """Return the number that an id of the schedule writes; None for another id."""
    try:
        number = int(identity, HEXADECIMAL)
    except ValueError:
        return None
    return number if len(identity) == HEXADECIMAL and identity.isalnum() else None
