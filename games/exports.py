"""Packages whose public names are imported when they are first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def importer(package: dict[str, Any], homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package, which is given by its `globals()`.

    It imports a name from the module that is its home, and raises AttributeError for any name that
    has none.
    """

    def import_name(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
        value: object = getattr(import_module(homes[name]), name)
        package[name] = value
        return value

    return import_name
