"""`oddly demo`: three engines play all four games, and their ratings follow."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games import install_command
from oddly.interfaces.command_line.command import command
from oddly.interfaces.command_line.declaring import option
from oddly.interfaces.command_line.errors import DONE
from oddly.interfaces.command_line.hints import own_name
from oddly.interfaces.command_line.shipped_examples import shipped_examples
from oddly.interfaces.command_line.tournament_run import (
    PlayingOptions,
    play_and_print,
    print_results,
)
from oddly.interfaces.terminal.live.progress import ScoreProgress, has_screen
from oddly.interfaces.text.tables import DEFAULT_FORMAT
from oddly.tournaments import load_tournament

if TYPE_CHECKING:
    from oddly.tournaments import Run

LEDGER = Path("demo.sqlite")
WHAT_IS_PLAYED = """\
Yodd, Xodd, Odd and Ayu on small boards. Three engines play each other at them:
rave searches, greedy takes the best next turn, and random takes any turn.
"""
EXPLANATION = """\
Elo with 95 % error bars. An engine 100 Elo ahead wins 64 % of the games. Where
two bars overlap, it takes more games to tell which engine is stronger."""
FASTER = """
Here rave searched by the plain rules. With Numba it is machine code, hundreds
of times faster. To install Numba:
  {}"""


@command()
def run(
    *,
    ledger: Path = option("FILE", "the ledger that keeps the games", default=LEDGER),
    options: PlayingOptions,
) -> int:
    """Play the demo, which takes about 15 seconds."""
    tournament = options.applied(load_tournament(shipped_examples()["demo.toml"].path))
    if options.json or options.quiet:
        return play_and_print(tournament, options, ledger)
    print(WHAT_IS_PLAYED, file=sys.stderr)
    told = None if has_screen() else ScoreProgress()
    code = play_and_print(tournament, options, ledger, show=print_ratings, told=told)
    if code == DONE:
        print(what_next(ledger), file=sys.stderr)
    return code


def print_ratings(run: Run, ledger: Path | None, options: PlayingOptions) -> None:
    """Print the ratings in each game and who beat whom, on standard output."""
    from oddly.interfaces.text.summary_tables import (
        crosstable_table,
        distinct_line,
        ratings_by_game,
    )

    found = run.summaries()
    if not found or options.tables.chosen != DEFAULT_FORMAT:
        print_results(run, ledger, options)
        return
    parts = (
        EXPLANATION,
        ratings_by_game(found),
        crosstable_table(found[-1]),
        distinct_line(found[-1].counts),
    )
    # What is said next goes to standard error, and must not come before the tables.
    print("\n\n".join(parts), flush=True)


def what_next(ledger: Path) -> str:
    """Return the three commands to type next, and how to make rave fast if it is not."""
    oddly = own_name()
    page = ledger.with_suffix(".html")
    steps = {
        f"{oddly} play --game yodd --size 4 --level 2": "play here, gently",
        f"{oddly} report {ledger} --output {page}": "replay these games",
        f"{oddly} new-engine python my-engine": "begin your engine",
    }
    width = max(map(len, steps))
    lines = [f"  {words:<{width}}   {what}" for words, what in steps.items()]
    faster = [] if find_spec("numba") else [FASTER.format(install_command("fast"))]
    return "\n".join(["", "Next:", *lines, *faster])
