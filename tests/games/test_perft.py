"""The counts of `games.perft` against those of the brute force, kept in `tests/data/perft/`."""

import json

import pytest

from oddly.games.catalogue import GAMES, create_game
from oddly.games.legal_turns import perft
from tests.games import brute_force
from tests.games.brute_force_perft import CASES, FOLDER
from tests.games.brute_force_perft import perft as brute_force_perft

# Sequences in one file that are worth counting again by brute force, which is slow.
FEW = 2_000


def cases() -> list[tuple[str, dict]]:
    """Every case of every file, with the game's name."""
    files = sorted(FOLDER.glob("*.json"))
    return [(file.stem, case) for file in files for case in json.loads(file.read_text())]


def label(case: object) -> str:
    if isinstance(case, str):
        return case
    settings = " ".join(f"{name}={value}" for name, value in case["settings"].items())
    return f"{case['size']} by {case['by']} {settings}".strip()


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "case"), cases(), ids=label)
def test_perft_counts_what_the_brute_force_counted(name, case):
    position = create_game(name, case["size"], case["settings"]).start()
    assert perft(position, len(case["counts"]), case["by"]) == case["counts"]


@pytest.mark.parametrize(
    ("name", "case"), [c for c in cases() if sum(c[1]["counts"]) < FEW], ids=label
)
def test_the_files_hold_what_the_brute_force_counts(name, case):
    start = brute_force.start(name, case["size"], **case["settings"])
    assert brute_force_perft(start, len(case["counts"]), case["by"]) == case["counts"]


def test_no_game_is_without_a_perft_file_for_both_kinds_of_steps():
    assert {file.stem for file in FOLDER.glob("*.json")} == set(GAMES)
    for name in GAMES:
        assert {case["by"] for other, case in cases() if other == name} == {"turn", "drop"}


def test_the_files_hold_the_cases_that_the_script_writes():
    written: dict[str, list] = {name: [] for name in GAMES}
    for name, case in cases():
        written[name].append((case["size"], case["settings"], case["by"], len(case["counts"])))
    assert written == CASES


def test_a_finished_game_has_no_continuation_and_depth_nought_counts_nothing():
    start = create_game("odd", 2, {"board": "square"}).start()
    assert perft(start, 6) == [8, 8 * 6, 8 * 6 * 4, 8 * 6 * 4 * 2, 0, 0]
    assert perft(start, 0) == []
