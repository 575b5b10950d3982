"""A clock for people: how it is written, and what is left of it."""

import pytest

from oddly.interfaces.human_play.recording import PeopleClock, clock_text


def test_it_reads_what_it_writes():
    clock = PeopleClock.of("600+5")
    assert (clock.main, clock.increment, str(clock)) == (600, 5, "600+5")


@pytest.mark.parametrize(
    "text", ["600", "9+0", "600.5+1", "600+5x30", "none", "ten", "604801+0", ""]
)
def test_other_clocks_are_refused_with_what_is_expected(text):
    with pytest.raises(
        ValueError, match=r"expected MAIN\+INCREMENT in whole seconds, as in 600\+5"
    ):
        PeopleClock.of(text)


def test_the_first_turn_of_the_game_is_free_and_each_other_one_adds():
    clock = PeopleClock.of("60+5")
    spent = [1000.0, 10.0, 20.0, 30.0]
    assert clock.left(0, spent) == 60 + 5 - 20
    assert clock.left(1, spent) == 60 + 5 - 10 + 5 - 30


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(3_905, "1 h 05 min"), (298.9, "4:58"), (20, "0:20"), (19.34, "19.3 s"), (-1, "0.0 s")],
)
def test_it_is_shown_as_precisely_as_needed(seconds, text):
    assert clock_text(seconds) == text
