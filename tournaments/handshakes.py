"""Engines that say who they are before a tournament is made, and then wait for its first games."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import trio

from oddly.referee.conversation.player import Player
from oddly.referee.justice.ruling import import_grammar
from oddly.referee.match.pool import SelfDescription, introduce
from oddly.tournaments.executor import isolation_of, under
from oddly.tournaments.playing_settings import PlayingSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from oddly.games.game import Game
    from oddly.referee.program.configuration import EngineConfiguration
    from oddly.tournaments.tournament import Tournament


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A tournament that is made when its engines have said who they are.

    Those that are `asked` play under the names they give themselves. `make` gets the engines, and
    whether each has an option `seed`.
    """

    engines: tuple[EngineConfiguration, ...]
    asked: tuple[bool, ...]
    games: tuple[Game, ...]
    make: Callable[[Sequence[EngineConfiguration], Sequence[bool]], Tournament]
    settings: PlayingSettings


@dataclass(frozen=True, slots=True)
class Handshakes:
    """What engines have said of themselves."""

    engines: tuple[EngineConfiguration, ...]
    """The engines under their names."""
    have_seeds: tuple[bool, ...]
    """Whether each has an option `seed`."""
    waiting: Mapping[str, Player]
    """Those that run and wait, by name."""


@asynccontextmanager
async def handshakes(
    engines: Sequence[EngineConfiguration],
    asked: Sequence[bool],
    settings: PlayingSettings | None = None,
) -> AsyncIterator[Handshakes]:
    """Ask engines who they are, all at once; leaving the `async with` block stops them.

    Those that are `asked` come under the names they give themselves. Engines of one name, all of
    them asked, are numbered: #1 and #2. They are run as `settings` say, and may play at once.
    Raises IsolationError if they cannot be isolated as they must be.
    """
    settings = settings or PlayingSettings()
    conditions = settings.conditions()
    run_as = [under(conditions, engine) for engine in engines]
    isolation_of(run_as)
    players = [Player(engine, conditions.limits) for engine in run_as]
    async with trio.open_nursery() as background:
        try:
            said = await _ask_all(players, background)
            named = _named(engines, asked, said)
            waiting = {
                engine.name: player
                for engine, player, each in zip(named, players, said, strict=True)
                if each.is_ready
            }
            yield Handshakes(named, tuple(each.has_seed for each in said), waiting)
        finally:
            with trio.CancelScope(shield=True):
                async with trio.open_nursery() as nursery:
                    for player in players:
                        nursery.start_soon(player.stop)


async def _ask_all(players: Sequence[Player], background: trio.Nursery) -> list[SelfDescription]:
    """Return what the engines say of themselves."""
    said = [SelfDescription()] * len(players)

    async def ask(place: int) -> None:
        said[place] = await introduce(players[place], background)

    async with trio.open_nursery() as nursery:
        for place in range(len(players)):
            nursery.start_soon(ask, place)
        # The first game needs it, and there is time for it now.
        nursery.start_soon(import_grammar)
    return said


def _named(
    engines: Sequence[EngineConfiguration],
    asked: Sequence[bool],
    said: Sequence[SelfDescription],
) -> tuple[EngineConfiguration, ...]:
    """Return the engines under the names that they play by."""
    names = [
        (each.name or engine.name) if wanted else engine.name
        for engine, each, wanted in zip(engines, said, asked, strict=True)
    ]
    if all(asked) and len(set(names)) < len(names):
        names = [f"{name} #{number}" for number, name in enumerate(names, start=1)]
    return tuple(
        replace(engine, name=name, was_stuck=each.was_stuck)
        for engine, name, each in zip(engines, names, said, strict=True)
    )
