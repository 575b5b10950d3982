"""Played games as columns of sixty bytes a game, made into objects on access."""

from __future__ import annotations

import re
import sys
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import compress, islice
from typing import TYPE_CHECKING, Any, overload

from oddly.tournaments.ledger.summaries import engine_name, game_of, outcome_of
from oddly.tournaments.results.schedule import PlayedGame, RoundOfGame, ScheduledGame, scheduled_id

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from oddly.games import Game

HEXADECIMAL = 16
"""The base, and the number of digits, of the id of a scheduled game."""

SCHEDULED_IDS = re.compile("[0-9a-f]*")

ROWS_AT_ONCE = 4096


class _Numbers(dict[tuple[Any, ...], int]):
    """Numbers the values in rows, and keeps the object made of each."""

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

    `rows` are those of PLAYED. Raises ValueError, KeyError or OverflowError for a row that is not
    a game.
    """

    def __init__(self, rows: Iterable[tuple[Any, ...]]) -> None:
        self._kinds, self._pairs = _Numbers(_kind), _Numbers(_pair)
        self._outcomes = _Numbers(outcome_of)
        self._kind, self._pair, self._outcome = array("I"), array("I"), array("I")
        self._round, self._place, self._seed = array("i"), array("i"), array("q")
        self._digest, self._id = array("q"), array("Q")
        self._other_ids: dict[int, str] = {}
        """The ids that are not from the schedule, by the number of the game."""
        for columns in _columns(rows):
            self._extend(columns)

    def _extend(self, columns: Iterable[tuple[Any, ...]]) -> None:
        """Append the columns of some rows."""
        identities, kinds, rounds, places, openings, seeds, first, second, *end = columns
        *outcomes, digests = end
        self._extend_ids(identities)
        self._kind.extend(map(self._kinds.__getitem__, zip(kinds, openings, strict=True)))
        self._pair.extend(map(self._pairs.__getitem__, zip(first, second, strict=True)))
        self._outcome.extend(map(self._outcomes.__getitem__, zip(*outcomes, strict=True)))
        self._round.extend(rounds)
        self._place.extend(places)
        self._seed.extend(seeds)
        self._digest.extend(digests)

    def _extend_ids(self, identities: tuple[str, ...]) -> None:
        """Append ids as numbers, and keep those that are not from the schedule as text."""
        if (ids := _all_as_numbers(identities)) is not None:
            self._id.frombytes(ids)
            return
        for identity in identities:
            number = _as_number(identity)
            if number is None:
                self._other_ids[len(self._id)] = identity
            self._id.append(number or 0)

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
        """Return the rounds in which each of `pairs` played in both seats.

        The ids need not be read: no two games of a round have the same seats, so a round is full if
        it has the right number of games between `pairs`.
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
        other = self._other_ids.get(index)
        return f"{self._id[index]:016x}" if other is None else other

    def by_scheduled_id(
        self, full_rounds: AbstractSet[RoundOfGame] = frozenset()
    ) -> Mapping[str, PlayedGame]:
        """Return the games by their ids in the schedule, replayed games included.

        Games of `full_rounds` may be missing: a schedule may leave them out.
        """
        full = {
            (kind, round_)
            for kind, (game, opening) in enumerate(self._kinds.values_)
            for title, round_, of_round in full_rounds
            if (title, of_round) == (str(game), opening)
        }
        rounds = zip(self._kind, self._round, strict=True)
        found = [index for index, place in enumerate(rounds) if place not in full]
        return _ByScheduledId(self, self._id, self._other_ids, found)


class _ByScheduledId(Mapping[str, PlayedGame]):
    """Finds games by bisection in their sorted ids."""

    def __init__(
        self,
        games: CompactGames,
        ids: array[int],
        other_ids: Mapping[int, str],
        found: Iterable[int],
    ) -> None:
        self._games = games
        order = sorted(found, key=ids.__getitem__)
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
        """Yield the ids, in the order in which the games ended."""
        return (scheduled_id(self._games.id_of(index)) for index in sorted(self._order))

    def __len__(self) -> int:
        """Return the number of games that can be found."""
        return len(self._order)


def _kind(game: str, opening: str) -> tuple[Game, tuple[str, ...]]:
    return game_of(game), tuple(opening.split())


def _pair(first: object, second: object) -> tuple[str, str]:
    return engine_name(first), engine_name(second)


def _columns(rows: Iterable[tuple[Any, ...]]) -> Iterator[Iterator[tuple[Any, ...]]]:
    """Yield the columns of some thousand rows at a time, because loops in Python are slow."""
    rows = iter(rows)
    while some := list(islice(rows, ROWS_AT_ONCE)):
        yield zip(*some, strict=True)


def _all_as_numbers(identities: tuple[str, ...]) -> bytes | None:
    """Return the ids as unsigned numbers of 8 bytes; None if one has another form."""
    text = "".join(identities)
    if set(map(len, identities)) != {HEXADECIMAL} or not SCHEDULED_IDS.fullmatch(text):
        return None
    numbers = array("Q", bytes.fromhex(text))
    if sys.byteorder == "little":
        numbers.byteswap()
    return numbers.tobytes()


def _as_number(identity: str) -> int | None:
    """Return the number that an id of the schedule stands for; None for any other id."""
    is_scheduled = len(identity) == HEXADECIMAL and SCHEDULED_IDS.fullmatch(identity)
    return int(identity, HEXADECIMAL) if is_scheduled else None
