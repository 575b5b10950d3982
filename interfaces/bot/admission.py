"""Which challenges are accepted: the games that engines play, how many, and with which clocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from oddly.games import Game
    from oddly.interfaces.bot.opening_hours import OpeningHours
    from oddly.interfaces.bot.site_view import ListedGame
    from oddly.interfaces.bot.webhooks import Challenge, TurnRequest

UNLISTED = 3600.0
"""Seconds for which an accepted challenge counts as a game, unless the site lists its game."""
ENOUGH = 60.0
"""Seconds after which an accepted challenge is among the games that the site lists."""


@dataclass
class Admission:
    """Decides about challenges. `games` are ours, as the site listed them last."""

    plays: Callable[[Game], bool]
    per_opponent: int | None = None
    in_all: int | None = None
    hours: OpeningHours | None = None
    games: tuple[ListedGame, ...] = ()
    _accepted: list[tuple[float, tuple[str, ...]]] = field(default_factory=list)

    def objection(self, asked: Challenge | TurnRequest, now: float) -> str | None:
        """Return why a challenge is declined, or a turn cannot be thought about; None if neither.

        `now` is in Unix seconds.
        """
        if not self.plays(asked.game):
            return f"no engine here plays {asked.game}"
        challengers = getattr(asked, "challengers", None)
        if challengers is None:
            return None
        self._accepted = [each for each in self._accepted if each[0] > now - UNLISTED]
        running = len(self.games) + len(self._accepted)
        if self.in_all is not None and running >= self.in_all:
            return f"{running} games are enough"
        if self.per_opponent is not None:
            for opponent in challengers:
                count = sum(opponent in others for others in self._opponents())
                if count >= self.per_opponent:
                    return f"{count} games with one opponent are enough"
        if self.hours is not None and asked.hours is not None:
            closure = self.hours.longest_closure
            if asked.hours < closure:
                return f"a clock of {asked.hours:g} h: engines rest for up to {closure:g} h"
        return None

    def accept(self, challenge: Challenge, now: float) -> None:
        """Count a game that the site does not list yet."""
        self._accepted.append((now, challenge.challengers))

    def learn(self, games: Iterable[ListedGame], asked: float) -> None:
        """Learn which games the site lists, when it was asked at a Unix second."""
        self.games = tuple(games)
        self._accepted = [each for each in self._accepted if each[0] > asked - ENOUGH]

    def has_gone_on(self, request: TurnRequest) -> bool:
        """Return whether the site listed the game with more turns than a late message has."""
        return any(
            game.gameid == request.gameid and game.plies > request.plies for game in self.games
        )

    def _opponents(self) -> Iterable[tuple[str, ...]]:
        yield from (game.opponents for game in self.games)
        yield from (challengers for _, challengers in self._accepted)
