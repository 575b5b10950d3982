"""The recorded games of `tests/data/playthroughs/`, replayed and compared to the letter."""

import pytest

from oddly.games.catalogue import GAMES, create_game
from tests.games.lockstep import Pair
from tests.games.playthrough import FOLDER, turns_in, write_out
from tests.games.playthrough import GAMES as RECORDED

FILES = pytest.mark.parametrize("file", RECORDED)


@FILES
def test_a_recorded_game_replays_to_the_same_text(file):
    text = (FOLDER / f"{file}.txt").read_text()
    name, size, settings = RECORDED[file]
    start = create_game(name, size, settings).start()
    assert write_out(start, turns_in(text)) == text


@FILES
def test_a_recorded_game_ends_with_a_result(file):
    assert "result: none yet" not in (FOLDER / f"{file}.txt").read_text().rsplit("\n\n", 1)[1]


@FILES
def test_the_brute_force_agrees_with_a_recorded_game(file):
    text = (FOLDER / f"{file}.txt").read_text()
    pair = Pair.at_start(*RECORDED[file])
    counts = []
    for turn in turns_in(text):
        counts.append(len(pair.naive.legal_turns))
        pair = pair.play(turn)
        pair.assert_same_position()
    recorded = [line for line in text.splitlines() if line.startswith("legal turns: ")]
    assert recorded == [f"legal turns: {count}" for count in [*counts, 0]]


def test_no_game_is_without_a_playthrough():
    assert {name for name, _, _ in RECORDED.values()} == set(GAMES)
    assert {file.stem for file in FOLDER.glob("*.txt")} == set(RECORDED)
