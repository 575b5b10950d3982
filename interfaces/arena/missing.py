"""The answer where there is no page: for people with the way on, for programs as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

from oddly.games import did_you_mean
from oddly.interfaces.arena.api.handlers import problem
from oddly.interfaces.arena.api.routes import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from oddly.interfaces.arena.pages.drawn import ArenaTemplates

LONGEST = 40
"""Characters of a part of an address for which a similar one is looked for."""


def say_missing(
    drawn: ArenaTemplates, request: Request, error: Exception, paths: Sequence[str]
) -> Response:
    """Say that no page has an address, or none for that method. `paths` are those of all pages."""
    asked = str(request.scope["path"])
    if isinstance(error, HTTPException) and error.status_code == 405:
        known = " and ".join(sorted((error.headers or {}).get("Allow", "GET").split(", ")))
        sentence, status = f"This address knows only {known}.", 405
    else:
        sentence, status = f"No page has this address{_near(asked, paths) or '.'}", 404
    if asked == ROOT or asked.startswith(f"{ROOT}/"):
        return problem(f"{sentence} {ROOT}/openapi.json lists all addresses.", status)
    return drawn.nothing(request, "No such page", sentence, status)


def _near(asked: str, paths: Sequence[str]) -> str:
    """Return a question whether a similar page was meant; empty if there is none."""
    known = [path.strip("/").split("/") for path in paths]
    for number, part in enumerate(asked.strip("/").split("/")):
        known = [path for path in known if len(path) > number]
        fit = [path for path in known if path[number] == part or path[number].startswith("{")]
        if not fit:
            here = {path[number] for path in known}
            return did_you_mean(part, sorted(here)) if len(part) <= LONGEST else ""
        known = fit
    return ""
