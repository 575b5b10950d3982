"""`python -m tools.gpu`: solve Odd and Xodd on boards up to 5x5, and keep what was counted.

It needs CuPy, and for Xodd on 5x5 a GPU with 100 GB of memory.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from tools.gpu.solving import BLACK, Blocks, Solved, solve

RESULTS = Path(__file__).parent / "results.json"
SIDES = (3, 4, 5)


def vertex(blocks: Blocks, cell: int) -> str:
    """Return the name of a cell."""
    return f"{'abcdefghij'[cell % blocks.side]}{cell // blocks.side + 1}"


def facts(game: str, blocks: Blocks, solved: Solved) -> dict[str, Any]:
    """Return what is kept of a board. Lists have an entry for each number of stones from 0."""
    good = 0 if game == "odd" else 1
    by_stones = solved.counts[::-1].tolist()
    turns = [
        ("B" if colour == BLACK else "W") + vertex(blocks, cell)
        for (cell, colour), bit in sorted(solved.first_stones.items())
        if bit == good
    ]
    kept: dict[str, Any] = {
        "winner": "Black" if solved.start else "White",
        "winning_first_turns": turns,
    }
    if game == "odd":
        return kept | {"mover_wins": [row[0] for row in by_stones]}
    return kept | {
        "ends_of_turns": [row[0] for row in by_stones],
        "mover_loses": [row[1] for row in by_stones],
    }


def main() -> None:
    """Solve all boards, and write the results."""
    parser = argparse.ArgumentParser(prog="python -m tools.gpu", description=__doc__)
    parser.add_argument(
        "file", type=Path, nargs="?", default=RESULTS, help="where they are written"
    )
    target = parser.parse_args().file
    found: dict[str, Any] = {}
    for side in SIDES:
        blocks = Blocks(side)
        for group in range(1, blocks.cells // 2 + 2):
            began = time.monotonic()
            found[f"odd {side} {group}"] = facts("odd", blocks, solve("odd", blocks, group))
            print(
                f"Odd {side}x{side}, groups of {group}: {time.monotonic() - began:.1f} s",
                flush=True,
            )
        began = time.monotonic()
        found[f"xodd {side}"] = facts("xodd", blocks, solve("xodd", blocks))
        print(f"Xodd {side}: {time.monotonic() - began:.1f} s", flush=True)
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(each)}" for name, each in found.items())
    target.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
