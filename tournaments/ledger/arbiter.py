"""Giving rulings: each is checked against the ledger, then written into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games import did_you_mean, one_line
from oddly.tournaments.formats.format import FORMATS
from oddly.tournaments.ledger.event_facts import FREE
from oddly.tournaments.ledger.ledger_file import utc_now
from oddly.tournaments.ledger.rulings import MAX_REASON_LENGTH, Kind, Ruling, Rulings, Subject
from oddly.tournaments.results.schedule import scheduled_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.tournaments.ledger.store import Ledger


MIN_PART = 3
"""The length of the beginning or end that an id must share to be suggested."""


class RulingError(ValueError):
    """A ruling that cannot be given. The message is one sentence."""


def rule(ledger: Ledger, kind: Kind, names: Sequence[str], reason: str) -> list[Ruling]:
    """Give a ruling on each game or engine named, and return what was written.

    All of them are written, or none. Raises RulingError if one cannot be given, and LedgerError if
    the ledger cannot be written.
    """
    text = one_line(reason.strip(), MAX_REASON_LENGTH + 1)
    if not text:
        raise RulingError("a ruling needs a reason in words")
    if len(text) > MAX_REASON_LENGTH:
        raise RulingError(f"a reason has at most {MAX_REASON_LENGTH} characters")
    known, now = ledger.rulings(), utc_now()
    given: list[Ruling] = []
    for name in dict.fromkeys(names):
        subject = _checked(ledger, known, kind, name)
        given.append(Ruling(now, kind, subject, name, text))
    ledger.rule(given)
    return given


def _checked(ledger: Ledger, known: Rulings, kind: Kind, name: str) -> Subject:
    """Return what a ruling is about. Raises RulingError if it cannot be given."""
    if kind == "annul":
        _check_annulment(ledger, known, name)
        return "game"
    if kind == "restore" and name in known.annulled:
        _check_place(ledger, known, name)
        return "game"
    if kind == "restore":
        if name not in known.retired:
            near = did_you_mean(name, [*known.annulled, *known.retired])
            raise RulingError(
                f"no game {name!r} is annulled in {ledger.path}, and no engine {name!r} is "
                f"retired{near}"
            )
        return "engine"
    engines = ledger.engine_names()
    if name not in engines:
        raise RulingError(f"{ledger.path} has no engine {name!r}{did_you_mean(name, engines)}")
    if kind == "retire" and name in known.retired:
        raise RulingError(f"engine {name!r} is already retired")
    if kind == "pardon":
        _check_pardon(ledger, known, name)
    return "engine"


def _check_pardon(ledger: Ledger, known: Rulings, name: str) -> None:
    """Raise RulingError if the engine cannot be one that rests."""
    if name in known.retired:
        raise RulingError(f"engine {name!r} is retired: 'restore' takes that back, not 'pardon'")
    format_ = (ledger.event() or {}).get("format")
    # A format of a package that is not installed here may let engines rest.
    found = FORMATS.get(str(format_))
    if format_ == FREE or (found is not None and not found.waits_for_engines):
        raise RulingError(f"no engine rests in the format {format_!r}: there is nothing to pardon")


def _check_annulment(ledger: Ledger, known: Rulings, identity: str) -> None:
    """Raise RulingError unless the game counts."""
    if identity in known.annulled:
        raise RulingError(f"game {identity} is already annulled")
    counts = ledger.counts_as(identity)
    if counts is None:
        raise RulingError(
            f"{ledger.path} has no game {identity!r}{_near_games(ledger, identity)}; "
            f"'oddly export {ledger.path}' lists the ids"
        )
    if counts == "void":
        raise RulingError(f"game {identity} is void: it already counts for nobody")


def _check_place(ledger: Ledger, known: Rulings, identity: str) -> None:
    """Raise RulingError if a replay counts, or soon may, in place of the annulled game."""
    place = scheduled_id(identity)
    if ledger.is_held_by_a_run:
        for game in ledger.unfinished():
            if game.id != identity and scheduled_id(game.id) == place:
                raise RulingError(
                    f"game {identity} is being played again as {game.id}: wait for its end, and "
                    "annul that one first"
                )
    for other in ledger.games_like(f"{place}%"):
        counts = other not in known.annulled and ledger.counts_as(other) not in (None, "void")
        if other != identity and scheduled_id(other) == place and counts:
            raise RulingError(
                f"game {identity} was played again as {other}, which counts: annul that one first"
            )


def _near_games(ledger: Ledger, identity: str) -> str:
    """Return `; did you mean ...?` for an id that begins or ends in the same way."""
    safe = "".join(character for character in identity if character.isalnum())
    patterns = (f"{safe[:MIN_PART]}%", f"%{safe[-MIN_PART:]}") if len(safe) > MIN_PART else ()
    return did_you_mean(identity, ledger.games_like(*patterns))


def follows_when(ledger: Ledger) -> str:
    """Return a sentence that says when the run that is writing follows a ruling."""
    said = (
        f"a run is writing to {ledger.path}: it follows a ruling on an engine before its next "
        "game; the next run plays annulled games again"
    )
    format_ = FORMATS.get(str((ledger.event() or {}).get("format")))
    if format_ is not None and format_.takes_retirements:
        return said
    return f"{said}, and those that an engine missed while it was retired"
