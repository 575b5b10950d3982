"""The outbox on the disk: an SQLite file that survives a crash at any moment."""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from oddly.game_records.abstract_play_turns import game_by_ids, ids_of
from oddly.interfaces.bot.outbox import MAX_TASKS, OPEN, TurnStage, TurnTask
from oddly.interfaces.bot.webhooks import TurnRequest
from oddly.referee import RecordError
from oddly.safe_files import BoundedConnection, UnusableFileError, json_value
from oddly.safe_files.own_database import TIMEOUT, DatabaseKind, OwnDatabase

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from oddly.interfaces.bot.site_view import ListedGame

TABLES = """
create table turn (
    gameid text primary key, meta text not null, variants text not null, texts text not null,
    stage text not null, seen real not null, deadline real, move text not null,
    attempts integer not null, next_try real not null, refused text not null, said text not null
) strict;
create table game (
    gameid text primary key, meta text not null, plies integer not null, ours integer not null,
    opponents text not null
) strict;
create table contact (what text primary key, at real not null) strict;
"""
KIND = DatabaseKind("outbox", 0x6F64626F, 1, TABLES)  # odbo


class OutboxFile:
    """An open file. Its methods raise sqlite3.Error if the disk does not take something."""

    def __init__(self, connection: BoundedConnection) -> None:
        self._connection = connection

    def keep(self, task: TurnTask) -> None:
        """Have a task on the disk when this returns."""
        request = task.request
        meta, variants = request.meta, ids_of(request.game)[1]
        with self._connection as connection:
            connection.execute(
                "insert or replace into turn values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    request.gameid, meta, json.dumps(variants), json.dumps(request.texts),
                    task.stage.value, task.seen, task.deadline, task.move, task.attempts,
                    task.next_try, json.dumps(task.refused), task.said,
                ),
            )  # fmt: skip

    def tasks(self) -> dict[str, TurnTask]:
        """Return what is kept. Raises UnusableFileError for what no bot writes."""
        rows = self._connection.execute("select * from turn order by seen")
        return {row[0]: _task(row) for row in rows}

    def forget_old(self) -> None:
        """Forget the oldest games of those in which there is nothing to do."""
        marks = ", ".join("?" * len(OPEN))
        with self._connection as connection:
            connection.execute(
                f"delete from turn where stage not in ({marks}) and gameid not in "  # noqa: S608
                "(select gameid from turn order by seen desc limit ?)",
                (*(stage.value for stage in OPEN), MAX_TASKS),
            )

    def keep_games(self, games: Iterable[ListedGame]) -> None:
        """Keep our games as the site lists them, in place of those before."""
        with self._connection as connection:
            connection.execute("delete from game")
            connection.executemany(
                "insert or replace into game values (?, ?, ?, ?, ?)",
                [(game.gameid, game.meta, game.plies, game.is_our_turn, ", ".join(game.names))
                 for game in games],
            )  # fmt: skip

    def games(self) -> list[tuple[str, str, int, bool, str]]:
        """Return id, game, plies, whether it is our turn and the opponents of each game."""
        rows = self._connection.execute("select * from game order by ours desc, gameid")
        return [(*row[:3], bool(row[3]), row[4]) for row in rows]

    def note_contact(self, what: str, at: float) -> None:
        """Keep the Unix second of the last contact of a kind."""
        with self._connection as connection:
            connection.execute("insert or replace into contact values (?, ?)", (what, at))

    def contacts(self) -> dict[str, float]:
        """Return the Unix second of the last contact of each kind."""
        return dict(self._connection.execute("select what, at from contact"))


@contextmanager
def open_outbox(path: Path | None) -> Iterator[OutboxFile]:
    """Open the outbox at a path, a new one if there is none, for this process alone.

    None stands for memory. Raises UnusableFileError if it cannot be used.
    """
    with OwnDatabase(path, KIND) as own:
        yield OutboxFile(own.connection)


@contextmanager
def read_outbox(path: Path) -> Iterator[OutboxFile]:
    """Open an outbox to read it, even while a bot writes it. Raises UnusableFileError."""
    if not path.is_file():
        raise UnusableFileError(f"{path}: there is no outbox; the bot makes it when it starts")
    # Without a log beside it no bot writes it; then nothing is put there, which may be another
    # user's and would keep the bot from its own file.
    is_live = path.with_name(f"{path.name}-wal").exists()
    address = f"file:{quote(str(path.absolute()))}?{'mode=ro' if is_live else 'immutable=1'}"
    connection = sqlite3.connect(address, uri=True, timeout=TIMEOUT, factory=BoundedConnection)
    try:
        KIND.check(connection, path)
        yield OutboxFile(connection)
    except sqlite3.Error as error:
        raise UnusableFileError(f"{path}: the outbox cannot be read: {error}") from None
    finally:
        connection.close()


def _task(row: Any) -> TurnTask:  # noqa: ANN401 - a row of values
    (
        gameid,
        meta,
        variants,
        texts,
        stage,
        seen,
        deadline,
        move,
        attempts,
        next_try,
        refused,
        said,
    ) = row
    try:
        game = game_by_ids(meta, json_value(variants))
        request = TurnRequest(gameid, meta, game, tuple(map(str, json_value(texts))))
        return TurnTask(
            request, TurnStage(stage), seen, deadline, move, attempts, next_try,
            tuple(map(str, json_value(refused))), said,
        )  # fmt: skip
    except (RecordError, ValueError, TypeError) as error:
        raise UnusableFileError(f"the outbox has a turn that cannot be read: {error}") from None
