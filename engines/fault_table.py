"""Which fault can be committed at which moment, and the ruling that a referee owes it."""

from __future__ import annotations

from oddly.engines.faults import AT_A_COMMAND, AT_THE_START
from oddly.games.errors import Illegality

MOMENTS = ("handshake", "first", "middle", "quit")
HARMLESS = "harmless"
"""The ruling on a fault that does not decide the game."""

ILLEGAL: dict[str, Illegality | None] = {
    "illegal-occupied": Illegality.OCCUPIED,
    "illegal-off-board": Illegality.OFF_BOARD,
    "illegal-count": Illegality.DROP_COUNT,
    "illegal-first-turn": Illegality.FIRST_TURN,
    "illegal-parity": Illegality.PARITY,
    "illegal-kind": Illegality.WRONG_KIND,
    "illegal-twice": Illegality.SAME_VERTEX,
    "illegal-no-piece": Illegality.NO_PIECE,
    "illegal-colour": Illegality.WRONG_PIECE,
    "illegal-distance": Illegality.NOT_ADJACENT,
    "illegal-split": Illegality.SPLITS_GROUP,
    "illegal-away": Illegality.NOT_CLOSER,
    "illegal-swap": Illegality.NO_SWAP,
    "illegal-malformed": None,
}
"""Faults that are a turn against one rule, or (None) no turn at all."""

LIES = {"missing-command": "list_commands", "wrong-version": "protocol_version"}
"""Faults that are a false answer to one command."""


_IS_GONE = ("crash", "killed", "leave", "answer-and-leave", "close-stdout")
_IS_SILENT = ("hang", "busy", "stopped", "drip", "half-reply", "late")
_IS_DEAF = ("close-stdin", "fill-stdin", "ignore-quit")
_IS_NO_REPLY = ("endless-lines", "endless-line", "long-line", "binary", "garbage", "refuse")
_IS_OUT_OF_STEP = ("wrong-id", "no-id", "twice", "unrequested")
_AT_THE_START = {
    "exit-at-start": "crash",
    "hang-at-start": "no start",
    "greet-at-start": "protocol",
    "slow-start": HARMLESS,
}


def _rulings(fault: str) -> dict[str, str]:
    """Return the rulings on one fault, by moment."""
    if fault in _AT_THE_START:
        return {"handshake": _AT_THE_START[fault]}
    if fault in LIES:
        return {"handshake": "protocol"}
    if fault == "illegal-first-turn":
        return {"first": "illegal turn"}
    if fault in ILLEGAL:
        return {"first": "illegal turn", "middle": "illegal turn"}
    if fault in _IS_GONE:
        handshake = in_the_game = "crash"
    elif fault in _IS_SILENT or fault in _IS_DEAF:
        handshake, in_the_game = "no start", "time"
    elif fault in _IS_NO_REPLY or fault in _IS_OUT_OF_STEP:
        # An engine that refuses to tell its version of GTP may play all the same.
        handshake, in_the_game = HARMLESS if fault == "refuse" else "protocol", "protocol"
    else:
        handshake = in_the_game = HARMLESS
    return dict(zip(MOMENTS, (handshake, in_the_game, in_the_game, HARMLESS), strict=True))


RULINGS: dict[str, dict[str, str]] = {
    fault: _rulings(fault) for fault in (*AT_A_COMMAND, *AT_THE_START, *LIES, *ILLEGAL)
}
"""By fault and moment: how the game must end, or HARMLESS. A moment that is missing is none."""


def listing() -> str:
    """All faults with their rulings, a table for people."""
    rows = [["fault", *MOMENTS, "what it does"]]
    for fault, rulings in RULINGS.items():
        rows.append([fault, *(rulings.get(moment, "") for moment in MOMENTS), meaning(fault)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join(lines)


def meaning(fault: str) -> str:
    """Return what a fault is, in a few words."""
    if fault in ILLEGAL:
        illegality = ILLEGAL[fault]
        return f"an illegal turn: {illegality.value if illegality else 'malformed'}"
    if fault in LIES:
        return f"a false answer to {LIES[fault]}"
    if fault in AT_THE_START:
        return f"before the first command: {_summary(AT_THE_START[fault].__doc__)}"
    return _summary(AT_A_COMMAND[fault].__doc__)


def _summary(docstring: str | None) -> str:
    text = (docstring or "").strip().removesuffix(".")
    return text[:1].lower() + text[1:]
