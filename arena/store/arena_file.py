"""The arena's own file: who is registered, every running game, and the time of its clock."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from typing import TYPE_CHECKING, Any

from oddly.arena.effects import (
    AddressAllowance,
    AskedFor,
    Batch,
    Begun,
    Finished,
    Heard,
    NewLeader,
    NewRating,
    SetUp,
    SingleWrite,
    TurnCounted,
)
from oddly.arena.game import ArenaGame, CountedTurn, GameEnding, GamePlan, UnheardEnd
from oddly.arena.registry import EngineState, Owner, RegisteredEngine
from oddly.arena.sessions import DAY
from oddly.arena.store.files import BEGUN, ENDED, FILED, KIND
from oddly.arena.store.rows import ending_text, keep, plan_text, read_ending, read_plan
from oddly.protocol import TurnEvaluation
from oddly.referee import GameRecord
from oddly.referee.justice.clock import Wait
from oddly.safe_files.own_database import OwnDatabase
from oddly.tournaments.ledger.ledger_file import utc_now
from oddly.tournaments.results.counts import WINNER_BY_WORD, winner_word

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from oddly.games import Game
    from oddly.tournaments.results.schedule import Opening


TURNS_AT_ONCE = 50


class ArenaFile(OwnDatabase):
    """An open file of an arena. Opening it raises UnusableFileError."""

    def __init__(self, path: Path) -> None:
        seed = f"insert into clock values (0, {secrets.randbits(48)});"  # noqa: S608
        super().__init__(path, KIND, seed)
        # Statements are transactions of their own, unless they stand in one.
        self.connection.isolation_level = None

    def heartbeat(self) -> float:
        """Return the last recorded time of the arena's clock."""
        query = "select max(heartbeat, ifnull((select max(looked) from turns), 0)) from clock"
        return float(self.connection.execute(query).fetchone()[0])

    def seed(self) -> int:
        """Return the seed of all games of this arena."""
        return int(self.connection.execute("select seed from clock").fetchone()[0])

    def write(self, batch: Batch, now: float) -> None:
        """Write a batch, all or nothing. It is on disk on return. Raises sqlite3.Error."""
        turns = [_turn_row(row) for row in batch.writes if isinstance(row, TurnCounted)]
        if 0 < len(turns) == len(batch.writes) <= TURNS_AT_ONCE and not batch.is_of_people:
            # Turns carry the arena's time, so no heartbeat is needed.
            _write_turns(self.connection, turns)
            return
        with self.connection as connection:
            connection.execute("begin immediate")
            for write in batch.writes:
                if not isinstance(write, TurnCounted):
                    _write(connection, write)
            for first in range(0, len(turns), TURNS_AT_ONCE):
                _write_turns(connection, turns[first : first + TURNS_AT_ONCE])
            for who in batch.people:
                _write_person(connection, who)
            for code in batch.invitations:
                used = "update invitations set engines = engines - 1 where code = ?"
                connection.execute(used, (code,))
            if batch.beats:
                connection.execute("delete from allowances where since <= ?", (now - DAY,))
            connection.execute("update clock set heartbeat = max(heartbeat, ?)", (now,))

    def unfiled(self, known: Mapping[str, GameRecord]) -> list[tuple[GamePlan, GameRecord]]:
        """Return the games that are over and may not be in their ledgers yet.

        The records of some are `known`, by id.
        """
        query = "select id, plan, record from games where state = ? order by rowid"
        rows = self.connection.execute(query, (ENDED,)).fetchall()
        return [
            (read_plan(plan), known.get(game) or GameRecord.from_json(json.loads(record)))
            for game, plan, record in rows
        ]

    def mark_filed(self, games: Iterable[str]) -> None:
        """Forget the turns of games that are in their ledgers. Raises sqlite3.Error.

        An unrated game is in no ledger, and keeps its record here.
        """
        kept = "case when json_extract(plan, '$.rated') then null else record end"
        with self.connection as connection:
            connection.execute("begin immediate")
            for game in games:
                done = f"update games set state = ?, record = {kept} where id = ?"  # noqa: S608
                connection.execute(done, (FILED, game))
                connection.execute("delete from turns where game = ?", (game,))

    def owners(self) -> list[Owner]:
        """Return all owners."""
        query = "select name, key, is_house, banned, created from owners order by rowid"
        return [
            Owner(name, key, bool(house), banned, created)
            for name, key, house, banned, created in self.connection.execute(query)
        ]

    def engines(self) -> list[RegisteredEngine]:
        """Return all engines, in the order in which they were registered."""
        query = (
            "select slug, name, family, owner, key, program, about, pools, state, created, seen "
            "from engines order by rowid"
        )
        return [_engine(row) for row in self.connection.execute(query)]

    def invitations(self) -> Counter[str]:
        """Return the number of engines that each code may still register."""
        return Counter(dict(self.connection.execute("select code, engines from invitations")))

    def allowances(self) -> list[AddressAllowance]:
        """Return the number of engines that each address, by its hash, may still register."""
        query = "select address, left, since from allowances order by since"
        return [AddressAllowance(*row) for row in self.connection.execute(query)]

    def running(self) -> list[ArenaGame]:
        """Return the running games as they were when the arena's clock stopped."""
        query = (
            "select id, plan, began, set_up, asked_number, asked, held from games "
            "where state = ? order by rowid"
        )
        found = []
        for identity, plan, began, set_up, number, asked, held in self.connection.execute(
            query, (BEGUN,)
        ).fetchall():
            game = ArenaGame(read_plan(plan), began)
            game.is_set = [bool(set_up & 1), bool(set_up & 2)]
            for turn in self._turns(identity):
                game.restore(turn)
            if number == len(game.turns):
                game.ask(asked)
                if held is not None:
                    game.hold(held)
            found.append(game)
        return found

    def _turns(self, game: str) -> Iterator[CountedTurn]:
        query = (
            "select number, turn, asked, looked, taken, credit, evaluation from turns "
            "where game = ? order by number"
        )
        for number, turn, asked, looked, taken, credit, evaluation in self.connection.execute(
            query, (game,)
        ).fetchall():
            said = TurnEvaluation.from_json(json.loads(evaluation)) if evaluation else None
            yield CountedTurn(number, turn, Wait(asked, looked, taken), credit, said)

    def unheard(self) -> list[UnheardEnd]:
        """Return the endings that their players do not know yet."""
        query = (
            "select id, case when json_extract(plan, '$.rated') then pool else '' end, "
            "first, second, ending, heard from games where heard < 3 and state > 0"
        )
        found = []
        for identity, pool, first, second, ending, heard in self.connection.execute(query):
            known = read_ending(ending)
            for player, name in enumerate((first, second)):
                if not heard & (1 << player):
                    found.append(UnheardEnd(identity, pool, player, name, known))
        return found

    def leaders(self) -> dict[str, str]:
        """Return the last leader of each pool."""
        query = "select pool, engine from leaders order by number"
        return dict(self.connection.execute(query).fetchall())

    def rounds_by_pair(self) -> Counter[tuple[str, frozenset[str]]]:
        """Return the number of rounds that each pair began in each pool."""
        query = "select pool, first, second, max(round) from games group by pool, first, second"
        found: Counter[tuple[str, frozenset[str]]] = Counter()
        for pool, first, second, round_ in self.connection.execute(query):
            key = pool, frozenset((first, second))
            found[key] = max(found[key], round_)
        return found

    def openings(self, turns: Mapping[str, int]) -> dict[str, dict[int, Opening]]:
        """Return the openings of the rounds that began, by the pool and the round.

        `turns` has the present `opening_turns` of the pools: openings of other settings are left
        out. Older games do not say theirs, so their openings count only if all have that length.
        """
        query = (
            "select pool, round, json_extract(plan, '$.scheduled.opening'), "
            "json_extract(plan, '$.opening_turns') from games "
            "where rowid in (select max(rowid) from games where round > 0 group by pool, round)"
        )
        found: dict[str, dict[int, Opening]] = {pool: {} for pool in turns}
        older: dict[str, dict[int, Opening]] = {pool: {} for pool in turns}
        for pool, round_, text, setting in self.connection.execute(query):
            opening = tuple(json.loads(text))
            if opening and pool in turns and setting in (None, turns[pool]):
                (older if setting is None else found)[pool][round_] = opening
        for pool, openings in older.items():
            if {*map(len, openings.values())} == {turns[pool]}:
                found[pool] |= openings
        return found

    def game_of(self, pool: str) -> Game | None:
        """Return the game that a pool's rated games are of; None if it has none."""
        query = "select plan from games where pool = ? and json_extract(plan, '$.rated') limit 1"
        row = self.connection.execute(query, (pool,)).fetchone()
        return None if row is None else read_plan(row[0]).scheduled.game

    def results(self) -> dict[str, list[tuple[str, str, int | None, int]]]:
        """Return each pool's numbers of games by first player, second player and winner."""
        query = (
            "select pool, first, second, winner, count(*) from games where winner is not null "
            "group by pool, first, second, winner order by min(rowid)"
        )
        found: dict[str, list[tuple[str, str, int | None, int]]] = {}
        for pool, first, second, winner, games in self.connection.execute(query):
            found.setdefault(pool, []).append((first, second, WINNER_BY_WORD[winner], games))
        return found


def _engine(row: tuple[Any, ...]) -> RegisteredEngine:
    slug, name, family, owner, key, program, about, pools, state, created, seen = row
    return RegisteredEngine(
        slug, name, family, owner, key, program, about, tuple(json.loads(pools)),
        EngineState(state), created, seen,
    )  # fmt: skip


def _write(connection: sqlite3.Connection, write: SingleWrite) -> None:
    match write:
        case Begun(plan, began):
            game = plan.scheduled
            row = (game.id, plan.pool, game.first, game.second, game.round, BEGUN,
                   plan_text(plan), began, utc_now())  # fmt: skip
            connection.execute(
                "insert into games (id, pool, first, second, round, state, plan, began, started, "
                "set_up, asked_number, asked, heard) values (?,?,?,?,?,?,?,?,?,0,-1,0,0)",
                row,
            )
        case SetUp(game, player):
            done = "update games set set_up = set_up | ? where id = ?"
            connection.execute(done, (1 << player, game))
        case AskedFor(game, number, asked, held):
            done = (
                "update games set asked_number = ?, asked = ?, held = ? "
                "where id = ? and asked_number <= ?"
            )
            connection.execute(done, (number, asked, held, game, number))
        case Finished(game, record, _):
            _finish(connection, game, record)
        case Heard(game, player):
            done = "update games set heard = heard | ? where id = ?"
            connection.execute(done, (1 << player, game))
        case NewRating(pool, engine, rating):
            connection.execute(
                "insert or replace into ratings values (?,?,?,?,?,?)",
                (pool, engine, utc_now()[:13], rating.elo, rating.error, rating.games),
            )
        case NewLeader(pool, engine, elo):
            connection.execute(
                "insert into leaders values (null,?,?,?,?)", (utc_now(), pool, engine, elo)
            )
        case AddressAllowance():
            connection.execute("insert or replace into allowances values (?,?,?)", write)
        case _:
            keep(connection, write)


def _turn_row(counted: TurnCounted) -> tuple[Any, ...]:
    turn = counted.turn
    said = json.dumps(turn.evaluation.as_json()) if turn.evaluation else ""
    return (counted.game, turn.number, turn.turn, *turn.wait, turn.credit, said)


def _write_turns(connection: sqlite3.Connection, rows: list[tuple[Any, ...]]) -> None:
    """Write turns in one statement: each statement lets other threads run, then waits for them."""
    places = ",".join(["(?,?,?,?,?,?,?,?)"] * len(rows))
    values = [value for row in rows for value in row]
    connection.execute(f"insert into turns values {places}", values)  # noqa: S608


def _finish(connection: sqlite3.Connection, game: str, record: GameRecord) -> None:
    winner = None if record.outcome.is_void else winner_word(record.outcome.winner)
    ending, whole = ending_text(GameEnding.of(record)), json.dumps(record.as_json())
    connection.execute(
        # A visitor's address is forgotten.
        "update games set plan = json_remove(plan, '$.address'), "
        "state = ?, finished = ?, ending = ?, record = ?, "
        "winner = case when json_extract(plan, '$.rated') then ? end where id = ? and state = 0",
        (ENDED, utc_now(), ending, whole, winner, game),
    )


def _write_person(connection: sqlite3.Connection, who: Owner | RegisteredEngine) -> None:
    if isinstance(who, Owner):
        connection.execute(
            "insert into owners values (?,?,?,?,?) on conflict (name) do update set "
            "key = excluded.key, is_house = excluded.is_house, banned = excluded.banned",
            (who.name, who.key, int(who.is_house), who.banned, who.created),
        )
        return
    connection.execute(
        "insert into engines values (?,?,?,?,?,?,?,?,?,?,?) on conflict (slug) do update set "
        "key = excluded.key, program = excluded.program, about = excluded.about, "
        "pools = excluded.pools, state = excluded.state, seen = excluded.seen",
        (who.slug, who.name, who.family, who.owner, who.key, who.program, who.about,
         json.dumps(who.pools), who.state.value, who.created, who.seen),
    )  # fmt: skip
