"""Whole games clicked in the real GoGui, which is `gogui` on the PATH or what ODDLY_GOGUI names.

They need Xvfb and xdotool too.
"""

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from oddly.game_records.formats import read_games
from oddly.games.catalogue import create_game
from oddly.interfaces.command_line.main import main
from oddly.interfaces.gogui.preferences import NotInstalledError, find_gogui, quoted
from oddly.protocol.notation import grid_width
from oddly.referee.justice.record import RecordError
from tests.interfaces.gogui import window as real
from tests.interfaces.gogui.whole_game import Mirror
from tests.programs import need

LOGGED = Path(__file__).with_name("logged.py")
BOARDS = {
    "yodd": ("yodd", 3, {}),
    "xodd": ("xodd", 4, {}),
    "odd": ("odd", 2, {}),
    "odd on a square": ("odd", 3, {"board": "square"}),
    "ayu": ("ayu", 5, {}),
}
MAX_TAPS = 45
"""After these the human passes where that is legal."""


@pytest.fixture(scope="module")
def gogui():
    """The words that start GoGui."""
    need("Xvfb", "xdotool")
    try:
        return find_gogui()
    except NotInstalledError as error:
        pytest.skip(f"needs gogui: {error}")


@pytest.fixture
def open_window(gogui, tmp_path):
    """Open GoGui's window for a board, with greedy as White."""

    def opened(name, size, settings, computer="white", bookmark=None):
        words = [sys.executable, str(LOGGED), str(tmp_path), sys.executable, "-P", "-m",
                 "oddly", "engine", "greedy", "--seed", "5", "--game", name,
                 "--size", str(size), "--profile", "gogui"]  # fmt: skip
        words += [word for key, value in settings.items() for word in (f"--{key}", str(value))]
        board = create_game(name, size, settings).board
        return real.real_gogui(
            tmp_path, gogui, quoted(tuple(words)), grid_width(board),
            is_hex=board.shape == "hexhex", computer=computer, bookmark=bookmark,
        )  # fmt: skip

    return opened


def followed(window, board) -> Mirror:
    """What the moves that GoGui has are by the rules; every one of them is legal."""
    mirror = Mirror.of(*board)
    for colour, point in window.moves():
        assert colour == mirror.position.to_move.letter
        mirror.tap(mirror.legal()["pass" if point == "PASS" else point])
    return mirror


def human_tap(mirror, random, taps):
    legal = mirror.legal()
    late = taps > MAX_TAPS and "pass" in legal
    onwards = [tap for tap in sorted(legal) if tap != "pass" and legal[tap] not in mirror.placed]
    ends = [tap for tap in onwards if mirror.placed and legal[tap] in mirror.stones]
    if late or not onwards:
        return "pass" if "pass" in legal else random.choice(sorted(legal))
    return random.choice(ends if ends and random.random() < 0.8 else onwards)


def tap_all(window, *points):
    """Tap one after the other; the moves that GoGui then has."""
    for point in points:
        window.tap(point)
        moves = window.moves()
    return moves


def play(window, tap):
    """Tap, and tap again if a message took the click, until GoGui has one move more."""
    before = len(window.moves())
    window.tap(tap)

    def is_played():
        if len(window.moves()) > before:
            return True
        if window.screen.press():
            window.tap(tap)
        return False

    assert window.shows(is_played)


@pytest.mark.parametrize("board", BOARDS)
def test_a_whole_game_is_played_by_clicks(board, open_window):
    random, taps = Random(board), 0
    with open_window(*BOARDS[board]) as window:
        mirror = followed(window, BOARDS[board])
        while not mirror.position.is_over:
            play(window, human_tap(mirror, random, taps))
            taps += 1
            mirror = followed(window, BOARDS[board])
            while not mirror.position.is_over and mirror.position.to_move.letter == "W":
                mirror = followed(window, BOARDS[board])
        assert mirror.position.is_over
        assert mirror.turns


def test_the_parity_and_what_ends_the_turn_are_seen(open_window):
    board = BOARDS["xodd"]
    with open_window(*board, computer="none") as window:
        tap_all(window, "B2", "pass", "C4")
        assert window.shows(lambda: dark_pixels(window, "C4") > 20)
        assert not is_green(window, "B2")
        tap_all(window, "D1")
        assert window.shows(lambda: is_green(window, "B2"))


def is_green(window, point):
    """Whether the corner of a point is painted in our green."""
    x, y = window.centre(point)
    away = round(0.46 * window.place[2] / (window.width + 1.2))
    red, green, _ = window.screen.colour(x - away, y - away)
    return green > red + 40


def dark_pixels(window, point):
    """The pixels of a label on a white stone, left of what marks its middle."""
    x, y = window.centre(point)
    cell = round(window.place[2] / (window.width + 1.2))
    spots = [(x + dx, y + dy) for dx in range(-cell // 2, -cell // 4) for dy in range(-8, 9)]
    return sum(max(window.screen.colour(*spot)) < 90 for spot in spots)


def test_a_game_of_taps_is_reopened_played_on_saved_and_converted(open_window, tmp_path):
    turns, sgf = tmp_path / "opening.turns", tmp_path / "game.sgf"
    turns.write_text("# xodd 4\nBb2 Wd1,Wc4\n")
    assert main(["convert", str(turns), str(sgf), "--taps"]) == 0
    with open_window(*BOARDS["xodd"], computer="none", bookmark=sgf) as window:
        for place in (real.BOOKMARKS, real.FIRST_BOOKMARK):
            window.screen.click(*place)
            window.moves()
        window.screen.do("key", real.END)
        assert len(followed(window, BOARDS["xodd"]).turns) == 2
        for tap in ("A1", "A3", "B2"):
            window.tap(tap)
            mirror = followed(window, BOARDS["xodd"])
        assert len(mirror.turns) == 3
        window.screen.do("key", real.SAVE)
        assert window.shows(lambda: window.screen.press(0.42))
        assert window.shows(lambda: turns_in(sgf) == [str(turn) for turn in mirror.turns])


def test_a_saved_game_on_hexagons_goes_on_is_saved_and_joined(gogui, tmp_path, monkeypatch):
    earlier, saved = tmp_path / "earlier.turns", tmp_path / "later.sgf"
    earlier.write_text("# yodd 3\nBc3 Wa3,Be3\n")
    words = [sys.executable, str(LOGGED), str(tmp_path), sys.executable, "-P", "-m",
             "oddly", "engine", "random", "--game", "yodd", "--size", "3",
             "--profile", "gogui", "--after", str(earlier)]  # fmt: skip
    program = quoted(tuple(words))
    with real.real_gogui(tmp_path, gogui, program, 5, is_hex=True, computer="none") as window:
        moves = tap_all(window, "A1", "E5", "C3")
        assert moves == [("B", "A1"), ("B", "E5"), ("B", "C3")]
    saved.write_text(f"(;GM[1]SZ[5];{';'.join(f'{c}[{sgf(p)}]' for c, p in moves)})")
    assert main(["convert", str(saved), str(tmp_path / "all.turns"), "--after", str(earlier)]) == 0
    assert turns_in(tmp_path / "all.turns") == ["Bc3", "Wa3,Be3", "Be1,Ba5"]


def sgf(point):
    """A point of a board of 5 as SGF has it."""
    return f"{point[0].lower()}{'edcba'[int(point[1]) - 1]}"


def test_the_computer_ends_a_turn_and_leaves_the_stone_as_it_is(open_window):
    board = BOARDS["xodd"]
    with open_window(*board, computer="none") as window:
        tap_all(window, "B2", "pass", "C4", "C4")
        window.screen.do("key", "F5")
        assert window.shows(lambda: len(followed(window, board).turns) == 2)
        assert "Bc4" in str(followed(window, board).turns[1])


def test_the_word_on_a_stone_stays_after_backward(open_window):
    board = BOARDS["xodd"]
    with open_window(*board, computer="none") as window:
        tap_all(window, "B2", "pass", "C4", "C4")
        window.screen.do("key", real.BACKWARD)
        assert len(window.moves()) == 3
        assert window.shows(lambda: dark_pixels(window, "C4") > 20)


@pytest.mark.parametrize("computer", ["none", "white"])
def test_a_tap_that_gogui_calls_illegal_is_sent_to_nobody(computer, open_window, tmp_path):
    board = BOARDS["xodd"]
    with open_window(*board, computer=computer) as window:
        first = ("A1", "pass", "C2", "C3") if computer == "none" else ("A1", "pass")
        for tap in first:
            play(window, tap)
        if computer == "white":
            assert window.shows(lambda: followed(window, board).position.to_move.letter == "B")
            points = [tap for tap in sorted(followed(window, board).legal()) if tap != "pass"]
            for tap in points[:2]:
                play(window, tap)
        before = window.moves()
        refused = unplayable(followed(window, board))
        window.tap(refused)
        assert window.shows(window.screen.press)
        assert window.moves() == before
        sent = [line for log in tmp_path.glob("*.gtp") for line in log.read_text().splitlines()]
        assert len(before) >= 4
        assert not any(line.startswith("play") and line.endswith(refused) for line in sent)


def unplayable(mirror):
    """An empty point that is no legal tap: all stones of the turn are placed."""
    names = {vertex: name for name, vertex in Mirror.of(*BOARDS["xodd"]).legal().items()}
    legal = mirror.legal().values()
    taken = {*mirror.stones, *mirror.placed}
    return next(
        name for v, name in names.items() if name != "pass" and v not in taken and v not in legal
    )


def turns_in(path):
    """The turns of a file that may be half written."""
    try:
        return [turn.turn for turn in read_games(path)[0].record.turns]
    except RecordError:
        return []


def test_oddly_gogui_opens_the_window_by_itself(gogui, tmp_path, monkeypatch):
    with real.virtual_screen(tmp_path) as screen:
        monkeypatch.setenv("DISPLAY", screen.display)
        monkeypatch.setenv("JAVA_TOOL_OPTIONS", f"-Duser.home={tmp_path}")
        words = [sys.executable, "-P", "-m", "oddly", "gogui", "yodd", "--size", "4"]
        with subprocess.Popen(
            [*words, "--against", "greedy"], start_new_session=True, stderr=subprocess.DEVNULL
        ) as running:
            try:
                assert screen.board()
                assert "oddly greedy" in screen.do("search", "--name", "greedy", "getwindowname")
            finally:
                os.killpg(running.pid, 15)
