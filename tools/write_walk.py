"""`python tools/write_walk.py` writes the walk of one turn into docs/explanation/architecture.md.

The line numbers are those of the functions named here, so a test notices when one has moved.
"""

from __future__ import annotations

import argparse
import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "explanation" / "architecture.md"
BEGIN, END = "<!-- walk -->\n", "<!-- end of the walk -->\n"
STEPS = (
    (
        "referee/program/process.py",
        "EngineProcess.receive_nowait",
        "takes the bytes that the engine wrote from its pipe; `receive` waits for them.",
    ),
    (
        "referee/conversation/player.py",
        "Player._receive",
        "tells the `Deadline` when they arrived.",
    ),
    (
        "referee/conversation/player.py",
        "Player._answer",
        "reads the usual answer with one regular expression; `ReplyDecoder.feed` reads any other.",
    ),
    (
        "referee/conversation/player.py",
        "Player.generate",
        "has the deadline ruled on, and returns the answer as text.",
    ),
    (
        "referee/justice/legality.py",
        "rule_on",
        "reads the text as a turn, and plays it by the rules of `games/`.",
    ),
    (
        "referee/match/game.py",
        "MatchGame.play",
        "asks for turns until the game ends; `_record` makes the game a `GameRecord`.",
    ),
    (
        "tournaments/run/runner.py",
        "_Scheduler.play",
        "gets the record from the executor, and has it kept.",
    ),
    (
        "tournaments/run/recording.py",
        "RecordQueue.keep",
        "tells the observers, of which `LedgerRecorder` is the first.",
    ),
    (
        "tournaments/ledger/store.py",
        "Ledger.add",
        "inserts the row. When it returns, the game is on the disk.",
    ),
)
"""Where the walk stops: the file, the function, and what it does."""


def line_of(file: str, name: str) -> int:
    """Return the line where a function begins. Raises LookupError if there is none of that name."""
    body = ast.parse((ROOT / file).read_text(encoding="utf-8")).body
    *classes, function = name.split(".")
    for wanted in classes:
        body = next(
            node.body for node in body if isinstance(node, ast.ClassDef) and node.name == wanted
        )
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == function:
            return node.lineno
    raise LookupError(f"{file} has no {name}")


def walk() -> str:
    """Return the walk as Markdown."""
    return "".join(
        f"{number}. `{file}:{line_of(file, name)}`: `{name}` {what}\n"
        for number, (file, name, what) in enumerate(STEPS, start=1)
    )


def with_walk(page: str) -> str:
    """Return the page with the walk as it is now. Raises ValueError if the page has no place."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{PAGE} has no {BEGIN.strip()} and {END.strip()}")
    return before + begin + walk() + end + after


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    PAGE.write_text(with_walk(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
