"""A tournament: its format, its games and its engines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from oddly.tournaments.executors.playing_settings import PlayingSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oddly.games.game import Game
    from oddly.referee.program.configuration import EngineConfiguration
    from oddly.tournaments.formats.format import Format
    from oddly.tournaments.results.schedule import Opening


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """A tournament as its file describes it."""

    name: str
    """Decides the seeds of games, together with `seed`; empty for a match."""
    format: Format
    games: tuple[Game, ...]
    engines: tuple[EngineConfiguration, ...]
    """Their names differ."""
    seed: int = 0
    """Decides all that is left to chance."""
    inactive: frozenset[str] = frozenset()
    """The names of the engines that get no games; their programs need not exist."""
    settings: PlayingSettings = field(default_factory=PlayingSettings)
    opening_turns: Mapping[Game, int] = field(default_factory=dict)
    """The number of turns of random openings, for games that have them."""
    begins_plain: bool = False
    """Whether the games of the first round begin at their start, before any random opening."""
    openings: Mapping[Game, tuple[Opening, ...]] = field(default_factory=dict)
    """Openings from files."""
