"""Draws `docs/picture.svg` from real output: `python docs/make_picture.py` in the project's root.

The tables are those of `tournaments/demo.toml`, cut to the first game and the total; the board is
`oddly show`. Nothing in the picture is typed by hand but the prompts.
"""

from __future__ import annotations

import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

SHOWN = "oddly show --game yodd --size 4 Bd4 We2,Wb5 Bc4,We3"
DEMO = "oddly tournament tournaments/demo.toml"
PICTURE = Path(__file__).parent / "picture.svg"


def output(command: str) -> str:
    """What a command prints, run by this Python."""
    words = [sys.executable, "-m", "tournaments", *command.split()[1:]]
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout.rstrip()


def tables(text: str) -> str:
    """The tables of the first game and the total."""
    blocks = text.split("\n\n")
    return "\n\n".join([*blocks[:3], "...", *blocks[-3:]])


def main() -> None:
    """Run both commands and write the picture."""
    console = Console(record=True, width=96, file=StringIO())
    for command, shown in ((SHOWN, str), (DEMO, tables)):
        console.print(Text(f"$ {command}", style="bold green"))
        console.print(Text(shown(output(command))))
        console.print()
    svg = console.export_svg(title="oddly")
    # Pictures fetch nothing: rich's font would come from elsewhere.
    PICTURE.write_text(re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL))


if __name__ == "__main__":
    main()
