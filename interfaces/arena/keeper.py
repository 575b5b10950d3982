"""The keeper's orders to an arena, whether it runs or not."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING

from oddly.arena.rulings import NotNowError, OrderError, answer
from oddly.arena.store.files import FILE, KIND, connect_to_read
from oddly.arena.store.rows import (
    answer_to,
    give_order,
    known_game,
    pending_orders,
    rulings,
)
from oddly.interfaces.arena.making import make_arena, open_store
from oddly.safe_files import UnusableFileError
from oddly.safe_files.sqlite_file import HeldFileError, is_sqlite_file, lock, reason, unlock

if TYPE_CHECKING:
    from pathlib import Path

    from oddly.arena.arena import Arena
    from oddly.arena.rulings import KeeperOrder
    from oddly.arena.store.rows import ArenaRuling
    from oddly.arena.store.store import ArenaStore
    from oddly.interfaces.arena.settings_file import ArenaConfiguration

PATIENCE = 15.0
"""Seconds to wait for the answer of an arena that runs."""
LOOKS = 150
"""The number of looks for an answer: counted, since a machine may sleep meanwhile."""
LOOK_EVERY = PATIENCE / LOOKS


def carry_out(configuration: ArenaConfiguration, order: KeeperOrder) -> str:
    """Have an order carried out, and return a sentence on what was done.

    Raises OrderError, NotNowError if the arena does it later, and UnusableFileError.
    """
    path = _file(configuration)
    number: int | None = None
    try:
        for _ in range(LOOKS):
            # None if an arena runs, or another order is carried out at this moment.
            with _unused_store(configuration, path) or nullcontext() as store:
                if number is None:
                    number = give_order(path, order)
                if store is not None:
                    _carry_out_here(configuration, store, number)
            if (given := answer_to(path, number)) is not None:
                if given.is_refused:
                    raise OrderError(given.text)
                return given.text
            time.sleep(LOOK_EVERY)
    except (sqlite3.Error, UnusableFileError) as error:
        said = str(error)
        if isinstance(error, sqlite3.Error):
            said = f"cannot write {path}: {reason(error)}"
        kept = "; the order is kept and carried out later" if _is_kept(path, number) else ""
        raise UnusableFileError(f"{said}{kept}") from None
    raise NotNowError("the arena has the order, and carries it out when a game is over")


def _is_kept(path: Path, number: int | None) -> bool:
    """Return whether the order with that number is there and still to be carried out."""
    try:
        with closing(connect_to_read(path)) as connection:
            return any(order.number == number for order in pending_orders(connection))
    except (sqlite3.Error, UnusableFileError):
        return False


def _unused_store(configuration: ArenaConfiguration, path: Path) -> ArenaStore | None:
    """Return the open store; None while another process uses it. Raises UnusableFileError."""
    if _is_used(path):
        return None
    try:
        return open_store(configuration)
    except UnusableFileError:
        if _is_used(path):
            return None
        raise


def _is_used(path: Path) -> bool:
    try:
        unlock(lock(path, KIND.noun))
    except HeldFileError:
        return True
    except UnusableFileError:
        # Opening the file says why.
        return False
    return False


def _carry_out_here(configuration: ArenaConfiguration, store: ArenaStore, number: int) -> None:
    """Carry out the order with that number, after older ones that a crash cut short.

    Raises sqlite3.Error, and NotNowError if the arena does it later.
    """
    arena, now = make_arena(configuration, store, ""), store.heartbeat
    # Games may have ended when it was made.
    _write(arena, store)
    for order in pending_orders(store.file.connection):
        game = known_game(store.file.connection, order.name)
        try:
            answer(arena, order, game, now)
        except NotNowError:
            if order.number == number:
                raise
        _write(arena, store)


def _write(arena: Arena, store: ArenaStore) -> None:
    batch = arena.take()
    store.write(batch, store.heartbeat)
    store.file_games(batch)


def all_rulings(configuration: ArenaConfiguration) -> list[ArenaRuling]:
    """Return all rulings in their order. Raises UnusableFileError."""
    path = _file(configuration)
    try:
        with closing(connect_to_read(path)) as connection:
            return rulings(connection)
    except sqlite3.Error as error:
        raise UnusableFileError(f"cannot read {path}: {reason(error)}") from None


def _file(configuration: ArenaConfiguration) -> Path:
    path = configuration.folder / FILE
    if not is_sqlite_file(path):
        raise UnusableFileError(f"there is no arena in {configuration.folder}: start it first")
    return path
