"""Scenes made up for the tests of the view; run as a module, this writes their golden pictures."""

from dataclasses import replace
from pathlib import Path

from oddly.games.catalogue import create_game
from oddly.games.turns import Colour
from oddly.interfaces.terminal.live.lines import RunSnapshot
from oddly.interfaces.terminal.live.view import RunHistory, view
from oddly.protocol.notation import parse_turn
from oddly.referee.justice.outcome import Outcome, Termination
from oddly.referee.justice.record import PlayedTurn, Snapshot
from oddly.tournaments.results.schedule import PlayedGame
from oddly.tournaments.run.control import Control
from tests.tournaments.formats.schedules import round_robin
from tests.tournaments.results.outcomes import HOSTILE

NAMES = ("greedy", "rave 2.0", HOSTILE, "日本語の名前")
TURNS = {"yodd": "Bd4 We2,Wb5 Bc4,We3", "ayu": "b1-c1 a2-b2 d3-c3", "odd": "Bc3 Wb2 Bd4"}
ENDS = (
    Outcome(0, Colour.BLACK, "B+2", Termination.DOUBLE_PASS, "", 31),
    Outcome(1, Colour.WHITE, "W+4", Termination.DOUBLE_PASS, "", 40),
    Outcome(1, Colour.WHITE, "W+F", Termination.CRASH, f"{HOSTILE}: it ended", 3),
    Outcome(0, Colour.BLACK, "B+T", Termination.TIME, "no turn within 5.000 s", 12),
)


BOARDS = (create_game("yodd", 4), create_game("odd", 3))


def history(games: int, running: int, names=NAMES, now: float = 0.0, boards=BOARDS) -> RunHistory:
    """A run, by default of yodd 4 and odd 3, with these numbers of ended and running games."""
    schedule = round_robin(boards, names, 20, 7)
    told = RunHistory("spring league", len(schedule), names, Control(running or 1), now)
    for index in range(games):
        scheduled = schedule[index]
        told.began(scheduled, now + 10 * index)
        told.ended(PlayedGame(scheduled, ENDS[index % len(ENDS)]), now + 10 * index + 30)
    begun = now + 10 * games
    for index in range(games, games + running):
        scheduled = schedule[index]
        told.began(scheduled, begun)
        position = scheduled.game.start()
        for played, text in enumerate(TURNS[scheduled.game.name].split()[: index % 4], start=1):
            turn = PlayedTurn(position.to_move, text, 0.25)
            position = position.play(parse_turn(text))
            left = (58.5, 61.25)
            told.turned(scheduled, Snapshot(position, played, turn, played % 2, left), begun + 3)
    return told


def run(games: int = 9, running: int = 3, *, names=NAMES, **changes) -> RunSnapshot:
    """The same at the moment in which 4.5 seconds have gone since its last turns."""
    return replace(history(games, running, names).snapshot(10.0 * games + 7.5), **changes)


FOLDER = Path(__file__).parents[3] / "data" / "views"
SIZES = ((80, 24), (120, 40), (40, 10))
SCENES = {
    "playing": {},
    "paused": {"paused": True, "said": "paused: no"},
    "help": {"helping": True},
}


def golden(name: str, width: int, height: int) -> str:
    lines = view(run(**SCENES[name]), width, height)
    return "".join(f"{line.plain.rstrip()}\n" for line in lines)


def path(name: str, width: int, height: int) -> Path:
    return FOLDER / f"{name}-{width}x{height}.txt"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in SCENES:
        for size in SIZES:
            path(name, *size).write_text(golden(name, *size), encoding="utf-8")


if __name__ == "__main__":
    main()
