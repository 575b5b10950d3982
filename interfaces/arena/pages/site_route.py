"""How an address of the site is declared: who answers it, with what, and what it may ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from pydantic import BaseModel

    SiteHandler = Callable[..., Awaitable[Any]]

HTML = "text/html"


class QueryParameter(NamedTuple):
    """What an address may have behind its `?`."""

    name: str
    description: str
    schema: dict[str, Any]


class SiteRoute(NamedTuple):
    """An address of the site, for a browser or for a program."""

    path: str
    summary: str
    handler: SiteHandler
    answer: type[BaseModel] | str = HTML
    """What a JSON answer is made of, or the kind of another one."""
    query: Sequence[QueryParameter] = ()
    method: str = "GET"
    is_kept: bool = True
    """Whether one answer is for all who ask within a second."""
