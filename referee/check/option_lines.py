"""Lines of `list_options` and `list_settings`: what is wrong with them, and what they say."""

import re
from decimal import Decimal, localcontext

TYPES = ("integer", "number", "boolean", "choice", "text")


def wrong_option(line: str) -> str:
    """Return what is wrong with a line of `list_options`, or "" if nothing is."""
    words = line.split(" ")
    if len(words) < 4 or words[1] != "type" or words[3] != "default":
        return "not NAME type TYPE default VALUE"
    if words[2] not in TYPES:
        return f"unknown type {words[2]!r}"
    if words[2] == "text":
        return ""
    if len(words) < 5:
        return "no default value"
    return _wrong_facts(words[2], words[5:])


def _wrong_facts(kind: str, words: list[str]) -> str:
    """Return what is wrong with the words after an option's default, or ""."""
    while words and words[0] in ("min", "max") and kind in ("integer", "number"):
        if len(words) < 2 or not _is_number(kind, words[1]):
            return f"no number after {words[0]}"
        words = words[2:]
    if kind == "choice":
        return "" if words[:1] == ["choices"] and len(words) > 1 else "no choices"
    return f"unexpected {words[0]!r}" if words else ""


def _is_number(kind: str, text: str) -> bool:
    decimals = r"(\.[0-9]+)?" if kind == "number" else ""
    return bool(re.fullmatch(f"[+-]?[0-9]+{decimals}", text))


def beyond(kind: str, limit: str, by: int) -> str:
    """Return a value beyond a limit, by one or more, in plain digits."""
    with localcontext() as exact:
        exact.prec = len(limit) + 4
        bound = Decimal(limit)
        # An engine may read numbers as floats, which see no small step from a large limit.
        step = max(Decimal(1), abs(bound).scaleb(-3)) if kind == "number" else Decimal(1)
        return f"{bound + by * step:f}"


def read_option(line: str) -> tuple[str, str, str, dict[str, str]]:
    """Return an option's name, type, default, and `min`, `max` or `choices`, from a valid line."""
    words = line.split(" ")
    if words[2] == "text":
        return words[0], words[2], " ".join(words[4:]), {}
    if words[2] == "choice":
        return words[0], words[2], words[4], {"choices": " ".join(words[6:])}
    return words[0], words[2], words[4], dict(zip(words[5::2], words[6::2], strict=False))


def listed_defaults(text: str, game: str) -> dict[str, str]:
    """Return the defaults of a game's settings, without its size, from `list_settings`."""
    defaults: dict[str, str] = {}
    for line in text.splitlines():
        name, _, option = line.partition(" if ")[0].partition(" ")
        if name == game and not wrong_option(option):
            setting, _, value, _ = read_option(option)
            defaults.setdefault(setting, value)
    defaults.pop("size", None)
    return defaults
