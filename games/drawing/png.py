"""Pictures as PNG, drawn from their SVG by resvg (the extra `oddly[png]`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.drawing.svg import svg

if TYPE_CHECKING:
    from games.drawing.picture import Picture

DEFAULT_WIDTH = 640


class NoPngError(Exception):
    """PNG is not to be had here. One sentence that says what to install."""


def png(picture: Picture, width: int = DEFAULT_WIDTH) -> bytes:
    """A file of so many pixels in width, on white. Raises NoPngError without resvg."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise NoPngError(
            "PNG needs the package resvg-py: pip install 'oddly[png]', or choose svg"
        ) from None
    return bytes(svg_to_bytes(svg_string=svg(picture), width=width, background="white"))
