"""Pictures as PNG: resvg, the extra `png`, draws them from their SVG."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from games.drawing.svg import svg
from games.installing import install_command

if TYPE_CHECKING:
    from games.drawing.picture import Picture

DEFAULT_WIDTH = 640


class NoPngError(Exception):
    """A PNG cannot be made here. The message says what to install."""


def png(picture: Picture, width: int = DEFAULT_WIDTH) -> bytes:
    """Return a PNG file of that width in pixels, on white.

    Raises NoPngError without resvg, or for a picture with text where no font is installed.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise NoPngError(
            f"PNG needs the package resvg-py: {install_command('png')}; or choose svg"
        ) from None
    text = svg(picture)
    if "<text" in text and not draws_text():
        raise NoPngError(
            "no font is installed here, so a PNG would lack its labels: install one (on Debian, "
            "fonts-dejavu-core), choose svg, or leave the labels out"
        )
    return bytes(svg_to_bytes(svg_string=text, width=width, background="white"))


@cache
def draws_text(*, system_fonts: bool = True) -> bool:
    """Return whether there is a font: without one, resvg silently leaves text out."""
    from resvg_py import svg_to_bytes

    letter = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">{}</svg>'
    drawn, blank = (
        svg_to_bytes(svg_string=letter.format(inside), skip_system_fonts=not system_fonts)
        for inside in ('<text y="9" font-size="9">M</text>', "")
    )
    return bool(drawn != blank)
