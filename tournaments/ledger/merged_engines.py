"""Which engines of two ledgers are the same, and what they are called when the ledgers are one."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from oddly.tournaments.ledger.event_facts import engine_changes

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from oddly.tournaments.ledger.engines import KnownEngine

    Rows = Mapping[str, Sequence[KnownEngine]]
    Identity = tuple[str, str, tuple[str, ...]]

SUCCESSOR = re.compile(r"(?P<base>.+)@(?P<number>[1-9][0-9]{0,8})")
"""The name of an engine that a changed program became: `mine@2`."""


def next_name(name: str, taken: Collection[str]) -> str:
    """Return the name of the engine that a changed program becomes: `mine@2` after `mine`."""
    found = SUCCESSOR.fullmatch(name)
    base, number = (found["base"], int(found["number"])) if found else (name, 1)
    while f"{base}@{number + 1}" in taken:
        number += 1
    return f"{base}@{number + 1}"


def names_in(
    own: Rows, facts: Mapping[str, Any], known: Rows, entered: Mapping[str, Any]
) -> tuple[dict[str, str], list[str]]:
    """Return the name of each of a ledger's engines among the `known` ones of others.

    What is worth saying comes with it, a sentence each. `facts` and `entered` say how the engines
    were entered, `own` and `known` which programs they were.
    """
    names: dict[str, str] = {}
    said: list[str] = []
    taken = {*known, *entered}
    names |= {
        name: name
        for name, rows in own.items()
        if name in taken and not _difference(name, rows, facts, known, entered)
    }
    for name, rows in own.items():
        if name in names:
            continue
        if name not in taken:
            twin = _twin(rows, known, {*own, *names.values()})
            names[name] = twin or name
            if twin is not None:
                said.append(f"engine {name!r} is {twin!r}, the same program")
            continue
        why = _difference(name, rows, facts, known, entered)
        names[name] = next_name(name, {*taken, *own, *names.values()})
        said.append(f"engine {name!r} differs, since {why}: it is now {names[name]!r}")
    return names, said


def identities(rows: Sequence[KnownEngine]) -> set[Identity]:
    """Return what an engine was: each version that it told, with its options and its content."""
    return {
        (
            row.version,
            json.dumps(dict(row.entrant.options), sort_keys=True),
            tuple(row.entrant.content.values()),
        )
        for row in rows
    }


def _difference(
    name: str,
    rows: Sequence[KnownEngine],
    facts: Mapping[str, Any],
    known: Rows,
    entered: Mapping[str, Any],
) -> str:
    """Return why an engine is not the known one of the same name; empty if it is."""
    if name in facts and name in entered:
        for change in engine_changes(name, entered[name], facts[name]):
            return change
    mine, theirs = identities(rows), identities(known.get(name, ()))
    if mine and theirs and not mine & theirs:
        return "its version or its files differ"
    return ""


def _twin(rows: Sequence[KnownEngine], known: Rows, passed_over: Collection[str]) -> str | None:
    """Return the only known engine that is the same program under another name."""
    mine = {identity for identity in identities(rows) if identity[2]}
    twins = [name for name, theirs in known.items() if mine & identities(theirs)]
    return twins[0] if len(twins) == 1 and twins[0] not in passed_over else None
