"""Counts and whole games that are kept in `tests/data/`, against the brute force."""

import json

import pytest

from oddly.games.catalogue import GAMES, create_game
from oddly.games.legal_turns import perft
from tests.games import brute_force, playthrough
from tests.games.brute_force_perft import FOLDER
from tests.games.brute_force_perft import perft as brute_force_perft
from tests.games.lockstep import Pair
from tests.games.playthrough import GAMES as RECORDED
from tests.games.playthrough import turns_in, write_out

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


def test_a_finished_game_has_no_continuation_and_depth_nought_counts_nothing():
    start = create_game("odd", 2, {"board": "square"}).start()
    assert perft(start, 6) == [8, 8 * 6, 8 * 6 * 4, 8 * 6 * 4 * 2, 0, 0]
    assert perft(start, 0) == []


@pytest.mark.parametrize("file", RECORDED)
def test_a_recorded_game_replays_to_the_same_text_and_as_the_brute_force_plays_it(file):
    text = (playthrough.FOLDER / f"{file}.txt").read_text()
    pair, counts = Pair.at_start(*RECORDED[file]), []
    assert write_out(pair.position, turns_in(text)) == text
    for turn in turns_in(text):
        counts.append(len(pair.naive.legal_turns))
        pair = pair.play(turn)
        pair.assert_same_position()
    assert pair.position.is_over
    recorded = [line for line in text.splitlines() if line.startswith("legal turns: ")]
    assert recorded == [f"legal turns: {count}" for count in [*counts, 0]]


def test_no_game_is_without_a_playthrough():
    assert {name for name, _, _ in RECORDED.values()} == set(GAMES)
    assert {file.stem for file in playthrough.FOLDER.glob("*.txt")} == set(RECORDED)
