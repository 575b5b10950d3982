"""Which mutants are found: by `oddly check`, and by the vectors where it finds nothing."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from oddly.games import create_game
from oddly.referee import CheckOptions, check_engine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.referee import StepResult
    from tools.mutation.mutants import Mutant

ROOT = Path(__file__).parents[2]
FULL = ROOT / "examples" / "python" / "full.py"
WHOLE = Path(__file__).parent / "whole.py"
VECTORS = ROOT / "tools" / "vectors"
SIZES = {"yodd": 3, "xodd": 4, "odd": 3, "ayu": 5}
"""Boards that are asked for; the steps try others of their own accord."""
MAX_LISTED = 400
MAX_CELLS = 60


@dataclass(frozen=True, slots=True)
class Found:
    """What found a mutant: the name of a step, or a line of the vectors; empty if nothing did."""

    mutant: Mutant
    by_check: str
    by_vectors: str = ""
    unmarked: int = 0
    """How many failed steps of the check follow from no earlier one."""


def make_engine(folder: Path, mutant: Mutant | None) -> tuple[str, ...]:
    """Write an engine into a folder and return its command line; the good one without a mutant.

    Raises ValueError if the mutant's text is not found.
    """
    texts = {"full.py": FULL.read_text("utf-8"), "whole.py": WHOLE.read_text("utf-8")}
    if mutant:
        name = next((name for name, text in texts.items() if mutant.old in text), None)
        if name is None:
            raise ValueError(f"mutant {mutant.name!r}: its text is not in the engine")
        texts[name] = texts[name].replace(mutant.old, mutant.new, 1)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return sys.executable, str(folder / "whole.py")


def step_that_finds(command: Sequence[str], games: Sequence[str]) -> str:
    """Return the first step that fails in one of these games, or ""."""
    return next((result.step.name for result in failures(command, games, until_failure=True)), "")


def failures(
    command: Sequence[str], games: Sequence[str], *, until_failure: bool = False
) -> list[StepResult]:
    """Return the steps that fail in the first of these games in which any does."""
    for name in games:
        game = create_game(name, SIZES[name])
        options = CheckOptions(games=4, timeout=8.0, budget=600.0, until_failure=until_failure)
        report = trio.run(check_engine, command, game, options, lambda _: None)
        if failed := [result for result in report.results if result.verdict == "fail"]:
            return failed
    return []


def vector_that_finds(command: Sequence[str], games: Sequence[str]) -> str:
    """Return the first line of the vectors that an engine has wrong, or ""."""
    for file in ("notation", "positions", "illegal", "games"):
        text = (VECTORS / f"{file}.jsonl").read_text(encoding="ascii")
        for number, line in enumerate(text.splitlines(), start=1):
            facts = json.loads(line)
            if facts.get("game", games[0]) not in games or facts.get("legal_count", 0) > MAX_LISTED:
                continue
            if facts.get("size", 0) ** 2 > MAX_CELLS:
                continue
            if not is_right(command, file, facts):
                return f"{file}.jsonl line {number}"
    return ""


def is_right(command: Sequence[str], file: str, facts: dict[str, object]) -> bool:
    """Ask an engine about a line of the vectors; return whether it agrees."""
    if file == "notation":
        lines = ["set_game yodd", "boardsize 13", f"play b {facts['text']}"]
        expected = "? syntax error" if facts["kind"] in ("malformed", "resign") else "?="
        reply = replies(command, lines)[-1]
        return reply.startswith(expected) if expected != "?=" else "syntax" not in reply
    settings = {"odd": f" board {facts['board']} min_group {facts['min_group']}"}
    settings["ayu"] = f" pie {str(facts['pie']).lower()}"
    game = str(facts["game"])
    lines = [f"set_game {game}{settings.get(game, '')}", f"boardsize {facts['size']}"]
    player = "b"
    for turn in str(facts["turns"]).split():
        lines.append(f"play {player} {turn}")
        player = player if turn == "swap" else "bw"[player == "b"]
    set_up = len(lines)
    if file == "illegal":
        lines.append(f"play {facts['colour']} {facts['turn']}")
        *before, last = replies(command, lines)
        return set(before) == {"="} and last.startswith("? illegal move")
    if file == "games":
        told = replies(command, [*lines, "final_score"])
        return set(told[:-1]) == {"="} and told[-1] == f"= {facts['result']}"
    told = replies(command, [*lines, "group_counts", "final_score", "legal_turns"])
    counts, score, legal = told[set_up:]
    right = f"= {facts['result']}" if facts["result"] else "? game is not over"
    return (
        set(told[:set_up]) == {"="}
        and counts == f"= {facts['black_groups']} {facts['white_groups']}"
        and score == right
        and sorted(legal[1:].split()) == sorted(str(facts["legal"]).split())
    )


def replies(command: Sequence[str], lines: Sequence[str]) -> list[str]:
    """Return the replies to commands that are sent in one write."""
    text = "\n".join([*lines, "quit", ""])
    done = subprocess.run(
        command, input=text, text=True, capture_output=True, timeout=60, check=False
    )
    told = done.stdout.removesuffix("\n\n").split("\n\n")
    return [*told, *["nothing"] * len(lines)][: len(lines)]


def find(mutant: Mutant, *, until_failure: bool = False) -> Found:
    """Return what finds a mutant; with `until_failure` only the first step that does."""
    with tempfile.TemporaryDirectory() as folder:
        command = make_engine(Path(folder), mutant)
        failed = failures(command, mutant.games, until_failure=until_failure)
        by_check = failed[0].step.name if failed else ""
        by_vectors = "" if failed else vector_that_finds(command, mutant.games)
    unmarked = sum(not result.follows_from for result in failed)
    return Found(mutant, by_check, by_vectors, unmarked)
