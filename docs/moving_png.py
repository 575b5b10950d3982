"""Several pictures as a small moving one (APNG): few colours, only what changes. Needs Pillow."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Sequence


def moving_png(
    frames: Sequence[bytes], milliseconds: Sequence[int], colours: int, background: str
) -> bytes:
    """Return the pictures one after the other, each for its time, over and over.

    All have the same size and the same palette of that many colours; what is transparent gets
    the colour `background`.
    """
    pictures = [_opaque(frame, background) for frame in frames]
    width, height = pictures[0].size
    sheet = Image.new("RGB", (width, height * len(pictures)))
    for place, picture in enumerate(pictures):
        sheet.paste(picture, (0, place * height))
    palette = sheet.quantize(colours, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    first, *rest = (
        picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures
    )
    file = BytesIO()
    first.save(
        file, format="PNG", save_all=True, append_images=rest, duration=list(milliseconds),
        loop=0, optimize=True,
    )  # fmt: skip
    return file.getvalue()


def _opaque(frame: bytes, background: str) -> Image.Image:
    picture = Image.open(BytesIO(frame)).convert("RGBA")
    opaque = Image.new("RGBA", picture.size, background)
    opaque.alpha_composite(picture)
    return opaque.convert("RGB")
