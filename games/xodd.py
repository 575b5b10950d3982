"""Xodd: Yodd on a square board, where only orthogonal neighbours connect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from oddly.games.yodd import Yodd

if TYPE_CHECKING:
    from oddly.games.board import Shape


@dataclass(frozen=True)
class Xodd(Yodd):
    """Xodd on a square board of `size` points per side. All else is Yodd's."""

    name: ClassVar[str] = "xodd"
    shape: ClassVar[Shape] = "square"
    size: int = 12
    quick_size: ClassVar[int | None] = 8
