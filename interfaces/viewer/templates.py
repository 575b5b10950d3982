"""Templates for pages drawn on the server: every text in them is escaped."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from oddly.games import xml_text


def templates_of(package: str) -> Environment:
    """Return the templates in the folder `templates` of a package."""
    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _finalized(value: object) -> object:
    """Return what a template may show: our own markup, and text without misleading characters."""
    return xml_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value
