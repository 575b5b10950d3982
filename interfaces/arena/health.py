"""`/healthz`: whether an arena writes and plays, for the monitoring of its machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import JSONResponse
from starlette.routing import Route

if TYPE_CHECKING:
    from starlette.requests import Request

    from oddly.arena.arena import Arena


def health_route(arena: Arena) -> Route:
    """Return the route: 200 with the arena's state, or 503 while it begins no games."""

    async def health(request: Request) -> JSONResponse:
        counts = {
            "status": "draining" if arena.is_draining else "ok",
            "games": len(arena.play.games),
            "engines": len(arena.sessions.online),
            "connections": len(arena.sessions.by_number),
        }
        return JSONResponse(counts, 503 if arena.is_draining else 200)

    return Route("/healthz", health)
