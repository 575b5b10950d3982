"""The record of a game that people play, finished or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.game_records.kept_game import UNFINISHED
from oddly.referee.justice.outcome import Outcome, Termination, score_without_count
from oddly.referee.justice.record import GameRecord, PlayedTurn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.interfaces.human_play.game_in_progress import GameInProgress


AGREED = "the players agreed on a draw"


def played_turns(current: GameInProgress, seconds: Sequence[float]) -> tuple[PlayedTurn, ...]:
    """Return the turns with their colours and the seconds they took."""
    return tuple(
        PlayedTurn(colour, str(turn), spent)
        for (colour, turn), spent in zip(current.played, seconds, strict=True)
    )


def record_of(
    current: GameInProgress,
    players: tuple[str, str],
    engines: tuple[str, str],
    seconds: Sequence[float],
    seed: int | None = None,
) -> GameRecord:
    """Return the record of a game between `players`, the one who opened first.

    `engines` are the names that the programs give themselves, empty for humans, and `seconds` the
    times of the turns. A game that is not over is void.
    """
    turns = played_turns(current, seconds)
    return GameRecord(current.game, players, engines, seed, turns, _outcome(current, players))


def _outcome(current: GameInProgress, players: tuple[str, str]) -> Outcome:
    number = len(current.turns)
    if not current.is_over:
        return Outcome(None, None, "void", Termination.VOID, UNFINISHED, number)
    if current.agreed:
        return Outcome(None, None, "0", Termination.AGREEMENT, AGREED, number)
    colour = current.winner
    winner = None
    if colour is not None:
        winner = current.mover if colour is current.to_move else 1 - current.mover
    if current.resigned is not None and colour is not None and winner is not None:
        how = Termination.TIME if current.on_time else Termination.RESIGNATION
        did = "lost on time" if current.on_time else "resigned"
        score = score_without_count(colour, how)
        return Outcome(winner, colour, score, how, f"{players[1 - winner]}: {did}", number)
    result = current.position.result
    if result is None:
        raise RuntimeError("a game without a result is not over")
    termination = Termination[result.ending.name]
    return Outcome(winner, colour, str(result), termination, result.ending.value, number)
