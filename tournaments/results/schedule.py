"""Scheduled games, also as JSON, with their outcomes and copies.

A game's identity and seed are hashes of what it is (the event, the game with its settings, the pair
of engines, the round, and which of the two opens), never of its place in the list. Adding an engine
renumbers nothing.

Every game counts, but repeats add less certainty: games from one opening, or copies of one game,
form a cluster, see `ratings/clusters.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from oddly.games import Game, create_game

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Hashable, Iterable

    from oddly.referee import GameRecord, Outcome


Opening = tuple[str, ...]
"""Turns in our notation."""


class Book(Protocol):
    """Openings by number."""

    def opening(self, number: int) -> Opening:
        """Return the opening of that number, from 1. There is one for every number."""

    def preparation(self, number: int) -> Callable[[], None] | None:
        """Return a long calculation that `opening` needs; None if none is needed."""


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
"""The book of games without random or listed openings."""

Openings = Mapping["Game", Book]
"""The openings of each game that has any; the opening of a round has the round's number."""

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
    """The turns that are played for both engines, in our notation."""
    options: tuple[GameOptions, GameOptions] = ((), ())
    """Options set for this game alone, for the first player and for the second."""


def key_of(scheduled: ScheduledGame) -> tuple[int, str, str]:
    """Return the key of a game in its contest: its round and who opens."""
    return scheduled.round, scheduled.first, scheduled.second


def begun_by_key(begun: Iterable[ScheduledGame]) -> dict[tuple[int, str, str], ScheduledGame]:
    """Return by their keys the games of a contest that began, as scheduled, without numbers."""
    return {key_of(game): replace(game, number=0, id=scheduled_id(game.id)) for game in begun}


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
    """Return a game's id in the schedule: `0123` for `0123-2`, its second playing."""
    return identity.partition("-")[0]


def replayed_id(identity: str, annulled: Container[str]) -> str:
    """Return the id for playing a game: with a number if earlier playings are annulled."""
    number, found = 1, identity
    while found in annulled:
        number += 1
        found = f"{identity}-{number}"
    return found


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
        number=facts["number"],
        game=create_game(facts["game"], facts["size"], facts["settings"]),
        round=facts["round"],
        first=facts["first"],
        second=facts["second"],
        seed=facts["seed"],
        id=facts["id"],
        opening=tuple(facts["opening"]),
        options=_options(facts.get("options", ({}, {}))),
    )


def _options(found: Any) -> tuple[GameOptions, GameOptions]:  # noqa: ANN401 - JSON
    """Return the options of both players. Raises ValueError if they are invalid."""
    try:
        first, second = (tuple((str(k), str(v)) for k, v in each.items()) for each in found)
    except (AttributeError, TypeError):
        raise ValueError("options of a game are two tables of text") from None
    return first, second


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A scheduled game with its outcome."""

    scheduled: ScheduledGame
    outcome: Outcome
    digest: int = 0
    """Equal for games with the same opening and turns, see `turns_digest`; 0 if unknown."""

    @property
    def points(self) -> tuple[float, float]:
        """The points of the first player and of the second."""
        if self.outcome.is_void:
            return 0.0, 0.0
        if self.outcome.winner is None:
            return 0.5, 0.5
        return (1.0, 0.0) if self.outcome.winner == 0 else (0.0, 1.0)


def turns_digest(record: GameRecord) -> int:
    """Return a 63-bit number that games with the same opening and turns share."""
    words = (str(record.opening), *(turn.turn for turn in record.turns))
    text = " ".join(words).encode("utf-8", "backslashreplace")
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") >> 1


def content(record: GameRecord) -> tuple[object, ...]:
    """Return a key that games of the same players with the same turns share.

    Those with the same winner are copies of each other.
    """
    return record.game, *record.players, turns_digest(record)


def cluster_of(played: PlayedGame) -> Hashable:
    """Return a key that a game shares with those of its engines' games that depend on it.

    This is the opening. Without one, only copies share the key; with unknown turns, it is None.
    """
    if played.scheduled.opening:
        return played.scheduled.opening
    return (played.scheduled.first, played.digest) if played.digest else None


class Repeats:
    """The games so far, as one number each."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def is_new(self, played: PlayedGame) -> bool:
        """Record a game; return whether it is new, and not a copy.

        A game with unknown turns counts as new.
        """
        if not played.digest:
            return True
        scheduled = played.scheduled
        players, winner = (scheduled.first, scheduled.second), played.outcome.winner
        number = hash((scheduled.game, *players, winner, played.digest))
        if number in self._seen:
            return False
        self._seen.add(number)
        return True
