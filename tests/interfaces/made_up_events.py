"""Events made up to be shown: ledgers with every format, and with results of every kind."""

import json
import sys
from dataclasses import dataclass
from itertools import cycle, islice
from random import Random

from oddly.games.catalogue import create_game
from oddly.games.turns import Colour
from oddly.referee.justice.outcome import Outcome, Termination
from oddly.referee.justice.record import GameRecord, PlayedTurn
from oddly.tournaments.formats.format import FORMATS, Event
from oddly.tournaments.ledger.store import Ledger
from oddly.tournaments.results.schedule import PlayedGame

YODD, AYU = create_game("yodd", 3), create_game("ayu", 5)
ENDS = {
    "1": Outcome(0, Colour.BLACK, "B+2", Termination.DOUBLE_PASS, "", 2),
    "2": Outcome(1, Colour.WHITE, "W+1", Termination.DOUBLE_PASS, "", 2),
    "d": Outcome(None, None, "0", Termination.REPETITION, "", 2),
    "t": Outcome(1, Colour.WHITE, "W+T", Termination.TIME, "too late", 2, lag=0.07),
    "c": Outcome(0, Colour.BLACK, "B+F", Termination.CRASH, "it exited", 2),
    "v": Outcome(None, None, "void", Termination.VOID, "nobody was ready", 2),
}
MAX_GAMES = 200
RANDOM = (sys.executable, "-m", "oddly", "engine", "random")


def write_tournament(path, games, rounds=1, concurrency=1, name="small", **commands):
    """Write a tournament file: games as name and size, and the command of each engine."""
    told = {"name": name, "rounds": rounds, "concurrency": concurrency}
    tables = [("[tournament]", told)]
    tables += [("[[game]]", {"game": game, "size": size}) for game, size in games]
    tables += [("[[engine]]", {"name": each, "command": commands[each]}) for each in commands]
    keys = lambda facts: [f"{key} = {json.dumps(value)}" for key, value in facts.items()]  # noqa: E731
    lines = [line for heading, facts in tables for line in (heading, *keys(facts))]
    path.write_text("\n".join(lines), encoding="utf-8")


@dataclass
class Shape:
    """An event to be made up: its format, and the results of its games in their order."""

    format: str
    settings: dict
    engines: tuple[str, ...]
    results: str
    games: tuple = (YODD,)
    idle: tuple[str, ...] = ()
    """Engines that were entered and have no game."""
    lines: int = MAX_GAMES
    """How many different lines of play there are, which come again and again."""


SHAPES = {
    "several games, draws and forfeits": Shape(
        "round-robin", {"rounds": 3}, ("one", "two", "three"), "1d2t1cdd21v", (YODD, AYU)
    ),
    "one engine without games": Shape(
        "round-robin", {"rounds": 2}, ("one", "two"), "12d1", (AYU,), ("idle",)
    ),
    "won pairs, then lost ones": Shape(
        "round-robin", {"rounds": 80}, ("one", "two"), "12" * 40 + "21" * 40
    ),
    "an undecided test": Shape("match", {"games": 11}, ("one", "two"), "12" * 3 + "11" * 2 + "1"),
    "a test with a void game": Shape(
        "sprt", {"elo0": 0, "elo1": 50, "games": 20}, ("one", "two"), "1211v1" + "12" * 7
    ),
    "sprt": Shape("sprt", {"elo0": -20.0, "elo1": 90.0, "alpha": 0.1}, ("one", "two"), "12" * 60),
    "swiss": Shape("swiss", {"rounds": 3}, tuple("abcde"), "1122d1d2t2"),
    "gauntlet": Shape("gauntlet", {"rounds": 4}, ("one", "two", "three"), "1d22121"),
    "rating pool": Shape("rating-pool", {"games": 40}, tuple("abcd"), "12d1222t1"),
    "knockout": Shape("knockout", {}, tuple("abcde"), "1222d1"),
    "copies": Shape("match", {"games": 40}, ("one", "two"), "12d11221", (AYU,), lines=8),
    "copies in a test": Shape(
        "sprt", {"elo0": 0, "elo1": 90}, ("one", "two"), "121121" * 9, lines=12
    ),
    "no game has ended": Shape("match", {"games": 4}, ("one", "two"), ""),
}


def fill(path, shape):
    """Write the ledger of such an event, its games in the order in which they might have ended."""
    format_ = FORMATS[shape.format](**shape.settings)
    event = Event("an event", 1, shape.games, shape.engines)
    made = spelled if shape.format == "sprt" else planned
    ended = made(event, shape.results, format_)
    settings = {**format_.facts()}
    rounds = {"rounds": settings.pop("rounds")} if "rounds" in settings else {}
    entered = {
        name: {"command": [name], "time": "1", "options": {}}
        for name in (*shape.engines, *shape.idle)
    }
    facts = {"name": "an event", "format": shape.format, "seed": 1, **rounds, "settings": settings,
             "games": [str(game) for game in shape.games], "engines": entered}  # fmt: skip
    words = [f"turn-{place % shape.lines}" for place in range(len(ended))]
    ended = [(*game, word) for game, word in zip(ended, words, strict=True)]
    # Games that run at once end in another order than they were scheduled in.
    Random(7).shuffle(ended)
    with Ledger(path) as ledger:
        ledger.begin(facts)
        for scheduled, outcome, word in ended:
            ledger.announce(scheduled)
            players = scheduled.first, scheduled.second
            turns = (PlayedTurn(Colour.BLACK, word, 0.25), PlayedTurn(Colour.WHITE, "pass", 1.5))
            record = GameRecord(scheduled.game, players, players, 1, turns, outcome)
            ledger.add(scheduled.id, record, scheduled)


def planned(event, results, format_):
    """The games that a plan gives, with these results over and over; at most MAX_GAMES."""
    plan, ended = format_.plan(event), []
    for result in islice(cycle(results), MAX_GAMES):
        if (scheduled := plan.next()) is None:
            break
        # Yodd has no draws.
        outcome = ENDS["1" if result == "d" and scheduled.game is YODD else result]
        plan.learn(PlayedGame(scheduled, outcome))
        ended.append((scheduled, outcome))
    return ended


def spelled(event, results, format_=None):
    """Games of two engines with these results, also after a verdict: they ran while it fell."""
    (contest,) = event.contests().values()
    games = [
        scheduled
        for round_ in range(1, len(results) // 2 + 1)
        for scheduled in contest.pair(*event.engines, round_)
    ]
    return [(scheduled, ENDS[result]) for scheduled, result in zip(games, results, strict=True)]
