"""Rows of the arena's file: the keeper's orders, rulings, invitations and new names.

How a game was paired, and how it ended, is JSON in its row: it is read and written here as well.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple, assert_never

from oddly.arena.effects import Invited, KeeperWrite, OrderDone, Renamed, Ruled
from oddly.arena.game import GameEnding, GamePlan
from oddly.arena.rulings import KeeperOrder, KnownGame
from oddly.arena.store.files import BEGUN
from oddly.protocol import parse_time_control
from oddly.tournaments.ledger.ledger_file import utc_now
from oddly.tournaments.results.counts import winner_word
from oddly.tournaments.results.schedule import scheduled_facts, scheduled_from

if TYPE_CHECKING:
    from pathlib import Path


RENAMES = (
    "update games set first = ? where first = ?",
    "update games set second = ? where second = ?",
    "update ratings set engine = ? where engine = ?",
    "update leaders set engine = ? where engine = ?",
)
"""The statements that rename an engine in tables other than `engines`."""
WAIT_FOR_LOCK = 10.0
"""Seconds to wait while an arena writes."""


class ArenaRuling(NamedTuple):
    """A ruling with its time, in UTC."""

    moment: str
    ruled: Ruled

    def sentence(self) -> str:
        """Return the ruling on one line, with its date."""
        return f"ruling of {self.moment[:10]}: {self.ruled.sentence()}"


class OrderAnswer(NamedTuple):
    """The result of an order."""

    text: str
    is_refused: bool


def keep(connection: sqlite3.Connection, write: KeeperWrite) -> None:
    """Write a row of the keeper, in a transaction. Raises sqlite3.Error."""
    match write:
        case Ruled():
            _rule(connection, write)
        case Renamed(old, old_slug, new, new_slug):
            names = "update engines set name = ?, slug = ? where slug = ?"
            connection.execute(names, (new, new_slug, old_slug))
            for statement in RENAMES:
                connection.execute(statement, (new, old))
        case Invited(code, engines):
            row = (code, engines, utc_now())
            connection.execute("insert or replace into invitations values (?,?,?)", row)
        case OrderDone(number, answer, is_refused):
            done = "update orders set answer = ?, is_refused = ? where number = ?"
            connection.execute(done, (answer, int(is_refused), number))
        case _:
            assert_never(write)


def _rule(connection: sqlite3.Connection, ruled: Ruled) -> None:
    row = (utc_now(), ruled.kind, ruled.subject, ruled.name, ruled.reason, ruled.value)
    connection.execute("insert into rulings values (null,?,?,?,?,?,?)", row)
    if ruled.subject == "game":
        query = "select ending from games where id = ?"
        (ending,) = connection.execute(query, (ruled.name,)).fetchone()
        known = read_ending(ending)
        counts = ruled.kind == "restore" and not known.is_void
        winner = winner_word(known.winner) if counts else None
        connection.execute("update games set winner = ? where id = ?", (winner, ruled.name))


def rulings(connection: sqlite3.Connection) -> list[ArenaRuling]:
    """Return all rulings in their order."""
    query = "select moment, kind, subject, name, value, reason from rulings order by number"
    return [ArenaRuling(moment, Ruled(*row)) for moment, *row in connection.execute(query)]


def new_names(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return the new names that the keeper gave in their order, each after the old one."""
    query = "select name, value from rulings where kind = 'rename' order by number"
    return connection.execute(query).fetchall()


def present_names(connection: sqlite3.Connection) -> dict[str, str]:
    """Return what each engine with a former name is called now, by that name.

    In an older file another engine may have the name now: then it is not among them.
    """
    later: dict[str, str] = {}
    found: dict[str, str] = {}
    for old, new in reversed(new_names(connection)):
        later[old] = later.get(new, new)
        # Of two engines that had one name, the last one is found by it.
        found.setdefault(old, later[old])
    query = (
        "select name from engines where name in (select name from rulings where kind = 'rename')"
    )
    for (name,) in connection.execute(query):
        found.pop(name, None)
    return found


def pending_orders(connection: sqlite3.Connection) -> list[KeeperOrder]:
    """Return the orders without an answer."""
    query = "select kind, name, value, reason, number from orders where answer is null"
    return [KeeperOrder(*row) for row in connection.execute(f"{query} order by number")]


def known_game(connection: sqlite3.Connection, identity: str) -> KnownGame | None:
    """Return a game; None if there is none."""
    query = (
        "select pool, first, second, state, winner, ending, json_extract(plan, '$.rated') "
        "from games where id = ?"
    )
    row = connection.execute(query, (identity,)).fetchone()
    if row is None:
        return None
    pool, first, second, state, winner, text, rated = row
    # A running game has no winner, and no ending yet.
    ending = None if state == BEGUN else read_ending(text)
    return KnownGame(
        identity,
        pool,
        first,
        second,
        None if ending is None else ending.winner,
        counts=winner is not None,
        never_counts=not rated or (ending is not None and ending.is_void),
        is_over=ending is not None,
    )


def give_order(path: Path, order: KeeperOrder) -> int:
    """Write an order, and return its number. Raises sqlite3.Error."""
    with closing(_beside(path)) as connection, connection:
        row = (order.kind, order.name, order.value, order.reason)
        query = "insert into orders values (null,?,?,?,?,null,0)"
        return int(connection.execute(query, row).lastrowid or 0)


def answer_to(path: Path, number: int) -> OrderAnswer | None:
    """Return the answer to an order, and delete it; None while there is none.

    Raises sqlite3.Error.
    """
    with closing(_beside(path)) as connection, connection:
        query = "select answer, is_refused from orders where number = ? and answer is not null"
        row = connection.execute(query, (number,)).fetchone()
        if row is None:
            return None
        connection.execute("delete from orders where number = ?", (number,))
        return OrderAnswer(str(row[0]), bool(row[1]))


def _beside(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path.absolute().as_uri() + "?mode=rw", timeout=WAIT_FOR_LOCK, uri=True)


def ending_text(ending: GameEnding) -> str:
    """Return an ending as JSON."""
    return json.dumps(ending._asdict())


def read_ending(text: str) -> GameEnding:
    """Return the ending that a text describes. Raises ValueError or TypeError."""
    return GameEnding(**json.loads(text))


def plan_text(plan: GamePlan) -> str:
    """Return a plan as JSON."""
    return json.dumps(
        {
            "scheduled": scheduled_facts(plan.scheduled),
            "pool": plan.pool,
            "time": str(plan.control),
            "programs": list(plan.programs),
            "rated": plan.rated,
            "second": plan.is_second,
            **({"seat": plan.seat} if plan.seat else {}),
            **({} if plan.opening_turns is None else {"opening_turns": plan.opening_turns}),
            **({"address": plan.address} if plan.address else {}),
        }
    )


def read_plan(text: str) -> GamePlan:
    """Return the plan that a text describes. Raises ValueError or KeyError."""
    value: dict[str, Any] = json.loads(text)
    one, other = value["programs"]
    return GamePlan(
        scheduled_from(value["scheduled"]),
        value["pool"],
        parse_time_control(value["time"]),
        (one, other),
        value["rated"],
        value["second"],
        value.get("seat", ""),
        value.get("opening_turns"),
        value.get("address", ""),
    )
