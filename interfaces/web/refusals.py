"""How a request is refused: in a sentence, for a script as JSON, for a person as a page."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response
    from starlette.types import Scope

HEADINGS = {
    401: "This page is not open to you",
    403: "This page is not open to you",
    404: "No such page",
}
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>oddly</title>
</head>
<body>
<main>
<h1>{title}</h1>
<p>{sentence}</p>
</main>
</body>
</html>
"""


def refusal(
    scope: Scope,
    sentence: str,
    status: int,
    more: Mapping[str, str] | None = None,
    heading: str = "",
) -> Response:
    """Return a refusal: a page where a browser shows the answer, JSON for scripts, else text.

    `more` goes into the JSON, `heading` above the sentence on the page.
    """
    headers = Headers(scope=scope)
    if scope.get("method") in ("GET", "HEAD") and "text/html" in headers.get("accept", ""):
        title = heading or HEADINGS.get(status, "This cannot be done")
        return HTMLResponse(PAGE.format(title=title, sentence=escape(sentence)), status)
    if "/api/" in str(scope["path"]):
        return JSONResponse({"sentence": sentence, **(more or {})}, status)
    return PlainTextResponse(f"{sentence}\n", status)
