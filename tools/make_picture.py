"""Draws the docs' pictures from real output: `python tools/make_picture.py` in the project's root.

In `pictures/tournament.svg` the tables are those of `demo.toml`, cut to the first game and the
total; the board is `oddly show`. Only the prompts are typed by hand. `pictures/live.svg` is
the live view in the middle of the same tournament, replayed from its ledger.
"""

from __future__ import annotations

import re
import subprocess
import sys
from io import StringIO
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from oddly.interfaces.terminal.live.view import RunHistory, view
from oddly.protocol import parse_turn
from oddly.referee import Snapshot
from oddly.tournaments import Control, Ledger, PlayedGame

if TYPE_CHECKING:
    from oddly.interfaces.terminal.live.lines import RunSnapshot

SHOWN = "oddly show --game yodd --size 4 Bd4 We2,Wb5 Bc4,We3"
DEMO = "oddly tournament examples/tournaments/demo.toml"
FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
PICTURE = FOLDER / "tournament.svg"
LIVE_PICTURE = FOLDER / "live.svg"
LEDGER = Path("examples/tournaments/demo.sqlite")
ENDED, RUNNING = 130, 2
"""Games, in the moment that is drawn."""


def output(command: str) -> str:
    """What a command prints, run by this Python."""
    words = [sys.executable, "-m", "oddly", *command.split()[1:]]
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout.rstrip()


def tables(text: str) -> str:
    """The tables of the first game and the total."""
    blocks = text.split("\n\n")
    return "\n\n".join([*blocks[:4], "...", *blocks[-4:]])


def moment() -> RunSnapshot:
    """The tournament in its middle, with three games running."""
    with Ledger(LEDGER, read_only=True) as ledger:
        records = ledger.records()
        games = [(game, records[game.id]) for game in ledger.scheduled()]
    begun = sorted(games, key=lambda game: game[0].number)[: ENDED + RUNNING]
    names = sorted({name for _, record in games for name in record.players})
    story = RunHistory("demo", len(games), names, Control(RUNNING), 0.0)
    now = 0.0
    for scheduled, record in begun[:ENDED]:
        story.began(scheduled, now)
        now += sum(turn.seconds for turn in record.turns) / RUNNING
        story.ended(PlayedGame(scheduled, record.outcome), now)
    for place, (scheduled, record) in enumerate(begun[ENDED:], start=1):
        story.began(scheduled, now)
        position = record.game.start()
        turns = record.turns[: len(record.turns) * place // (RUNNING + 1)]
        for number, turn in enumerate(turns, start=1):
            position = position.play(parse_turn(turn.turn))
            snapshot = Snapshot(position, number, turn, number % 2, (inf, inf))
            story.turned(scheduled, snapshot, now)
    return story.snapshot(now)


def live_picture() -> str:
    """The view as a picture of a terminal."""
    width, height = 120, 36
    console = Console(record=True, width=width, file=StringIO())
    for line in view(moment(), width, height):
        console.print(line)
    return without_fonts(console.export_svg(title=DEMO))


def without_fonts(svg: str) -> str:
    """Pictures fetch nothing: rich's font would come from elsewhere."""
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)


def main() -> None:
    """Run both commands and write the pictures."""
    console = Console(record=True, width=108, file=StringIO())
    for command, shown in ((SHOWN, str), (DEMO, tables)):
        console.print(Text(f"$ {command}", style="bold green"))
        console.print(Text(shown(output(command))))
        console.print()
    PICTURE.write_text(without_fonts(console.export_svg(title="oddly")))
    LIVE_PICTURE.write_text(live_picture())


if __name__ == "__main__":
    main()
