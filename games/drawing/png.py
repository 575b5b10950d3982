"""Pictures as PNG, which resvg (the extra `png`) draws from their SVG."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from oddly.games.drawing.svg import FONT, svg
from oddly.games.installation import install_command

if TYPE_CHECKING:
    from oddly.games.drawing.picture import Picture

DEFAULT_WIDTH = 640
"""Of a PNG, in pixels."""
NO_FONT = "neither DejaVu Sans nor Arial is installed"
FONT_REMEDY = "install one (on Debian, fonts-dejavu-core)"
"""How to get a font."""


class NoPngError(Exception):
    """A PNG cannot be made here. The message says what to install."""


def png(picture: Picture, width: int = DEFAULT_WIDTH) -> bytes:
    """Return a PNG file of that width in pixels, on white. Raises NoPngError without resvg.

    Where `lacks_words`, its labels, numbers and captions are left out.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise NoPngError(
            f"PNG needs the package resvg-py: {install_command('png')}; or choose svg"
        ) from None
    text = svg(picture)
    # Looking for fonts takes longer than drawing.
    fontless = "<text" not in text
    made = svg_to_bytes(
        svg_string=text, width=width, background="white", skip_system_fonts=fontless
    )
    return bytes(made)


def lacks_words(picture: Picture) -> bool:
    """Return whether a PNG of the picture would lack its words.

    Raises ImportError without resvg.
    """
    return "<text" in svg(picture) and not draws_text()


@cache
def draws_text(*, system_fonts: bool = True) -> bool:
    """Return whether a font for pictures is installed: without one, resvg silently omits text.

    Raises ImportError without resvg.
    """
    from resvg_py import svg_to_bytes

    letter = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" font-family="{FONT}">'
        '<text y="9" font-size="9">{}</text></svg>'
    )
    drawn, blank = (
        svg_to_bytes(svg_string=letter.format(text), skip_system_fonts=not system_fonts)
        for text in ("M", "")
    )
    return bool(drawn != blank)
