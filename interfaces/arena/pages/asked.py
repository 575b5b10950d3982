"""The query of an address, within bounds; a sentence says what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games import did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

MAX_QUERY = 1000
"""The maximum length of a query, in characters."""
MAX_DIGITS = 7


class AskedError(Exception):
    """The query of an address is not allowed. The message is one sentence."""


def asked_of(request: Request, names: Sequence[str], *, only: bool = False) -> dict[str, str]:
    """Return the parameters with these names from an address, without empty ones.

    With `only`, no other names are allowed. Raises AskedError.
    """
    query = request.scope["query_string"]
    if len(query) > MAX_QUERY:
        raise AskedError(
            f"The address has {len(query):,} characters after '?': at most {MAX_QUERY:,} are "
            "expected."
        )
    given = request.query_params
    if only:
        for name in given:
            if name not in names:
                expected = ", ".join(names) or "none"
                near = did_you_mean(name, names) or "."
                raise AskedError(
                    f"There is no parameter {one_line(name, 40)!r}: expected {expected}{near}"
                )
    for name in names:
        if len(given.getlist(name)) > 1:
            raise AskedError(f"The parameter {name} is given more than once.")
    return {name: given[name] for name in names if given.get(name)}


def whole_number(asked: dict[str, str], name: str, least: int, most: int) -> int | None:
    """Return the whole number of a parameter; None if it is missing. Raises AskedError."""
    text = asked.get(name)
    if text is None:
        return None
    if text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS:
        found = int(text)
        if least <= found <= most:
            return found
    raise AskedError(
        f"The parameter {name} is {one_line(text, 40)!r}: a whole number from {least} to {most:,} "
        "is expected."
    )


def page_number(asked: dict[str, str], found: int, on_a_page: int) -> tuple[int, int]:
    """Return the number of the requested page, and of the last one. Raises AskedError."""
    last = max(1, -(-found // on_a_page))
    return whole_number(asked, "page", 1, last) or 1, last
