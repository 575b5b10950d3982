"""Read what was learnt, from the files beside this one."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


@cache
def shipped(name: str) -> np.ndarray | None:
    """Return the array of that `.npy`; None if there is no such file."""
    if (file := _file(name)) is None:
        return None
    with file.open("rb") as stream:
        learnt: np.ndarray = np.load(stream, allow_pickle=False)
    return learnt


@cache
def shipped_arrays(name: str) -> dict[str, np.ndarray]:
    """Return the arrays of that `.npz` by their names; none if there is no such file."""
    if (file := _file(name)) is None:
        return {}
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        return {key: arrays[key] for key in arrays.files}


def _file(name: str) -> Traversable | None:
    file = files(__package__).joinpath(name)
    return file if file.is_file() else None
