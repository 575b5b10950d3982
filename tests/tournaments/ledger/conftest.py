"""A ledger of thirty games of Odd, played once by turns that the rules allow."""

import random
from dataclasses import replace

import pytest

from oddly.games import create_game, random_turn
from oddly.protocol import parse_turn
from oddly.referee import GameRecord, Outcome, PlayedTurn, Termination
from oddly.tournaments import Ledger, both_ways, rule
from oddly.tournaments.ledger.engines import Entrant
from oddly.tournaments.results.schedule import ListedOpenings
from tests.tournaments.ledger.test_store import FACTS

GAME = create_game("odd", 3)
GAMES = 30
OPENINGS = {GAME: ListedOpenings([("Bc3", "Wb2"), ("Wc3", "Bb2"), ("Bb3", "Wc2")])}
ENTERED = {"command": ["prog"], "time": "10", "options": {}}
MOMENT = "2026-11-24T12:00:00+00:00"
ENTRANTS = [Entrant(name, (f"/{name}",), {}, {f"/{name}": name * 64}) for name in "ab"]


def played(chance: random.Random, first: str, second: str, opening=()) -> GameRecord:
    """A random game to its end."""
    position, turns = GAME.start(), []
    while not position.is_over:
        begun = len(turns) < len(opening)
        turn = parse_turn(opening[len(turns)]) if begun else random_turn(position, chance)
        turns.append(PlayedTurn(position.to_move, str(turn), 0.125))
        position = position.play(turn)
    result = position.result
    winner = int(result.winner is not turns[0].colour)
    outcome = Outcome(
        winner, result.winner, str(result), Termination.BOARD_FULL, "board full", len(turns)
    )
    programs = (f"{first} 1", f"{second} 1")
    return GameRecord(
        GAME, (first, second), programs, 7, tuple(turns), outcome, opening=len(opening), host="club"
    )


@pytest.fixture(scope="session")
def whole(tmp_path_factory):
    """A sound ledger, closed. Nobody may change it."""
    path = tmp_path_factory.mktemp("whole") / "whole.sqlite"
    chance = random.Random(1)
    schedule = list(both_ways([GAME], [("a", "b")], GAMES // 2, 1, "spring", OPENINGS))
    # Every machine plays the same bytes, so that seeds of damage stay what they are.
    with pytest.MonkeyPatch.context() as patch, Ledger(path) as ledger:
        for module in ("store", "arbiter"):
            patch.setattr(f"oddly.tournaments.ledger.{module}.utc_now", lambda: MOMENT)
        ledger.begin({**FACTS, "settings": {}, "engines": dict.fromkeys("ab", ENTERED)})
        ledger.enter(ENTRANTS)
        for number, game in enumerate(schedule):
            ledger.announce(game)
            record = played(chance, game.first, game.second, game.opening)
            if number == 9:
                record = replace(record, deaths=("", "exited with code 3"))
            ledger.add(game.id, record, game)
        rule(ledger, "annul", [schedule[4].id], "a test")
    return path


@pytest.fixture
def path(whole, tmp_path):
    """A copy of the sound ledger."""
    path = tmp_path / "a.sqlite"
    path.write_bytes(whole.read_bytes())
    return path
