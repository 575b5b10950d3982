"""The real GoGui on a virtual screen: clicks with xdotool, and the screen as pixels.

Without a window manager GoGui's window is at the upper left, and Xvfb keeps the screen in a file.
So the board is found by its wood, and a point by GoGui's layout.
"""

import math
import os
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import dropwhile, takewhile
from pathlib import Path

from oddly.interfaces.gogui.preferences import FILE, with_properties, with_window
from oddly.protocol.notation import COLUMN_LETTERS

PASS = (247, 42)
BOOKMARKS, FIRST_BOOKMARK = (318, 10), (320, 71)
"""A button of GoGui's tool bar, and a menu, in its own look."""
SAVE, END, BACKWARD = "ctrl+s", "ctrl+End", "ctrl+Left"
"""Keys for buttons whose places vary with the size of their pictures."""
MARGIN = 0.6
QUIET = 0.5
PATIENCE = 60.0
BOOKMARK = "net.sf.gogui.gui.bookmark."


@dataclass
class Screen:
    """A virtual screen, and what can be done on it."""

    display: str
    file: Path

    def pixels(self) -> tuple[bytes, int, int]:
        """Return the pixels, blue, green, red and nothing each, the width and the bytes a line."""
        data = self.file.read_bytes()
        header = struct.unpack(">25I", data[:100])
        return data[header[0] + 12 * header[19] :], header[4], header[12]

    def colour(self, x: int, y: int) -> tuple[int, int, int]:
        """Return the red, green and blue of a pixel."""
        data, _, line = self.pixels()
        blue, green, red = data[y * line + 4 * x : y * line + 4 * x + 3]
        return red, green, blue

    def do(self, *words: object) -> str:
        """Run xdotool."""
        environment = {**os.environ, "DISPLAY": self.display}
        done = subprocess.run(
            ["xdotool", *map(str, words)], env=environment, capture_output=True, text=True
        )
        return done.stdout

    def click(self, x: float, y: float) -> None:
        """Click there as a hand does: arrive, then press."""
        self.do("mousemove", round(x), round(y), "sleep", 0.1, "click", 1)

    def press(self, part: float = 0.5) -> bool:
        """Press the button of a message, if there is one; `part` is where it is in the width."""
        for window in self.do("search", "--onlyvisible", "--name", "^ $").split():
            shell = self.do("getwindowgeometry", "--shell", window)
            at = dict(line.split("=") for line in shell.split())
            if int(at.get("WIDTH", 0)) > 100:
                x = int(at["X"]) + part * int(at["WIDTH"])
                self.click(x, int(at["Y"]) + int(at["HEIGHT"]) - 25)
                return True
        return False

    def board(self) -> tuple[int, int, int]:
        """Return the left, the top and the width of the board, once there is one."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if found := self._wood():
                return found
            time.sleep(0.5)
        raise AssertionError("GoGui shows no board")

    def _wood(self) -> tuple[int, int, int] | None:
        data, width, line = self.pixels()
        rows, left, right = [], width, 0
        for y in range(0, len(data) // line, 2):
            row = data[y * line : (y + 1) * line]
            wood = [x for x in range(0, width, 2) if row[4 * x + 2] - row[4 * x] > 70]
            if len(wood) > 130:
                rows.append(y)
                left, right = min(left, wood[0]), max(right, wood[-1])
        return (left, rows[0], right - left + 1) if len(rows) > 100 else None


@dataclass
class RealGogui:
    """GoGui with a program whose commands are logged in `folder`."""

    screen: Screen
    folder: Path
    width: int
    is_hex: bool
    place: tuple[int, int, int]

    def centre(self, point: str) -> tuple[int, int]:
        """Return where a point is on the screen, by the layout of GoGui's boards."""
        column, row = COLUMN_LETTERS.index(point[0]), int(point[1:]) - 1
        left, top, pixels = self.place
        down = self.width - 1 - row
        if not self.is_hex:
            cell = int(pixels / (self.width + 2 * MARGIN))
            offset = (pixels - self.width * cell) // 2
            return left + offset + column * cell + cell // 2, top + offset + down * cell + cell // 2
        cell = round(pixels / (1.5 * (self.width + 2 * MARGIN)))
        x = (pixels - 1.5 * cell * self.width) / 2 + column * cell + down * cell / 2
        y = (pixels - cell * self.width) / 2 + down * 0.75 * cell / (math.sqrt(3) / 2)
        return left + round(x + cell / 2), top + round(y + cell / 2)

    def tap(self, point: str) -> None:
        """Click on a point, or on the button for a pass."""
        self.screen.click(*(PASS if point == "pass" else self.centre(point)))

    def shows(self, seen: Callable[[], bool]) -> bool:
        """Return whether the screen comes to show something."""
        until = time.monotonic() + PATIENCE
        while not (is_seen := seen()) and time.monotonic() < until:
            time.sleep(0.2)
        return is_seen

    def moves(self) -> list[tuple[str, str]]:
        """Return the moves that the ruler has, once GoGui is quiet."""
        lines = self._quiet_lines()
        last = max((n for n, line in enumerate(lines) if line == "clear_board"), default=0)
        plays = dropwhile(lambda line: not line.startswith("play "), lines[last:])
        # While GoGui shows a message, it has sent the newest move once more, after questions.
        moves = (
            line.split()[1:] for line in takewhile(lambda line: line.startswith("play "), plays)
        )
        return [(colour.upper(), point.upper()) for colour, point in moves]

    def _quiet_lines(self) -> list[str]:
        """Return what the ruler was sent; it is the process with the longest log."""
        until, size, since = time.monotonic() + PATIENCE, -1, time.monotonic()
        while time.monotonic() < until:
            logs = sorted(self.folder.glob("*.gtp"), key=lambda path: path.stat().st_size)
            total = sum(path.stat().st_size for path in logs)
            if total != size:
                size, since = total, time.monotonic()
            elif logs and time.monotonic() - since > QUIET:
                return logs[-1].read_text().splitlines()
            time.sleep(0.1)
        raise AssertionError("GoGui never rests")


@contextmanager
def real_gogui(
    folder: Path, gogui: tuple[str, ...], program: str, width: int, *, is_hex: bool,
    computer: str, bookmark: Path | None = None,
) -> Iterator[RealGogui]:  # fmt: skip
    """GoGui's window, on a screen of its own, with settings of its own in `folder`."""
    text = with_window("", width)
    if bookmark is not None:
        entry = {"size": "1", "0.name": "game", "0.file": str(bookmark), "0.move": "0"}
        text = with_properties(text, {BOOKMARK + key: value for key, value in entry.items()})
    (folder / FILE).write_text(text)
    with virtual_screen(folder) as screen:
        environment = {
            **os.environ,
            "DISPLAY": screen.display,
            "JAVA_TOOL_OPTIONS": f"-Xmx300m -Duser.home={folder}",
        }
        words = [*gogui, "-program", program, f"-computer-{computer}"]
        log = (folder / "gogui.log").open("wb")
        with log, subprocess.Popen(words, env=environment, stdout=log, stderr=log,
                                   start_new_session=True) as running:  # fmt: skip
            try:
                place = screen.board()
                window = RealGogui(screen, folder, width, is_hex, place)
                window.moves()
                yield window
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(running.pid, 15)


@contextmanager
def virtual_screen(folder: Path) -> Iterator[Screen]:
    reading, writing = os.pipe()
    words = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x1000x24", "-nolisten", "tcp",
             "-fbdir", str(folder)]  # fmt: skip
    with subprocess.Popen(words, pass_fds=[writing], stderr=subprocess.DEVNULL) as xvfb:
        os.close(writing)
        try:
            with os.fdopen(reading) as told:
                number = told.readline().strip()
            yield Screen(f":{number}", folder / "Xvfb_screen0")
        finally:
            xvfb.terminate()
