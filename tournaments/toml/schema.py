"""What a tournament file may contain, as JSON Schema for editors and as tables for people.

The schema is made from the models that read a file, so the two cannot disagree. Rules that a
schema cannot express, such as that engines have different names, are checked when a file is read.
"""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic.json_schema import GenerateJsonSchema

from oddly.games import GAMES, settings_of
from oddly.tournaments.formats.format import FORMATS
from oddly.tournaments.formats.round_robin import RoundRobin
from oddly.tournaments.formats.tournament import PLAYING_SETTINGS
from oddly.tournaments.formats.tuning import Tuning
from oddly.tournaments.toml.tables import file_of_format, own_keys, table_of_format

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import BaseModel

    from oddly.games.settings import SettingInfo


Schema = dict[str, Any]

DIALECT = "http://json-schema.org/draft-07/schema#"
"""The version of JSON Schema that TOML editors understand."""
TYPES: Mapping[type, str] = {int: "integer", str: "string", bool: "boolean"}


class WithoutTitles(GenerateJsonSchema):
    """Leaves out titles, which only repeat the key."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ANN401
        """Return False."""
        return False


def schema_of(model: type[BaseModel], title: str, description: str) -> Schema:
    """Return the schema of a file whose tables `model` describes."""
    made = _plain(model.model_json_schema(schema_generator=WithoutTitles))
    tables = made.pop("$defs")
    properties = made["properties"]
    for name, property_ in properties.items():
        items = property_.get("items")
        reference = (items or property_).pop("$ref")
        table = tables[reference.rpartition("/")[2]]
        if items is None:
            properties[name] = {**table, **property_}
        else:
            items.update(table, description=property_["description"])
    return {"$schema": DIALECT, **made, "title": title, "description": description}


def tournament_schema() -> Schema:
    """Return the schema of a tournament file, with the games that are installed."""
    files = {
        name: schema_of(
            file_of_format(name),
            "A tournament of oddly",
            "Played by 'oddly tournament FILE', or by 'oddly tune FILE' if its format is tuning.",
        )
        for name in FORMATS
    }
    schema = files[Tuning.name]
    formats = {name: file["properties"]["tournament"] for name, file in files.items()}
    schema["properties"]["tournament"] = _any_format(formats)
    game = schema["properties"]["game"]["items"]
    game.update(_any_game(game))
    schema["required"] = files[RoundRobin.name]["required"]
    schema["if"] = {"properties": {"tournament": _chosen("format", Tuning.name)}}
    schema["then"] = {"required": ["option"]}
    schema["else"] = {
        "properties": {
            "engine": {"minItems": files[RoundRobin.name]["properties"]["engine"]["minItems"]},
            "option": False,
        }
    }
    return schema


def _any_format(formats: Mapping[str, Schema]) -> Schema:
    """Return the schema of `[tournament]`: all keys, and which of them each format has."""
    common = formats[RoundRobin.name]
    own = {name: own_keys(table_of_format(name)) for name in formats}
    every = list(dict.fromkeys(key for name in formats for key in own[name]))
    properties = {key: value for key, value in common["properties"].items() if key not in every}
    for key in every:
        having = {name: formats[name]["properties"][key] for name in formats if key in own[name]}
        first = next(iter(having.values()))
        alike = first if all(each == first for each in having.values()) else {"type": first["type"]}
        in_formats = f"{first['description']} ({', '.join(having)})"
        properties[key] = {**alike, "description": in_formats}
    rules = []
    for name, table in formats.items():
        only = {key: table["properties"].get(key, False) for key in every}
        rule = {"if": _chosen("format", name), "then": {"properties": only}}
        if name == RoundRobin.name:
            del rule["if"]["required"]  # It is the default.
        if missing := [key for key in table["required"] if key in own[name]]:
            rule["then"]["required"] = missing
        rules.append(rule)
    return {**common, "properties": properties, "allOf": rules}


def _any_game(game: Schema) -> Schema:
    """Return what the games' settings add to the schema of `[[game]]`."""
    settings = {name: settings_of(GAMES[name]) for name in GAMES}
    every = list(dict.fromkeys(key for own in settings.values() for key in own))
    rules = [
        {
            "if": _chosen("game", name),
            "then": {
                "properties": {
                    key: _setting_schema(own[key]) if key in own else False for key in every
                }
            },
        }
        for name, own in settings.items()
    ]
    names = {"game": {**game["properties"]["game"], "enum": list(GAMES)}}
    described = {
        key: {"description": f"{info.label} ({name})"}
        for name, own in settings.items()
        for key, info in own.items()
    }
    return {
        "properties": {**game["properties"], **names, **described},
        "additionalProperties": False,
        "allOf": rules,
    }


def _setting_schema(info: SettingInfo) -> Schema:
    schema: Schema = {"type": TYPES[info.kind], "description": info.label, "default": info.default}
    if info.choices and info.kind is str:
        schema["enum"] = list(info.choices)
    return schema


def _chosen(key: str, name: str) -> Schema:
    """Return a condition: the table has `key` with the value `name`."""
    return {"properties": {key: {"const": name}}, "required": [key]}


def _plain(value: Any) -> Any:  # noqa: ANN401 - anything that JSON holds
    """Return a schema without null, which TOML does not have, and without the names of classes."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    no_default = "default" in value and value["default"] is None
    is_titled = isinstance(value.get("title"), str)
    left_out = {*(["default"] if no_default else []), *(["title"] if is_titled else [])}
    plain = {key: _plain(each) for key, each in value.items() if key not in left_out}
    choices = [each for each in plain.get("anyOf", ()) if each != {"type": "null"}]
    if len(choices) == 1:
        del plain["anyOf"]
        plain = {**choices[0], **plain}
    return plain


LARGEST_SHOWN = 1_000_000
"""A bound this large only protects machines, and is not shown."""
KINDS = {
    "array": "list of texts",
    "boolean": "true or false",
    "integer": "whole number",
    "number": "number",
    "object": "table",
    "string": "text",
}


class KeyFacts(NamedTuple):
    """What people need to know about a key."""

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
    """Yield a key, a value of it, and the further keys that the table then has."""
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
    """Return a description of the possible values."""
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
    """Yield the minimum or maximum with the word before it, if it matters to people."""
    bound: float | None = property_.get(name)
    word = {"minimum": "from", "maximum": "to"}[name]
    if bound is None and (limit := property_.get(f"exclusive{name.capitalize()}")) is not None:
        is_whole = property_["type"] == "integer"
        bound, word = (limit + inside, word) if is_whole else (limit, beyond)
    if bound is not None and abs(bound) < LARGEST_SHOWN:
        yield word, f"{bound:g}"
