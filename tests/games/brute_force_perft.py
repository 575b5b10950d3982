"""Perft by brute force, and the script that writes `tests/data/perft/`.

Run `python -m tests.games.brute_force_perft` at the top of the tree to write the files again.
Each line of a file is one case: what was counted, and the counts for depth 1, 2 and so on. For a
new case, add a line with as many noughts as counts are wanted.
"""

import json
from pathlib import Path

from tests.games.brute_force import Naive, NaiveOddGroups, drops_of, start

FOLDER = Path(__file__).parent.parent / "data" / "perft"


def actions(position: Naive, drops: tuple[str, ...] = ()) -> list[str]:
    """Every legal action when `drops` were made in this turn: drops, `end`, `pass`, moves, `swap`.

    A drop is legal only if some legal turn contains it and the drops before it.
    """
    found: dict[str, None] = {}
    for turn in position.legal_turns:
        if "-" in turn or turn in ("pass", "swap"):
            if not drops:
                found[turn] = None
        elif set(drops) <= set(drops_of(turn)):
            left = [drop for drop in drops_of(turn) if drop not in drops]
            found.update(dict.fromkeys(left or ["end"]))
    return list(found)


def act(position: Naive, drops: tuple[str, ...], action: str) -> tuple[Naive, tuple[str, ...]]:
    """The position after an action, and the drops made so far in the turn."""
    if "-" in action or action in ("pass", "swap"):
        return position.play(action), ()
    if action != "end":
        drops = (*drops, action)
        most = 2 if isinstance(position, NaiveOddGroups) and position.stones else 1
        if len(drops) < most:
            return position, drops
    in_order = sorted(drops, key=lambda drop: (int(drop[2:]), drop[1]))
    return position.play(",".join(in_order)), ()


def perft(position: Naive, depth: int, by: str) -> list[int]:
    """Sequences of 1, 2, ... `depth` turns or actions."""
    counts = [0] * depth
    if by == "turn":
        _count_turns(position, counts, 0)
    else:
        _count_actions(position, (), counts, 0)
    return counts


def _count_turns(position: Naive, counts: list[int], level: int) -> None:
    counts[level] += len(position.legal_turns)
    if level + 1 < len(counts):
        for turn in position.legal_turns:
            _count_turns(position.play(turn), counts, level + 1)


def _count_actions(position: Naive, drops: tuple[str, ...], counts: list[int], level: int) -> None:
    legal = actions(position, drops)
    counts[level] += len(legal)
    if level + 1 < len(counts):
        for action in legal:
            _count_actions(*act(position, drops, action), counts, level + 1)


def write(folder: Path) -> None:
    """Count every case of every file again."""
    for file in folder.glob("*.json"):
        cases = json.loads(file.read_text())
        for case in cases:
            position = start(file.stem, case["size"], **case["settings"])
            case["counts"] = perft(position, len(case["counts"]), case["by"])
        file.write_text("[\n" + ",\n".join(map(json.dumps, cases)) + "\n]\n")


if __name__ == "__main__":
    write(FOLDER)
