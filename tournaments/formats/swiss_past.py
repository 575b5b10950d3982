"""The past of a Swiss: what games that began in earlier runs tell about its rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oddly.tournaments.formats.format import Contest
    from oddly.tournaments.results.schedule import ScheduledGame


class SwissPast:
    """The games that began in earlier runs, and who was retired then. Rounds count from 0."""

    def __init__(self, contest: Contest, pairs: int) -> None:
        self._contest = contest
        self._pairs = pairs

    def has(self, number: int) -> bool:
        """Return whether a game of that round or a later one began."""
        return self._contest.last_round > number * self._pairs

    def since(self, number: int) -> list[ScheduledGame]:
        """Return the games of that round and later ones that began."""
        return [game for game in self._contest.begun if game.round > number * self._pairs]

    def pairs_of(self, number: int, place: Mapping[str, int]) -> list[tuple[str, str]]:
        """Return the pairs of a round whose games began, each engine once, in their places."""
        found: dict[str, str] = {}
        for game in self._contest.begun:
            one, other = sorted((game.first, game.second), key=lambda name: place.get(name, -1))
            are_free = not {one, other} & {*found, *found.values()}
            if self._round_of(game) == number and are_free and {one, other} <= place.keys():
                found[one] = other
        return sorted(found.items(), key=lambda pair: place[pair[0]])

    def at_most(self, number: int) -> set[str]:
        """Return the engines that no ruling kept from that round, as far as that is known."""
        retirements, later = self._contest.retirements, self.since(number + 1)
        out = {*retirements.when(self.since(number))}
        if later:
            # The others left the round before their first game.
            out |= {*retirements.when(later)}
        own = (game for game in self.since(number) if self._round_of(game) == number)
        return {*self._contest.engines} - (out - _names_in(own))

    def present(self, number: int) -> set[str]:
        """Return the engines that a round is for.

        If it is not known when an engine retired, it is not for that engine, unless the engine
        played then or later.
        """
        contest = self._contest
        at_any_time = contest.retired - {*contest.retirements.now}
        return self.at_most(number) - (at_any_time - _names_in(self.since(number)))

    def gave_up(self, scheduled: ScheduledGame) -> bool:
        """Return whether a later round began while an engine in the game was retired."""
        if not self._contest.retirements.by_game:
            return False
        return self._contest.gave_up(scheduled, self.since(self._round_of(scheduled) + 1))

    def winner(self, scheduled: ScheduledGame) -> int:
        """Return who is not retired, or else retired later.

        If that is not known, each engine wins the games in which it is the second player.
        """
        contest, later = self._contest, self.since(self._round_of(scheduled) + 1)
        loser = contest.loser(scheduled.first, scheduled.second, later)
        if loser is not None:
            return int(loser == scheduled.first)
        # The one that played later stayed longer.
        first, second = (
            max(
                (game.round for game in contest.begun if name in (game.first, game.second)),
                default=0,
            )
            for name in (scheduled.first, scheduled.second)
        )
        return int(first <= second)

    def _round_of(self, scheduled: ScheduledGame) -> int:
        return (scheduled.round - 1) // self._pairs


def _names_in(games: Iterable[ScheduledGame]) -> set[str]:
    """Return the engines that play in these games."""
    return {name for game in games for name in (game.first, game.second)}
