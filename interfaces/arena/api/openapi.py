"""The OpenAPI document: all routes of an arena's site, with the schemas of their answers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pydantic.json_schema import models_json_schema

from oddly.games.installation import VERSION
from oddly.interfaces.arena.api.answers import ApiProblem
from oddly.tournaments.toml.schema import WithoutTitles

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import BaseModel

    from oddly.interfaces.arena.pages.site import SiteRoute

JSON = "application/json"
REFERENCE = "#/components/schemas/{model}"
PROBLEMS = {
    "400": "what the address asks for cannot be read",
    "404": "there is none",
    "503": "the files of the arena cannot be read now",
}
MOVED = "the engine has another name now: its present address"
PATH_PARTS = {
    "pool": "the name of a pool",
    "slug": "the part of an engine's address, as in its name: 'my-engine'",
    "id": "the id of a game",
    "name": "the name of a file",
}


def openapi_of(arena: str, address: str, routes: Iterable[SiteRoute]) -> dict[str, Any]:
    """Return the document, as plain values."""
    routes = [*routes]
    models: dict[type[BaseModel], None] = {ApiProblem: None}
    for each in routes:
        if not isinstance(each.answer, str):
            models[each.answer] = None
    _, made = models_json_schema(
        [(model, "serialization") for model in models],
        ref_template=REFERENCE,
        schema_generator=WithoutTitles,
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": f"The arena {arena}",
            "version": VERSION,
            "description": "Everybody may read everything here, at most as often as the limits "
            "of the arena allow. Answers are at most a second old. A later version may have more "
            "members.",
        },
        "servers": [{"url": address}],
        "paths": _paths(routes),
        "components": {"schemas": made["$defs"]},
    }


def _paths(routes: Iterable[SiteRoute]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in routes:
        found.setdefault(each.path, {})[each.method.lower()] = _operation(each)
    return found


def _operation(route: SiteRoute) -> dict[str, Any]:
    parts = re.findall(r"{(\w+)}", route.path)
    parameters = [
        {"name": name, "in": "path", "required": True, "description": PATH_PARTS[name],
         "schema": {"type": "string"}}
        for name in parts
    ] + [
        {"name": each.name, "in": "query", "description": each.description, "schema": each.schema}
        for each in route.query
    ]  # fmt: skip
    is_made = not isinstance(route.answer, str)
    content = (
        {route.answer: {}}
        if isinstance(route.answer, str)
        else {JSON: {"schema": _reference(route.answer)}}
    )
    answers: dict[str, Any] = {"200": {"description": route.summary, "content": content}}
    if is_made:
        problem = {JSON: {"schema": _reference(ApiProblem)}}
        answers |= {
            code: {"description": said, "content": problem} for code, said in PROBLEMS.items()
        }
    elif parts:
        answers["404"] = {"description": PROBLEMS["404"]}
    if "slug" in parts:
        answers["308"] = {"description": MOVED}
    return {
        "operationId": _identity(route),
        "summary": route.summary,
        "tags": ["api" if route.path.startswith("/api/") else "pages"],
        **({"parameters": parameters} if parameters else {}),
        "responses": answers,
    }


def _identity(route: SiteRoute) -> str:
    name = re.sub(r"\W+", "_", route.path).strip("_") or "front"
    return name if route.method == "GET" else f"{route.method.lower()}_{name}"


def _reference(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": REFERENCE.format(model=model.__name__)}
