"""Draws the moving pictures of the README: `python tools/make_moving_pictures.py` in its folder.

The tournament is `demo.toml`, told again from its ledger, which `oddly tournament` has to
have made. The page is `oddly serve`, in which a game of that ledger is played through; Chromium
takes its pictures. Both are made for light and for dark screens. It needs Pillow.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from io import BytesIO, StringIO
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import resvg_py
from PIL import Image
from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, DIMMED_MONOKAI

from oddly.interfaces.terminal.live.run_history import RunHistory
from oddly.interfaces.terminal.live.view import view
from oddly.protocol import parse_turn
from oddly.referee import Snapshot
from oddly.tournaments import Control, Ledger, PlayedGame
from tools.make_picture import LEDGER, without_fonts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playwright.sync_api import Page

    from oddly.interfaces.terminal.live.run_snapshot import RunSnapshot
    from oddly.referee import GameRecord


FOLDER = Path(__file__).parents[1] / "docs" / "moving"
THEMES = {"light": DEFAULT_TERMINAL_THEME, "dark": DIMMED_MONOKAI}
BACKGROUNDS = {"light": "#ffffff", "dark": "#0d1117"}
COLOURS = {"tournament": 32, "page": 64}
"""Fewer make small files; with more nothing looks different."""
COLUMNS, LINES, PIXELS = 100, 28, 640
FRAMES = 8
TURNS_A_FRAME = 7
MILLISECONDS, LAST = 900, 3000
AT_ONCE = 3
PAGE = {"width": 480, "height": 640}
SHOWN = {"x": 0, "y": 0, "width": 480, "height": 520}


def moments() -> Iterator[RunSnapshot]:
    """Yield the run at evenly spaced moments, from its first turns to its end."""
    with Ledger(LEDGER, read_only=True) as ledger:
        records = ledger.records()
        games = [(game, records[game.id]) for game in ledger.scheduled()]
    games.sort(key=lambda game: game[0].number)
    names = sorted({name for _, record in games for name in record.players})
    history = RunHistory("demo", len(games), names, Control(AT_ONCE), 0.0)
    ends = [len(games) * frame // FRAMES for frame in range(FRAMES + 1)]
    now = 0.0
    for frame, (begin, end) in enumerate(pairwise(ends), 1):
        running = games[end : end + AT_ONCE]
        for scheduled, record in games[begin:end]:
            history.began(scheduled, now)
            now += sum(turn.seconds for turn in record.turns) / AT_ONCE
            history.ended(PlayedGame(scheduled, record.outcome), now)
        for place, (scheduled, record) in enumerate(running, 1):
            history.began(scheduled, now)
            history.turned(scheduled, _part(record, place / (AT_ONCE + 1)), now)
        yield history.snapshot(now)
        if frame == FRAMES:
            return


def _part(record: GameRecord, part: float) -> Snapshot:
    """Return the game after a part of its turns."""
    position = record.game.start()
    turns = record.turns[: max(1, int(len(record.turns) * part))]
    for turn in turns:
        position = position.play(parse_turn(turn.turn))
    number = len(turns)
    return Snapshot(position, number, turns[-1], number % 2, (inf, inf))


def terminal(scene: RunSnapshot, theme: str) -> bytes:
    """Return the live view as a picture of a terminal."""
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True)
    for line in view(scene, COLUMNS, LINES):
        console.print(line)
    svg = console.export_svg(title="oddly tournament demo.toml", theme=THEMES[theme])
    svg = re.sub(r"Fira Code", "DejaVu Sans Mono", without_fonts(svg))
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, width=PIXELS))


@contextmanager
def served() -> Iterator[str]:
    """Serve the page meanwhile, and give its address."""
    words = [sys.executable, "-P", "-m", "oddly", "serve", "--port", "0", "--no-warm"]
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=folder)
        try:
            yield (process.stdout or StringIO()).readline().strip()
        finally:
            process.terminate()
            process.wait()


def page_frames(url: str, record: GameRecord, theme: str) -> list[bytes]:
    """Return pictures of the page while a game is played through."""
    game = record.game
    settings = {name: str(value) for name, value in game.settings.items()}
    kept = {
        "game": {"name": game.name, "size": game.size, "settings": settings},
        "players": list(record.players),
        "turns": [turn.turn for turn in record.turns],
        "at": 0,
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page(viewport=PAGE, color_scheme=theme)  # type: ignore[arg-type]
        page.goto(url)
        for key, value in (("analysed", kept), ("engine-on", False)):
            page.evaluate(
                "([key, value]) => localStorage.setItem(`oddly-${key}`, value)",
                [key, json.dumps(value)],
            )
        page.goto(url.partition("#")[0].partition("?")[0] + "#analyse/last")
        page.get_by_role("button", name="One turn on").wait_for()
        return [_step(page, TURNS_A_FRAME) for _ in range(FRAMES)]


def _step(page: Page, turns: int) -> bytes:
    """Go on by some turns and take a picture."""
    for _ in range(turns):
        page.get_by_role("button", name="One turn on").click()
        page.wait_for_timeout(60)
    return page.screenshot(clip=SHOWN)  # type: ignore[arg-type]


def write(name: str, frames: Sequence[bytes]) -> None:
    """Write a moving picture."""
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{name}.png"
    kind, theme = name.split("-")
    times = [*[MILLISECONDS] * (len(frames) - 1), LAST]
    path.write_bytes(moving_png(frames, times, COLOURS[kind], BACKGROUNDS[theme]))
    print(path, path.stat().st_size)


def main() -> None:
    """Make all four pictures."""
    scenes = list(moments())
    with Ledger(LEDGER, read_only=True) as ledger:
        shown = next(r for r in ledger.records().values() if r.game.name == "odd")
    with served() as url:
        for theme in THEMES:
            write(f"tournament-{theme}", [terminal(scene, theme) for scene in scenes])
            write(f"page-{theme}", page_frames(url, shown, theme))


if __name__ == "__main__":
    main()


def moving_png(
    frames: Sequence[bytes], milliseconds: Sequence[int], colours: int, background: str
) -> bytes:
    """Return the pictures one after the other, each for its time, over and over.

    All have the same size and the same palette of that many colours; what is transparent gets
    the colour `background`.
    """
    pictures = [_opaque(frame, background) for frame in frames]
    width, height = pictures[0].size
    sheet = Image.new("RGB", (width, height * len(pictures)))
    for place, picture in enumerate(pictures):
        sheet.paste(picture, (0, place * height))
    palette = sheet.quantize(colours, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    first, *rest = (
        picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures
    )
    file = BytesIO()
    first.save(
        file, format="PNG", save_all=True, append_images=rest, duration=list(milliseconds),
        loop=0, optimize=True,
    )  # fmt: skip
    return file.getvalue()


def _opaque(frame: bytes, background: str) -> Image.Image:
    picture = Image.open(BytesIO(frame)).convert("RGBA")
    opaque = Image.new("RGBA", picture.size, background)
    opaque.alpha_composite(picture)
    return opaque.convert("RGB")
