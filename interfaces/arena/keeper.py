"""The keeper's orders to an arena, whether it runs or not."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING

from oddly.arena.orders import KeeperOrder, NotNowError, OrderError
from oddly.arena.rulings import obey
from oddly.arena.store.ruling_rows import answer_to, give_order, known_game, rulings, withdraw
from oddly.arena.store.schema import FILE, KIND
from oddly.arena.store.store import connect_to_read
from oddly.interfaces.arena.making import make_arena, open_store
from oddly.safe_files import UnusableFileError
from oddly.safe_files.sqlite_file import HeldFileError, is_sqlite_file, lock, reason, unlock

if TYPE_CHECKING:
    from pathlib import Path

    from oddly.arena.arena import Arena
    from oddly.arena.store.ruling_rows import ArenaRuling, OrderAnswer
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
            if (store := _unused_store(configuration, path)) is not None:
                return _carry_out_here(configuration, store, order, number)
            # An arena runs, or another order is carried out at this moment.
            if number is None:
                number = give_order(path, order)
            elif (answer := answer_to(path, number)) is not None:
                return _text(answer)
            time.sleep(LOOK_EVERY)
    except sqlite3.Error as error:
        raise UnusableFileError(f"cannot write {path}: {reason(error)}") from None
    raise NotNowError("the arena has the order, and carries it out when a game is over")


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


def _carry_out_here(
    configuration: ArenaConfiguration, store: ArenaStore, order: KeeperOrder, number: int | None
) -> str:
    """Carry out an order, unless an arena has answered it as the order with that number.

    If the order has to wait, the arena gets it. Raises sqlite3.Error too.
    """
    path = configuration.folder / FILE
    try:
        with store:
            if number is not None and (given := withdraw(path, number)) is not None:
                return _text(given)
            arena, now = make_arena(configuration, store, ""), store.heartbeat
            # Games may have ended when it was made.
            _write(arena, store)
            game = known_game(store.file.connection, order.name)
            answer = obey(arena, order, game, now)
            _write(arena, store)
    except NotNowError:
        give_order(path, order)
        raise
    return answer


def _write(arena: Arena, store: ArenaStore) -> None:
    batch = arena.take()
    store.write(batch, store.heartbeat)
    store.file_games(batch)


def _text(answer: OrderAnswer) -> str:
    """Return what an arena answered. Raises OrderError if it refused the order."""
    if answer.is_refused:
        raise OrderError(answer.text)
    return answer.text


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
