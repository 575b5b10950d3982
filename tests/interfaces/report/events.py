"""Ledgers with random games of all kinds, made without engines."""

import json
import sqlite3
from contextlib import closing
from itertools import permutations
from random import Random

from oddly.games.catalogue import create_game
from oddly.games.legal_turns import random_turn
from oddly.games.turns import Colour
from oddly.interfaces.report.page import page, read_reported_event
from oddly.referee.justice.outcome import Outcome, Termination
from oddly.referee.justice.record import GameRecord, PlayedTurn
from oddly.tournaments.ledger.store import Ledger
from oddly.tournaments.ledger.summaries import write_missing

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&\x1b[31m\u202e\ud800=1+1"
SHOWN = "</script><img src=x onerror=alert(1)>\"'&\\x1b[31m\\u202e\\ud800=1+1"
"""The same name as a reader sees it."""

GAMES = (
    create_game("yodd", 3),
    create_game("xodd", 3),
    create_game("odd", 3, {"min_group": 2}),
    create_game("ayu", 5, {"pie": True}),
)


def random_record(game, players, random, opening=()):
    """A random game to its end by the rules, or a resignation if that is far."""
    position, turns = game.start(), []
    while not position.is_over and len(turns) < 60:
        given = len(turns) < len(opening)
        turn = opening[len(turns)] if given else random_turn(position, random)
        turns.append(PlayedTurn(position.to_move, str(turn), random.random()))
        position = position.play(turn)
    result = position.result
    if result is None:
        outcome = Outcome(0, Colour.BLACK, "B+R", Termination.RESIGNATION, "", len(turns))
    else:
        swapped = any(played.turn == "swap" for played in turns)
        winner = None if result.winner is None else (result.winner is Colour.WHITE) ^ swapped
        ending = Termination[result.ending.name]
        outcome = Outcome(
            None if winner is None else int(winner), result.winner, str(result), ending,
            result.ending.value, len(turns),
        )  # fmt: skip
    return GameRecord(game, players, players, 1, tuple(turns), outcome, len(opening))


def fault_record(game, players, reason):
    """A game that the first player lost at once."""
    outcome = Outcome(1, Colour.WHITE, "W+F", Termination.ILLEGAL_TURN, reason, 0, reason)
    return GameRecord(game, players, players, 1, (), outcome)


def make_ledger(path, engines, games=GAMES, rounds=1, seed=1, name="an event"):
    """Make a ledger in which every ordered pair plays every game `rounds` times; its records."""
    entered = {
        engine: {"command": ["engine", engine], "time": "1", "options": {"level": engine}}
        for engine in engines
    }
    facts = {"name": name, "format": "round-robin", "seed": 0, "rounds": rounds,
             "games": [str(game) for game in games], "engines": entered}  # fmt: skip
    random, records = Random(seed), []
    for game in [*games] * rounds:
        opening = (random_turn(game.start(), random),)
        pairs = permutations(engines, 2)
        records += [random_record(game, pair, random, opening) for pair in pairs]
    with Ledger(path) as ledger:
        ledger.begin(facts)
    add_records(path, {f"{number:04}": record for number, record in enumerate(records)})
    return records


def event_of(path, most_games=200):
    """The event of a ledger, as a report shows it."""
    with Ledger(path, read_only=True) as ledger:
        return read_reported_event(ledger, most_games)


def report_of(path, most_games=200):
    """The report of a ledger, as a page."""
    return page(event_of(path, most_games), "oddly test")


def add_records(path, records):
    """Put records into a ledger, also such as the ledger itself would refuse."""
    winners = {None: "draw", 0: "first", 1: "second"}
    rows = [
        (identity, *(name.encode("utf-8", "backslashreplace").decode() for name in record.players),
         winners[record.outcome.winner], record.outcome.termination.value,
         "2026-11-21T12:00:00+00:00", "host", json.dumps(record.as_json()))
        for identity, record in records.items()
    ]  # fmt: skip
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany("insert into games values (?,?,?,?,?,?,?,?)", rows)
        write_missing(connection)
