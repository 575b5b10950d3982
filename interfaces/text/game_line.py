"""One finished game as a line of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.untrusted_text import one_line
from oddly.interfaces.text.tables import points_text

if TYPE_CHECKING:
    from oddly.tournaments.results.played_game import PlayedGame


def game_line(played: PlayedGame, games: int | None) -> str:
    """Return a finished game as one line; `games` is how many there are in all, if known."""
    scheduled, outcome = played.scheduled, played.outcome
    number = (
        str(scheduled.number) if games is None else f"{scheduled.number:>{len(str(games))}}/{games}"
    )
    first, second = played.points
    points = "void" if outcome.is_void else f"{points_text(first)}-{points_text(second)}"
    turns = f"{outcome.turns} turn{'s' if outcome.turns != 1 else ''}"
    line = (
        f"{number}  {scheduled.game}  {one_line(scheduled.first)} - {one_line(scheduled.second)}  "
        f"{points}  {outcome.score}  {outcome.termination.value}, {turns}"
    )
    if outcome.is_forfeit or outcome.is_void:
        line += f"  ({one_line(outcome.reason)})"
    if outcome.is_marked:
        line += f"  [the referee was {outcome.lag:.3f} s late]"
    return line
