"""The recorded games of `tests/data/playthroughs/`, replayed and compared to the letter."""

import pytest

from oddly.games.catalogue import GAMES
from tests.games.lockstep import Pair
from tests.games.playthrough import FOLDER, turns_in, write_out
from tests.games.playthrough import GAMES as RECORDED


@pytest.mark.parametrize("file", RECORDED)
def test_a_recorded_game_replays_to_the_same_text_and_as_the_brute_force_plays_it(file):
    text = (FOLDER / f"{file}.txt").read_text()
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
    assert {file.stem for file in FOLDER.glob("*.txt")} == set(RECORDED)
