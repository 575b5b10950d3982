"""The view is a function of a run and a size: golden pictures, and properties at every size."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from oddly.interfaces.terminal.live.lines import clock_text, fitted
from oddly.interfaces.terminal.live.view import view
from tests.interfaces.terminal.live import run_snapshots as scenes
from tests.interfaces.terminal.live.run_snapshots import NAMES, golden, history, run

RUNNING = st.integers(0, 9)


@pytest.mark.parametrize("size", scenes.SIZES)
@pytest.mark.parametrize("name", scenes.SCENES)
def test_a_picture_is_the_golden_one(name, size):
    assert golden(name, *size) == scenes.path(name, *size).read_text(encoding="utf-8")


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 12), RUNNING, st.integers(1, 150), st.integers(1, 60), st.booleans(),
    st.booleans(), st.booleans(),
)  # fmt: skip
def test_it_fits_every_terminal(games, running, width, height, helping, paused, unknown):
    shown = run(games, running, helping=helping, paused=paused)
    if unknown:
        shown = replace(shown, games=None)
    lines = view(shown, width, height)
    assert 1 <= len(lines) <= height
    for line in lines:
        assert line.cell_len <= width
        assert line.plain.isprintable()


def test_what_is_printed_has_no_markup_and_no_escapes_of_strangers():
    console = Console(width=120, record=True, force_terminal=True, color_system="truecolor")
    with console.capture() as capture:
        for line in view(run(9, 3, names=("[red]a[/red]", *NAMES[1:])), 120, 40):
            console.print(line)
    assert "[red]" in capture.get()
    assert "\x1b[31m<script>" not in capture.get()


def test_without_utf_8_the_bar_is_of_plain_characters():
    lines = view(run(9, 1, names=NAMES[:3]), 80, 24, ascii_only=True)
    assert all(line.plain.isascii() for line in lines)


def test_a_terminal_of_forty_by_ten_has_the_bar_and_the_games():
    lines = [line.plain for line in view(run(9, 12), 40, 10)]
    assert lines[0].startswith("9/480   ")
    assert len(lines) == 10
    assert lines[-1] == "and 4 more"


def test_standings_are_cut_where_there_is_no_room():
    names = tuple(f"engine {number}" for number in range(20))
    lines = [line.plain for line in view(run(20, 1, names=names), 80, 24)]
    assert "    and 16 more" in lines


def test_the_time_to_go_is_by_the_mean_of_the_games_of_this_run():
    told = history(4, 2)
    at = told.snapshot(41.0)
    # A game took 30 s; of 476 games left, two have been played for a second each.
    assert at.seconds_left == pytest.approx((476 * 30 - 2 * 1) / 2)
    assert history(0, 2).snapshot(1.0).seconds_left is None


@pytest.mark.parametrize(
    ("seconds", "text"), [(-1, "0.0"), (9.34, "9.3"), (65, "1:05"), (7384.9, "2:03:04")]
)
def test_clocks(seconds, text):
    assert clock_text(seconds) == text


@given(st.text(st.characters(categories=["L", "N", "P"])), st.integers(0, 30))
def test_words_fill_their_columns(words, width):
    from rich.cells import cell_len

    assert cell_len(fitted(words, width)) == width


def test_where_nobody_listens_no_keys_are_promised():
    lines = view(run(9, 1, has_keys=False), 80, 24)
    assert "q stop" not in lines[-1].plain
    assert "Ctrl-C" in lines[-1].plain


def test_a_small_terminal_shows_help_and_what_is_said_too():
    helped = [line.plain for line in view(run(9, 3, helping=True), 60, 8)]
    assert any("pause" in line for line in helped)
    told = [line.plain for line in view(run(9, 3, said="games at once: 2"), 40, 8)]
    assert told[-1] == "games at once: 2"
