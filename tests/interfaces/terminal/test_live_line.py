"""The live line of `oddly join`, as a terminal shows it."""

import io

import pyte
from rich.console import Console

from oddly.arena.client import events
from oddly.interfaces.terminal.joining import LiveLine

JOINED = events.Joined("Hall", "mine", "http://a/[red]e", new=False, pools=())


def shown(width, *told):
    """The lines of a terminal while the live line is there, and when it is gone."""
    output = io.StringIO()
    console = Console(
        file=output, force_terminal=True, width=width, height=20, highlight=False, markup=False
    )
    screens = []
    with LiveLine("mine", console) as line:
        for event in told:
            line.told(event)
        screens.append(output.getvalue())
    screens.append(output.getvalue())
    found = []
    for text in screens:
        screen = pyte.Screen(width, 20)
        pyte.Stream(screen).feed(text.replace("\n", "\r\n"))
        found.append([row.rstrip() for row in screen.display if row.strip()])
    return found


def test_sentences_stand_above_the_line_and_stay():
    during, after = shown(80, JOINED)
    assert during == [
        "mine is at Hall: http://a/[red]e",
        "mine  0 won, 0 drawn, 0 lost  waiting for a game",
    ]
    assert after == during[:1]


def test_a_narrow_terminal_cuts_the_line_off():
    during, _ = shown(30, JOINED)
    assert during[-1] == "mine  0 won, 0 drawn, 0 lost …"
