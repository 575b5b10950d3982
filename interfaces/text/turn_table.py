"""The turns of a recorded game as a table, with the evaluations of their players."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oddly.games import one_line
from oddly.games.wording import counted
from oddly.interfaces.text.tables import DEFAULT_FORMAT, aligned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.referee import GameRecord, PlayedTurn

COLUMNS = ("", "played", "by", "s", "Black wins", "Black leads", "depth", "visits")
ALWAYS = 3
"""Columns that are shown even without values."""


def turn_table(record: GameRecord, turns: int | None = None) -> str:
    """Return the first turns of a game as a table; win rate and lead are from Black's view."""
    played = record.turns[:turns]
    rows = [_row(number, turn, record) for number, turn in enumerate(played, start=1)]
    kept = [
        column
        for column in range(len(COLUMNS))
        if column < ALWAYS or any(row[column] for row in rows)
    ]
    return aligned(
        [[row[column] for column in kept] for row in rows],
        [COLUMNS[column] for column in kept],
        DEFAULT_FORMAT,
    )


def record_line(record: GameRecord) -> str:
    """Return one line on a recorded game: its rules, its players and how it ended."""
    first, second = (one_line(name) for name in record.players)
    ended = one_line(record.outcome.result_text)
    return f"{record.game}: {first} - {second}, {ended}, {counted(len(record.turns), 'turn')}"


def turn_facts(turns: Sequence[PlayedTurn]) -> list[dict[str, Any]]:
    """Return the turns as plain values for JSON; unknown values are null."""
    return [
        {
            "number": number,
            "player": str(turn.colour),
            "turn": turn.turn,
            "seconds": round(turn.seconds, 6),
            "black_win_rate": _rounded(turn.black_win_rate, 4),
            "black_lead": _rounded(turn.black_lead, 2),
            "evaluation": turn.evaluation.as_json() if turn.evaluation else None,
        }
        for number, turn in enumerate(turns, start=1)
    ]


def _row(number: int, turn: PlayedTurn, record: GameRecord) -> list[str]:
    evaluation = turn.evaluation
    rate, lead = turn.black_win_rate, turn.black_lead
    is_opening = number <= record.opening
    return [
        str(number),
        turn.turn,
        "opening" if is_opening else str(turn.colour).capitalize(),
        f"{turn.seconds:.3f}" if turn.seconds else "",
        "" if rate is None else f"{100 * rate:.1f} %",
        "" if lead is None else f"{lead:+.2f}",
        "" if evaluation is None or evaluation.depth is None else str(evaluation.depth),
        "" if evaluation is None or evaluation.visits is None else str(evaluation.visits),
    ]


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
