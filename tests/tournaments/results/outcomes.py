"""Finished games made up for the tests of tables."""

from oddly.games import Colour, create_game
from oddly.referee import Outcome, Termination
from oddly.tournaments import PlayedGame
from tests.tournaments.formats.schedules import round_robin

HOSTILE = "\x1b[31m<script>alert(1)</script>|=cmd"


def outcome(winner: int | None, termination: Termination = Termination.DOUBLE_PASS) -> Outcome:
    colour = None if winner is None else (Colour.BLACK, Colour.WHITE)[winner]
    return Outcome(winner, colour, "", termination, "", 10)


SPELLED = {
    "1": outcome(0),
    "2": outcome(1),
    "d": outcome(None, Termination.REPETITION),
    "f": outcome(1, Termination.TIME),
    "v": outcome(None, Termination.VOID),
}


def league(names: list[str], results: str, games: int = 1) -> list[PlayedGame]:
    """A league whose results are spelled, over and over.

    `1` and `2` say who wins, `d` is a draw, `f` a forfeit of the first, `v` a void game.
    """
    boards = [create_game("yodd", 3), create_game("ayu", 5)][:games]
    schedule = round_robin(boards, names, 1, 0)
    return [
        PlayedGame(scheduled, SPELLED[results[index % len(results)]])
        for index, scheduled in enumerate(schedule)
    ]
