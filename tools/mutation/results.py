"""The results of the last run, in a file and in docs/how-to/check-an-engine.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results.json"
DOCS = Path(__file__).parents[2] / "docs" / "how-to" / "check-an-engine.md"
KIT = Path(__file__).parents[2] / "referee" / "check" / "mutation_score.py"
BEGIN, END = "<!-- mutation score -->\n", "<!-- end of the mutation score -->\n"
REASONS = {
    "a repeated position with either player to move": (
        "No game is known in which the stones come back with the other player to move."
    ),
    "the starting position does not count as occurred": (
        "No move of Ayu leads back to the start, where all units are single pieces."
    ),
}
"""Why a mutant survives that does."""

MISNAMED = frozenset(
    (
        "hexhex neighbours on the other diagonal",
        "neighbours wrap around the edge of a square board",
        "stones at the start of Ayu exchanged",
        "Ayu's starting pattern on the other points",
        "rows are numbered from the top",
        "the threshold counts in all games",
        "the last cell is forgotten in counting",
        "boardsize forgets the threshold",
        "boardsize forgets the pie rule",
        "clear_board forgets the settings",
        "Black is to move after a swap",
        "a swap may come twice",
    )
)
"""Mutants whose first failure tells of something else than what is wrong, as people read it."""
FEW = 3
"""The most failures that should follow from no earlier one."""
Results = dict[str, dict[str, Any]]


def write(results: Results) -> None:
    """Keep results, and write their section of the docs."""
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    found = sum(bool(each["check"]) for each in results.values())
    head = KIT.read_text(encoding="utf-8").partition("MUTANTS =")[0]
    KIT.write_text(f"{head}MUTANTS = {len(results)}\nFOUND = {found}\n", encoding="utf-8")
    write_section(BEGIN, section(results), END)


def write_section(begin: str, section: str, end: str) -> None:
    """Write a section of the docs anew, between its marks."""
    before, rest = DOCS.read_text(encoding="utf-8").split(begin)
    DOCS.write_text(before + begin + section + end + rest.split(end)[1], encoding="utf-8")


def section(results: Results) -> str:
    """Return the section of docs/how-to/check-an-engine.md, without its marks."""
    check = sum(bool(each["check"]) for each in results.values())
    both = sum(bool(each["check"] or each["vectors"]) for each in results.values())
    total = len(results)
    named = sum(bool(each["check"]) for name, each in results.items() if name not in MISNAMED)
    few = sum(0 < each["unmarked"] <= FEW for each in results.values())
    lines = [
        f"Of {total} mutants `oddly check` finds {check} ({100 * check / total:.1f} %).",
        f"With the vectors {both} are found ({100 * both / total:.1f} %).",
        f"For {named} of them ({100 * named / check:.1f} %) the first failure says what is wrong,",
        f"and {few} ({100 * few / check:.1f} %) have at most {FEW} failures that follow from none.",
        "",
    ]
    missed = [name for name, each in results.items() if not each["check"]]
    if missed:
        lines += ["| missed by `check` | and by the vectors | because |", "| --- | --- | --- |"]
    for name in missed:
        vectors = results[name]["vectors"]
        lines.append(f"| {name} | {vectors or 'yes'} | {REASONS.get(name, '')} |")
    return "\n".join(lines) + "\n"


def read() -> Results:
    """Return the results of the last run."""
    kept: Results = json.loads(RESULTS.read_text(encoding="utf-8"))
    return kept
