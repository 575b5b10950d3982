"""Who plays whom, in which game, with which colours: pure, reproducible, and as JSON.

A game's identity and seed are hashes of what it is (the event, the game with its settings, the pair
of engines, the round, and which of the two opens), never of its place in the list. Adding an engine
renumbers nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from oddly.games.catalogue import create_game

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from oddly.games.game import Game


Opening = tuple[str, ...]
"""Turns in our notation."""


class Book(Protocol):
    """Openings by number."""

    def opening(self, number: int) -> Opening:
        """Return the opening of that number, from 1. There is one for every number."""

    def preparation(self, number: int) -> Callable[[], None] | None:
        """Return a long calculation that `opening` needs; None if there is none."""


@dataclass(frozen=True, slots=True)
class ListedOpenings:
    """Openings that are all known; after the last, the first comes again."""

    openings: Sequence[Opening] = ((),)

    def opening(self, number: int) -> Opening:
        """Return the opening of that number, from 1."""
        return self.openings[(number - 1) % len(self.openings)]

    def preparation(self, number: int) -> None:
        """Return None: all are known."""
        return


NO_OPENINGS = ListedOpenings()
"""Games begin at their start."""

Openings = Mapping["Game", Book]
"""The openings of each game that has any; those of a round have its number."""

RoundOfGame = tuple[str, int, Opening]
"""The title of a game, the number of the round, and the opening of its games."""

GameOptions = tuple[tuple[str, str], ...]
"""Names of an engine's options with their values."""


@dataclass(frozen=True, slots=True)
class ScheduledGame:
    """One game to be played. `first` opens as Black; `number` counts from 1 in playing order."""

    number: int
    game: Game
    round: int
    first: str
    second: str
    seed: int
    id: str
    opening: tuple[str, ...] = ()
    """The turns that are played for both engines before they play, in our notation."""
    options: tuple[GameOptions, GameOptions] = ((), ())
    """What is set for this game alone, for the first player and for the second."""


def key_of(scheduled: ScheduledGame) -> tuple[int, str, str]:
    """Return what distinguishes a game in its contest: its round and who opens."""
    return scheduled.round, scheduled.first, scheduled.second


def begun_by_key(begun: Iterable[ScheduledGame]) -> dict[tuple[int, str, str], ScheduledGame]:
    """Return the games of a contest that began, as they were scheduled, by their keys."""
    return {key_of(game): replace(game, id=scheduled_id(game.id)) for game in begun}


def pairs_of(format_: str, engines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Return the pairs that meet: all, or in a gauntlet the first with each other engine."""
    if format_ == "gauntlet":
        return ((engines[0], other) for other in engines[1:])
    return circle_pairs(engines)


def both_ways(
    games: Sequence[Game],
    pairs: Sequence[tuple[str, str]],
    rounds: int,
    seed: int,
    event: str,
    openings: Openings,
    full_rounds: AbstractSet[RoundOfGame] = frozenset(),
) -> Iterator[ScheduledGame]:
    """Yield a schedule in which each pair plays every game in both seats `rounds` times.

    In each round all pairs have the same opening. The games of `full_rounds` are left out.
    """
    number = 0
    for number_of_round in range(1, rounds + 1):
        for game in games:
            opening = openings.get(game, NO_OPENINGS).opening(number_of_round)
            if (str(game), number_of_round, opening) in full_rounds:
                number += 2 * len(pairs)
                continue
            for one, other in pairs:
                for first, second in ((one, other), (other, one)):
                    number += 1
                    place = number_of_round, first, second
                    yield scheduled(number, game, *place, seed, event, opening)


@lru_cache(maxsize=64)
def _begun_hash(event: str, seed: int, game: Game, opening: Opening) -> hashlib._Hash:
    """Return the hash over what the games of a round have in common."""
    return hashlib.sha256("\0".join((event, str(seed), str(game), " ".join(opening))).encode())


def scheduled(
    number: int,
    game: Game,
    round_: int,
    first: str,
    second: str,
    seed: int,
    event: str = "",
    opening: Opening = (),
) -> ScheduledGame:
    """Return a game with its id and its seed."""
    one, other = sorted((first, second))
    leg = "1" if first == one else "2"
    hasher = _begun_hash(event, seed, game, opening).copy()
    hasher.update(f"\0{one}\0{other}\0{round_}\0{leg}".encode())
    digest = hasher.digest()
    game_seed = int.from_bytes(digest[:6], "big")
    name = digest.hex()[:16]
    return ScheduledGame(number, game, round_, first, second, game_seed, name, opening)


def scheduled_id(identity: str) -> str:
    """Return the id by which the schedule knows a game: `0123` for `0123-2`, its second playing."""
    return identity.partition("-")[0]


def replayed_id(identity: str, annulled: Container[str]) -> str:
    """Return the id under which a game is played: with a number if earlier ones are annulled."""
    number, found = 1, identity
    while found in annulled:
        number += 1
        found = f"{identity}-{number}"
    return found


def circle_pairs(engines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield every unordered pair once, in the rounds of the circle method.

    One engine stays, the others move round it; with an odd number, one has no game in each round.
    """
    seats: list[str | None] = [*engines, *([None] if len(engines) % 2 else [])]
    for _ in range(len(seats) - 1):
        for index in range(len(seats) // 2):
            one, other = seats[index], seats[-1 - index]
            if one is not None and other is not None:
                yield one, other
        seats.insert(1, seats.pop())


def scheduled_facts(scheduled: ScheduledGame) -> dict[str, Any]:
    """Return the values that `scheduled_from` turns back into the game."""
    return {
        "number": scheduled.number,
        "game": scheduled.game.name,
        "size": scheduled.game.size,
        "settings": dict(scheduled.game.settings),
        "round": scheduled.round,
        "first": scheduled.first,
        "second": scheduled.second,
        "seed": scheduled.seed,
        "id": scheduled.id,
        "opening": list(scheduled.opening),
        **(
            {"options": [dict(each) for each in scheduled.options]}
            if any(scheduled.options)
            else {}
        ),
    }


def scheduled_from(facts: Mapping[str, Any]) -> ScheduledGame:
    """Return the game of these values. Raises ValueError or KeyError if they are invalid."""
    return ScheduledGame(
        facts["number"],
        create_game(facts["game"], facts["size"], facts["settings"]),
        facts["round"],
        facts["first"],
        facts["second"],
        facts["seed"],
        facts["id"],
        tuple(facts["opening"]),
        _options(facts.get("options", ({}, {}))),
    )


def _options(found: Any) -> tuple[GameOptions, GameOptions]:  # noqa: ANN401 - JSON
    """Return the options of both players. Raises ValueError if they are invalid."""
    try:
        first, second = (tuple((str(k), str(v)) for k, v in each.items()) for each in found)
    except (AttributeError, TypeError):
        raise ValueError("options of a game are two tables of text") from None
    return first, second
