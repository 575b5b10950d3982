"""The keys of a file of TOML as tables for people, read off its schema."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from oddly.tournaments.playing_settings import PLAYING_SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oddly.tournaments.toml.schema import Schema

LARGEST_TOLD = 1_000_000
"""A bound from here on is there for machines, and is not told."""
KINDS = {
    "array": "list of texts",
    "boolean": "true or false",
    "integer": "whole number",
    "number": "number",
    "object": "table",
    "string": "text",
}


class KeyFacts(NamedTuple):
    """What people need to know of a key."""

    key: str
    values: str
    """As in `whole number, 1 to 1000`."""
    default: str
    """As TOML writes it; `required` if there is none, empty if the meaning says more."""
    meaning: str


def key_tables(schema: Schema) -> Mapping[str, list[KeyFacts]]:
    """Return the keys of each table of a file, by a title such as `[[engine]]`."""
    found: dict[str, list[KeyFacts]] = {}
    for name, value in schema["properties"].items():
        title, table = (f"[[{name}]]", value["items"]) if "items" in value else (f"[{name}]", value)
        variants = list(_variants(table))
        special = {key for *_, variant in variants for key in variant["properties"]}
        playing = PLAYING_SETTINGS if name == "tournament" else {}
        found[title] = [facts for facts in _facts(table) if facts.key not in {*special, *playing}]
        for rows, alike in groupby(variants, lambda variant: list(_facts(variant[-1]))):
            if rows:
                conditions = list(alike)
                key = conditions[0][0]
                values = " or ".join(value for _, value, _ in conditions)
                found[f"{title} with {key} = {values}"] = rows
        if playing:
            rows = [facts for facts in _facts(table) if facts.key in playing]
            found[f"{title}: how games are played"] = rows
    return found


def _variants(table: Schema) -> Iterator[tuple[str, str, Schema]]:
    """Yield a key, a value of it, and what the table has besides if the key has that value."""
    for rule in table.get("allOf", ()):
        ((key, value),) = rule["if"]["properties"].items()
        yield key, json.dumps(value["const"]), rule["then"]


def _facts(table: Schema) -> Iterator[KeyFacts]:
    for key, property_ in table["properties"].items():
        if property_ is False:
            continue
        is_required = key in table.get("required", ())
        yield KeyFacts(
            key,
            _values(property_),
            "required" if is_required else _default(property_.get("default")),
            property_["description"],
        )


def _default(value: object) -> str:
    """Return a default as TOML writes it; empty if there is none."""
    return "" if value is None else f"{value:g}" if isinstance(value, float) else json.dumps(value)


def _values(property_: Mapping[str, Any]) -> str:
    """Return what may stand for a value."""
    if words := property_.get("enum"):
        return ", ".join(json.dumps(word) for word in words)
    kind = property_.get("type", "string")
    if not isinstance(kind, str):
        return "text or number"
    said = (
        KINDS[kind] if "multipleOf" not in property_ else f"multiple of {property_['multipleOf']}"
    )
    bounds = [*_bound(property_, "minimum", "above", 1), *_bound(property_, "maximum", "below", -1)]
    match bounds:
        case [("from", low), ("to", high)]:
            return f"{said}, {low} to {high}"
        case [("from", low)]:
            return f"{said}, {low} or more"
        case [("above", low), ("to", high)]:
            return f"{said} above {low}, up to {high}"
        case _:
            return f"{said} {' and '.join(f'{word} {bound}' for word, bound in bounds)}".rstrip()


def _bound(
    property_: Mapping[str, Any], name: str, beyond: str, inside: int
) -> Iterator[tuple[str, str]]:
    """Yield the least or greatest value with the word before it, if it is worth telling."""
    bound: float | None = property_.get(name)
    word = {"minimum": "from", "maximum": "to"}[name]
    if bound is None and (limit := property_.get(f"exclusive{name.capitalize()}")) is not None:
        is_whole = property_["type"] == "integer"
        bound, word = (limit + inside, word) if is_whole else (limit, beyond)
    if bound is not None and abs(bound) < LARGEST_TOLD:
        yield word, f"{bound:g}"
