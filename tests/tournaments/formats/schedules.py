"""Schedules that tests play: every pair both ways, and two engines in turn."""

from collections.abc import Sequence

from oddly.games.game import Game
from oddly.tournaments import both_ways
from oddly.tournaments.formats.round_robin import circle_pairs
from oddly.tournaments.results.schedule import ScheduledGame, scheduled


def round_robin(
    games: Sequence[Game], engines: Sequence[str], rounds: int, seed: int, event: str = ""
) -> list[ScheduledGame]:
    """Return a schedule in which every ordered pair of engines plays every game `rounds` times.

    One round is thus a double round robin. Pairs come in the order of the circle method, so that
    no engine waits for long.
    """
    return list(both_ways(games, list(circle_pairs(engines)), rounds, seed, event, {}))


def alternating(
    game: Game, engines: tuple[str, str], number: int, seed: int
) -> list[ScheduledGame]:
    """Return a match of `number` games in which the engines take turns at opening."""
    one, other = engines
    return [
        scheduled(
            index + 1,
            game,
            index // 2 + 1,
            one if index % 2 == 0 else other,
            other if index % 2 == 0 else one,
            seed,
        )
        for index in range(number)
    ]
