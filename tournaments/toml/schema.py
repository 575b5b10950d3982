"""What may stand in a tournament file, as JSON Schema, which editors complete and check by.

It is made of the models by which a file is read, so that the two cannot disagree. What takes more
than a schema, such as that no two engines have one name, only reading finds out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic.json_schema import GenerateJsonSchema

from oddly.games.catalogue import GAMES
from oddly.games.settings import settings_of
from oddly.tournaments.formats.fixed import RoundRobin
from oddly.tournaments.formats.tuning import Tuning
from oddly.tournaments.toml.formats import FORMAT_TABLES, own_keys, table_of_format
from oddly.tournaments.toml.tables import file_with

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel

    from oddly.games.settings import SettingInfo

Schema = dict[str, Any]

DIALECT = "http://json-schema.org/draft-07/schema#"
"""What editors of TOML understand."""
TYPES: Mapping[type, str] = {int: "integer", str: "string", bool: "boolean"}


class _WithoutTitles(GenerateJsonSchema):
    """A title that only repeats the key is noise."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ANN401
        return False


def schema_of(model: type[BaseModel], title: str, description: str) -> Schema:
    """Return the schema of a file whose tables `model` describes."""
    made = _plain(model.model_json_schema(schema_generator=_WithoutTitles))
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
            file_with(table_of_format(name)),
            "A tournament of oddly",
            "Played by 'oddly tournament FILE', or by 'oddly tune FILE' if its format is tuning.",
        )
        for name in FORMAT_TABLES
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
    own = {name: own_keys(FORMAT_TABLES[name]) for name in formats}
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
    """Return what the settings of games add to the schema of `[[game]]`."""
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
