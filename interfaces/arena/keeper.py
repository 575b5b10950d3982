"""The keeper's orders to an arena, whether it runs or not."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING

from oddly.arena.orders import KeeperOrder, NotNowError, OrderError
from oddly.arena.rulings import obey
from oddly.arena.store.ruling_rows import answer_to, give_order, known_game, rulings
from oddly.arena.store.schema import KIND
from oddly.arena.store.store import FILE
from oddly.interfaces.arena.making import make_arena, open_store
from oddly.safe_files import UnusableFileError
from oddly.safe_files.sqlite_file import is_sqlite_file, lock, reason, unlock

if TYPE_CHECKING:
    from pathlib import Path

    from oddly.arena.store.ruling_rows import ArenaRuling
    from oddly.interfaces.arena.settings_file import ArenaConfiguration

PATIENCE = 15.0
"""Seconds to wait for the answer of an arena that runs, or for its file."""
LOOKS = 150
"""The number of looks for an answer: counted, since a machine may sleep meanwhile."""
LOOK_EVERY = PATIENCE / LOOKS


def carry_out(configuration: ArenaConfiguration, order: KeeperOrder) -> str:
    """Have an order carried out, and return a sentence on what was done.

    Raises OrderError, NotNowError if the arena does it later, and UnusableFileError.
    """
    path = _file(configuration)
    try:
        unlock(lock(path, KIND.noun))
    except UnusableFileError:
        return _asked_of_arena(path, order)
    with open_store(configuration) as store:
        arena, now = make_arena(configuration, store, ""), store.heartbeat
        game = known_game(store.file.connection, order.name)
        answer = obey(arena, order, game, now)
        try:
            batch = arena.take()
            store.write(batch, now)
            store.file_games(batch)
        except sqlite3.Error as error:
            raise UnusableFileError(f"cannot write {path}: {reason(error)}") from None
    return answer


def _asked_of_arena(path: Path, order: KeeperOrder) -> str:
    """Give the order to the running arena."""
    try:
        number = give_order(path, order)
        for _ in range(LOOKS):
            if (answer := answer_to(path, number)) is not None:
                if answer.is_refused:
                    raise OrderError(answer.text)
                return answer.text
            time.sleep(LOOK_EVERY)
    except sqlite3.Error as error:
        raise UnusableFileError(f"cannot write {path}: {reason(error)}") from None
    raise NotNowError("the arena has the order, and carries it out when a game is over")


def all_rulings(configuration: ArenaConfiguration) -> list[ArenaRuling]:
    """Return all rulings in their order. Raises UnusableFileError."""
    path = _file(configuration)
    try:
        uri = f"{path.absolute().as_uri()}?mode=rw"
        with closing(sqlite3.connect(uri, timeout=PATIENCE, uri=True)) as connection:
            return rulings(connection)
    except sqlite3.Error as error:
        raise UnusableFileError(f"cannot read {path}: {reason(error)}") from None


def _file(configuration: ArenaConfiguration) -> Path:
    path = configuration.folder / FILE
    if not is_sqlite_file(path):
        raise UnusableFileError(f"there is no arena in {configuration.folder}: start it first")
    return path
