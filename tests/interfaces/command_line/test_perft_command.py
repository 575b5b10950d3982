"""`oddly perft` prints the recorded counts, one depth a line."""

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "data" / "perft"
QUICK = 5_000
"""Counts beyond this are for the tests of perft itself."""


def recorded() -> list:
    """Every recorded position, with those of its counts that are quick to find again."""
    cases = []
    for path in sorted(FOLDER.glob("*.json")):
        for entry in json.loads(path.read_text(encoding="utf-8")):
            counts = [count for count in entry["counts"] if count <= QUICK]
            words = ["--game", path.stem, "--size", str(entry["size"]), "--by", entry["by"]]
            for name, value in entry["settings"].items():
                option = f"--{name.replace('_', '-')}"
                if value is not False:
                    words += [option] if value is True else [option, str(value)]
            if counts:
                cases.append(pytest.param(words, counts, id=" ".join(words[1::2])))
    return cases


@pytest.mark.parametrize(("words", "counts"), recorded())
def test_each_depth_gets_a_line_with_the_recorded_count(words, counts, output):
    lines = output("perft", *words, "--depth", str(len(counts))).splitlines()
    assert lines == [f"{depth} {count}" for depth, count in enumerate(counts, start=1)]


def test_the_count_starts_from_the_turns_that_are_given(output):
    assert output("perft --game odd --size 2 --depth 1 Ba2 Wb2") == "1 10\n"


def test_turns_are_counted_unless_drops_are_asked_for(output):
    assert output("perft --game yodd --size 2 --depth 2") == "1 14\n2 470\n"


def test_json_has_the_counts(facts):
    words = ["--game", "odd", "--size", "2", "--depth", "2"]
    value = facts("perft", *words)
    assert (value["game"], value["by"], value["counts"][0]) == (
        "odd 2 (board hexhex, min_group 5)",
        "turn",
        14,
    )
