"""Answers with a tag, by which a browser asks whether its copy is still current."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from starlette.responses import Response

if TYPE_CHECKING:
    from starlette.requests import Request

FOR_GOOD = "public, max-age=31536000, immutable"
IF_UNCHANGED = "private, no-cache"
"""A browser asks each time whether its copy is still current."""


def tagged(request: Request, body: bytes, kind: str, kept: str = IF_UNCHANGED) -> Response:
    """Return an answer with a tag, or without its body if the browser names that tag.

    The tag is weak, because the body may be compressed on its way.
    """
    tag = f'W/"{hashlib.sha256(body).hexdigest()[:24]}"'
    headers = {"etag": tag, "cache-control": kept}
    named = request.headers.get("if-none-match", "").split(",")
    if tag in [each.strip() for each in named]:
        return Response(status_code=304, headers=headers)
    return Response(body, headers={"content-type": kind, **headers})
