"""The orders of `oddly arena ARENA.toml ORDER ...`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from oddly.arena.orders import KeeperOrder, NotNowError, OrderError
from oddly.arena.rulings import WITH_VALUE
from oddly.arena.store.store import back_up
from oddly.interfaces.arena.house_engines import SECRET_FILE
from oddly.interfaces.arena.keeper import all_rulings, carry_out
from oddly.interfaces.command_line.errors import DONE, BadInputError
from oddly.safe_files import UnusableFileError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.interfaces.arena.settings_file import ArenaConfiguration

WANTED = {
    "annul": "GAME", "restore": "GAME|ENGINE", "retire": "ENGINE", "pardon": "ENGINE",
    "ban": "OWNER", "unban": "OWNER", "rename": "ENGINE NAME", "hand-over": "OWNER KEY",
    "rulings": "", "invite": "N", "backup": "FOLDER",
}  # fmt: skip
WITHOUT_REASON = ("rulings", "invite", "backup")


def give(
    configuration: ArenaConfiguration, kind: str, words: Sequence[str], reason: str | None
) -> int:
    """Give an order, and print its result. Raises BadInputError."""
    wanted = WANTED[kind]
    if len(words) != len(wanted.split()):
        raise BadInputError(
            f"arena: {kind} takes {wanted or 'no word'}, not {len(words)} words: oddly arena "
            f"ARENA.toml {kind} {wanted}".rstrip()
        )
    if (reason is None) != (kind in WITHOUT_REASON):
        what = "needs a --reason, which everybody may read" if reason is None else "has no reason"
        raise BadInputError(f"arena: {kind} {what}")
    if kind != "backup":
        _check(kind, words, reason or "")
    try:
        print(_done(configuration, kind, words, reason or ""))
    except (OrderError, NotNowError, UnusableFileError) as error:
        raise BadInputError(f"arena: {error}") from None
    return DONE


def _check(kind: str, words: Sequence[str], reason: str) -> None:
    """Raise BadInputError for an order that is not text, as a file's name may be."""
    for what, text in (*zip(WANTED[kind].split(), words, strict=True), ("--reason", reason)):
        try:
            text.encode()
        except UnicodeEncodeError:
            raise BadInputError(
                f"arena: {kind}: {what} is {text[:60]!r}, expected text in UTF-8"
            ) from None


def _done(configuration: ArenaConfiguration, kind: str, words: Sequence[str], reason: str) -> str:
    """Return a sentence on what was done. Raises OrderError, NotNowError and UnusableFileError."""
    if kind == "rulings":
        found = all_rulings(configuration)
        return "\n".join(each.sentence() for each in found) or "there are no rulings"
    if kind == "backup":
        copies = back_up(configuration.folder, Path(words[0]), (SECRET_FILE,))
        return f"{words[0]} has {len(copies)} files: the arena and its ledgers"
    value = words[1] if kind in WITH_VALUE else ""
    return carry_out(configuration, KeeperOrder(kind, words[0], value, reason))
