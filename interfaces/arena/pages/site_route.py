"""The declaration of an address of the site: its handler, its answer and its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from pydantic import BaseModel

    SiteHandler = Callable[..., Awaitable[Any]]

HTML = "text/html"


class QueryParameter(NamedTuple):
    """A parameter in the query of an address."""

    name: str
    description: str
    schema: dict[str, Any]


class SiteRoute(NamedTuple):
    """An address of the site, for a browser or for a program."""

    path: str
    summary: str
    handler: SiteHandler
    answer: type[BaseModel] | str = HTML
    """The class of a JSON answer, or the kind of another answer."""
    query: Sequence[QueryParameter] = ()
    method: str = "GET"
    is_kept: bool = True
    """Whether everyone who asks within a second gets the same answer."""
