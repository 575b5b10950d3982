"""The outbox on the disk, which survives a crash at any moment, and what `oddly bot status` says.

The status lists a bot's games from its outbox, whether the bot runs or not.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tabulate import tabulate

from oddly.game_records.abstract_play_turns import game_by_ids, ids_of
from oddly.games import one_line
from oddly.games.wording import counted
from oddly.interfaces.bot.outbox import MAX_TASKS, OPEN, TurnStage, TurnTask
from oddly.interfaces.bot.site_view import ListedGame, TurnRequest
from oddly.referee import RecordError
from oddly.safe_files import BoundedConnection, UnusableFileError, json_value
from oddly.safe_files.own_database import TIMEOUT, DatabaseKind, OwnDatabase
from oddly.safe_files.sqlite_file import file_beside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


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
    """An open outbox. Its methods raise sqlite3.Error if the disk fails."""

    def __init__(self, connection: BoundedConnection) -> None:
        self._connection = connection

    def keep(self, task: TurnTask) -> None:
        """Store a task. It is on the disk when this returns."""
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
        """Return the stored tasks. Raises UnusableFileError for one that no bot writes."""
        rows = self._connection.execute("select * from turn order by seen")
        return {row[0]: _task(row) for row in rows}

    def forget_old(self) -> None:
        """Forget the oldest games in which there is nothing to do."""
        marks = ", ".join("?" * len(OPEN))
        with self._connection as connection:
            connection.execute(
                f"delete from turn where stage not in ({marks}) and gameid not in "  # noqa: S608
                "(select gameid from turn order by seen desc limit ?)",
                (*(stage.value for stage in OPEN), MAX_TASKS),
            )

    def keep_games(self, games: Iterable[ListedGame]) -> None:
        """Keep our games as the site lists them, in place of the last list."""
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
    # Without a log beside it, no bot is writing. Then no file is made there: it might belong to
    # another user, and would keep the bot from its own outbox.
    is_live = file_beside(path, "-wal").exists()
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
    gameid, meta, variants, texts, stage, seen, deadline = row[:7]
    move, attempts, next_try, refused, said = row[7:]
    try:
        game = game_by_ids(meta, json_value(variants))
        request = TurnRequest(gameid, meta, game, tuple(map(str, json_value(texts))))
        return TurnTask(
            request, TurnStage(stage), seen, deadline, move, attempts, next_try,
            tuple(map(str, json_value(refused))), said,
        )  # fmt: skip
    except (RecordError, ValueError, TypeError) as error:
        raise UnusableFileError(f"the outbox has a turn that cannot be read: {error}") from None


CONTACTS = {
    "webhook": "the site's last message",
    "site": "the site's last answer",
    "sweep": "the last sweep",
}
SHOWN = 60
"""Characters of the site's words in a table."""


def bot_status(file: OutboxFile, now: float) -> dict[str, Any]:
    """Return the status as plain values; `now` is in Unix seconds. Raises sqlite3.Error.

    `games` has the games that the site listed last, and those with a turn that it has not got.
    """
    tasks = file.tasks()
    games = []
    for gameid, meta, plies, ours, opponents in file.games():
        task = tasks.pop(gameid, None)
        if task is not None and task.request.plies < plies - 1:
            task = None
        games.append(_game(gameid, meta, plies, opponents, task, now, ours=ours))
    for gameid, task in tasks.items():
        if task.is_open or task.stage in (TurnStage.REFUSED, TurnStage.FAILED):
            request = task.request
            games.append(_game(gameid, request.meta, request.plies, "", task, now, ours=True))
    contacts = file.contacts()
    stages = [game["outbox"] for game in games]
    return {
        "contacts": {what: contacts.get(what) for what in CONTACTS},
        "games": games,
        "to_think": stages.count(TurnStage.ASKED.value),
        "unsent": stages.count(TurnStage.DECIDED.value) + stages.count(TurnStage.SENDING.value),
    }


def _game(
    gameid: str,
    meta: str,
    plies: int,
    opponents: str,
    task: TurnTask | None,
    now: float,
    *,
    ours: bool,
) -> dict[str, Any]:
    if task is not None:
        # The outbox is newer than the list.
        done = task.stage in (TurnStage.TAKEN, TurnStage.CLOSED)
        ours = task.request.plies >= plies if not done else ours and task.request.plies < plies
        plies = max(plies, task.request.plies + (task.stage is TurnStage.TAKEN))
    deadline = task.deadline if task is not None and ours else None
    return {
        "id": gameid,
        "game": meta,
        "opponent": opponents,
        "plies": plies,
        "turn": "ours" if ours else "theirs",
        "seconds_left": None if deadline is None else round(deadline - now),
        "outbox": task.stage.value if task is not None else None,
        "move": (task.move or None) if task is not None else None,
        "attempts": task.attempts if task is not None else 0,
        "said": (task.said or None) if task is not None else None,
    }


def status_text(facts: dict[str, Any], now: float) -> str:
    """Return the status as a table and sentences."""
    rows = [
        (
            one_line(game["id"]), one_line(game["game"]), one_line(game["opponent"]),
            game["plies"], game["turn"],
            "" if game["seconds_left"] is None else duration(game["seconds_left"]),
            game["outbox"] or "", game["move"] or "", one_line((game["said"] or "")[:SHOWN]),
        )
        for game in facts["games"]
    ]  # fmt: skip
    headers = ("id", "game", "opponent", "plies", "turn", "left", "outbox", "move", "last words")
    table = tabulate(rows, headers, disable_numparse=True) if rows else "no games"
    contacts = [
        f"{what}: {'never' if facts['contacts'][key] is None else _ago(now, facts, key)}"
        for key, what in CONTACTS.items()
    ]
    counts = f"{counted(facts['to_think'], 'turn')} to think about, {facts['unsent']} not yet taken"
    return "\n".join([table, "", counts, *contacts])


def _ago(now: float, facts: dict[str, Any], key: str) -> str:
    return f"{duration(max(now - facts['contacts'][key], 0))} ago"


def duration(seconds: float) -> str:
    """Return a duration in two units at most: `2 d 3 h`, `5 min`, `-1 h`."""
    left, parts = abs(round(seconds)), []
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        if left >= size:
            parts.append(f"{left // size} {unit}")
            left %= size
    return ("-" if seconds <= -0.5 else "") + " ".join(parts[:2] or ["0 s"])
