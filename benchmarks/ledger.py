"""What a big ledger costs: `python -m benchmarks.ledger`.

A ledger is made up, with random games of engines of known strength, and then read by everything
that reads ledgers, each in a process of its own. Printed are seconds of processor time, which other
programs on the machine hardly touch, and the most memory that was used. For Linux.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from oddly.games import Colour, create_game
from oddly.protocol import parse_time_control
from oddly.referee import EngineConfiguration, GameRecord, Outcome, PlayedTurn, Termination
from oddly.tournaments import Control, Ledger, RoundRobin, Tournament, advantage_test, rate
from oddly.tournaments.formats.round_robin import both_ways, circle_pairs
from oddly.tournaments.ledger.schema import append
from oddly.tournaments.ledger.store import INSERT_GAME, game_row
from oddly.tournaments.ledger.summaries import INSERT, summary
from oddly.tournaments.ratings.elo import expected_score
from oddly.tournaments.ratings.ordered_pairs import from_counts
from oddly.tournaments.results.schedule import scheduled_facts
from oddly.tournaments.run.playing import event_of
from oddly.tournaments.run.resuming import begin

if TYPE_CHECKING:
    from oddly.tournaments import ScheduledGame

GAME = create_game("odd", 4)
DROPS = tuple(f"B{vertex}" for vertex in GAME.board.vertices)
COLOURS = (Colour.BLACK, Colour.WHITE)
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
SPREAD = 200.0
"""Standard deviation of the engines' strength, in Elo."""
EVENT = "a big event"
STATEMENTS = {
    "results loaded from the ledger": "from oddly.tournaments.ledger.store import Ledger\n"
    "with Ledger(path, read_only=True) as ledger: ledger.counts()",
    "oddly ratings": "main(['ratings', str(path)])",
    "oddly standings": "main(['standings', str(path)])",
    "oddly report": "main(['report', str(path), '--output', str(path.with_suffix('.html'))])",
    "a run that goes on, to its first game": "from benchmarks.ledger import resume\nresume(path)",
}


def main() -> None:
    """Make a ledger unless there is one, and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--engines", type=int, default=200)
    parser.add_argument("--ledger", type=Path, help="keep it there, or take it from there")
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = arguments.ledger or Path(folder) / "big.sqlite"
        if not path.exists():
            began = time.process_time()
            make(path, arguments.engines, arguments.games)
            print(f"made in {time.process_time() - began:.0f} s")
        print(f"{arguments.games} games, {path.stat().st_size / 1e6:.0f} MB")
        for what, statement in STATEMENTS.items():
            seconds, megabytes = cost(statement, path)
            print(f"{what:<36}{seconds:>7.1f} s{megabytes:>8.0f} MB", flush=True)
        print(f"{'rating, once loaded':<36}{rating(path):>7.2f} s")


def make(path: Path, engines: int, games: int) -> None:
    """Make a ledger with the first `games` games of a round robin, one a minute."""
    names = [f"engine {number:03}" for number in range(engines)]
    rounds = -(-games // (engines * (engines - 1)))
    settings = {"command": ["engine"], "time": "1", "options": {}}
    facts = {
        "name": EVENT,
        "format": "round-robin",
        "seed": 1,
        "rounds": rounds,
        "settings": {},
        "games": [str(GAME)],
        "openings": {},
        "engines": dict.fromkeys(names, settings),
    }
    schedule = islice(both_ways([GAME], list(circle_pairs(names)), rounds, 1, EVENT, {}), games)
    with Ledger(path) as ledger:
        ledger.begin(facts)
    chance = random.Random(1)
    strengths = {name: chance.gauss(0, SPREAD) for name in names}
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("pragma synchronous = off")
        for game in schedule:
            finished = (BEGAN + timedelta(minutes=game.number)).isoformat(timespec="seconds")
            record = made_up(game, strengths, chance)
            planned = game.id, json.dumps(scheduled_facts(game))
            connection.execute("insert into scheduled values (?, ?)", planned)
            append(connection, "plan", game.id, planned)
            row = game_row(game.id, record, finished)
            connection.execute(INSERT_GAME, row)
            append(connection, "game", game.id, row)
            connection.execute(INSERT, summary(game.id, record, finished, game))


def resume(path: Path) -> None:
    """Come to the first game that a ledger of `make` has not."""
    with Ledger(path) as ledger:
        facts = ledger.event() or {}
        clock = parse_time_control("1")
        engines = tuple(EngineConfiguration(name, ("engine",), clock) for name in facts["engines"])
        tournament = Tournament(
            name=EVENT, format=RoundRobin(facts["rounds"]), games=(GAME,), engines=engines, seed=1
        )
        plan, *_ = begin(tournament, event_of(tournament), Control(), ledger)
        plan.next()


def made_up(game: ScheduledGame, strengths: dict[str, float], chance: random.Random) -> GameRecord:
    """A game with a turn for each cell in any order, won at random as the strengths say."""
    drops = chance.sample(DROPS, len(DROPS))
    turns = tuple(PlayedTurn(COLOURS[n % 2], drop, 0.01) for n, drop in enumerate(drops))
    wins = chance.random() < expected_score(strengths[game.first] - strengths[game.second])
    winner, colour = (0, Colour.BLACK) if wins else (1, Colour.WHITE)
    score = f"{colour.letter}+"
    outcome = Outcome(winner, colour, score, Termination.BOARD_FULL, "board full", len(turns))
    programs = (f"{game.first} 1.0", f"{game.second} 1.0")
    return GameRecord(GAME, (game.first, game.second), programs, game.seed, turns, outcome)


def cost(statement: str, path: Path) -> tuple[float, float]:
    """The seconds of processor time and the most megabytes that Python needs for it."""
    script = (
        "import sys, time\nfrom pathlib import Path\n"
        f"from oddly.interfaces.command_line import main\npath = Path(sys.argv[1])\n{statement}\n"
        "(peak,) = [line for line in open('/proc/self/status') if line.startswith('VmHWM')]\n"
        "print(time.process_time(), int(peak.split()[1]) / 1024, file=sys.stderr)"
    )
    words = [sys.executable, "-c", script, str(path)]
    done = subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    seconds, megabytes = done.stderr.split()[-2:]
    return float(seconds), float(megabytes)


def rating(path: Path) -> float:
    """The seconds of processor time that ratings, error bars and the test of the advantage take."""
    with Ledger(path, read_only=True) as ledger:
        counts = ledger.counts()
    began = time.process_time()
    results = from_counts(counts)
    rate(results)
    advantage_test(results)
    return time.process_time() - began


if __name__ == "__main__":
    main()
