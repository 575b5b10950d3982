"""JSON that a stranger may have written, read only as deep as our own is."""

from __future__ import annotations

import json
from typing import Any

MAX_DEPTH = 24
"""How deep values may be nested: oddly itself writes less than half as deep."""


def json_value(text: str) -> Any:  # noqa: ANN401 - JSON is anything
    """Return the value. Raises ValueError for text that is not JSON, or is nested too deeply."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(f"{_start(text)} is nested too deeply") from None
    except (TypeError, ValueError):
        raise ValueError(f"{_start(text)} is not JSON") from None
    if _is_deep(value):
        raise ValueError(f"{_start(text)} is nested too deeply")
    return value


def json_object(text: str) -> dict[str, Any]:
    """Return the object. Raises ValueError if it is not a JSON object, or nested too deeply."""
    value = json_value(text)
    if not isinstance(value, dict):
        raise ValueError(f"{_start(text)} is not a JSON object")  # noqa: TRY004
    return value


def _is_deep(value: object) -> bool:
    """Return whether the value is nested more deeply than MAX_DEPTH."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def _start(text: object) -> str:
    """Return the first characters of a text, for an error."""
    return repr(text[:40] if isinstance(text, str) else text)[:80]
