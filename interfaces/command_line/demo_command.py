"""`oddly demo`: four engines play all four games, and the tables follow."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from interfaces.command_line.command import command, option
from interfaces.command_line.exit_codes import DONE
from interfaces.command_line.playing import play_and_print, playing_options
from interfaces.command_line.shipped_examples import shipped_examples
from interfaces.command_line.values import FILE
from tournaments.tournament_file import load_tournament

if TYPE_CHECKING:
    from interfaces.command_line.playing import PlayingOptions

LEDGER = Path("demo.sqlite")
WHAT_NEXT = """
Next: oddly standings {0}      these tables again
      oddly report {0}         a page of HTML with every game
      oddly serve {0}          the same in the browser, and play there
      oddly examples                the file of this tournament, and others
"""


@command()
@option(
    "--ledger", type=FILE, default=LEDGER, metavar="FILE",
    help=f"the ledger that keeps the games (default: {LEDGER})",
)  # fmt: skip
@playing_options
def run(ledger: Path, options: PlayingOptions) -> int:
    """Play the demo, which takes about a minute."""
    tournament = options.applied(load_tournament(shipped_examples()["demo.toml"].path))
    code = play_and_print(tournament, options, ledger)
    if code == DONE and not options.json:
        print(WHAT_NEXT.format(ledger).rstrip(), file=sys.stderr)
    return code
