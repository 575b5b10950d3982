"""The facts of an event, and whether a changed event may continue with the games it has.

An event may grow: engines, games and rounds may be added, since the meaning of a finished game does
not depend on them. Changes that would give finished games another meaning are refused: in a Swiss
or a knockout, where pairings depend on all engines, even another engine is such a change.
"""

from __future__ import annotations

import shlex
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any

from oddly.tournaments.formats.format import FORMATS, Format
from oddly.tournaments.formats.round_robin import RoundRobin
from oddly.tournaments.ledger.engines import same_command, same_options

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from oddly.referee import EngineConfiguration
    from oddly.tournaments.formats.tournament import PlayingSettings, Tournament

Facts = dict[str, Any]

ENDS = ("max_turns", "max_turns_result", "adjudicator")
"""Settings that decide when a game ends; each record says what ended its game."""

FREE = "free"
"""The format of an event without a plan: games that people play."""


@cache
def _usual_ends() -> Facts:
    """Return what ends games by default."""
    # Readers of ledgers start without what plays games.
    from oddly.tournaments.formats.tournament import PLAYING_SETTINGS

    return {key: PLAYING_SETTINGS[key].default for key in ENDS}


def event_facts(tournament: Tournament) -> Facts:
    """Return an event as plain values for JSON."""
    settings = tournament.format.facts()
    numbers = range(tournament.format.openings)
    openings: dict[str, Any] = {
        str(game): [" ".join(known[number % len(known)]) for number in numbers]
        for game, known in tournament.openings.items()
    }
    for game, turns in tournament.opening_turns.items():
        openings[str(game)] = {"random_turns": turns}
    rounds = {"rounds": settings.pop("rounds")} if "rounds" in settings else {}
    return {
        "name": tournament.name,
        "format": tournament.format.name,
        "seed": tournament.seed,
        **rounds,
        "settings": settings,
        "games": [str(game) for game in tournament.games],
        "openings": openings,
        "engines": {
            engine.name: _engine_facts(engine, is_active=engine.name not in tournament.inactive)
            for engine in tournament.engines
        },
        **({"ends": ends} if (ends := _ends(tournament.settings)) else {}),
    }


def _ends(settings: PlayingSettings) -> Facts:
    """Return what ends games before their rules do, if it differs from the default."""
    found = {key: _plain(getattr(settings, key)) for key in ENDS}
    return {key: value for key, value in found.items() if value != _usual_ends()[key]}


def _plain(value: object) -> object:
    return value.value if isinstance(value, Enum) else value


def _engine_facts(engine: EngineConfiguration, *, is_active: bool) -> Facts:
    return {
        "command": list(engine.command),
        "time": str(engine.time),
        "options": dict(engine.options),
        **({} if is_active else {"active": False}),
    }


def additions(old: Facts, new: Facts) -> list[str]:
    """Return how an event grew or which engines left it, in words."""
    changes = [
        f"engine {name!r} was added" for name in new["engines"] if name not in old["engines"]
    ]
    changes += [
        f"engine {name!r} was removed" for name in old["engines"] if name not in new["engines"]
    ]
    changes += [f"{game} was added" for game in new["games"] if game not in old["games"]]
    for name in new["engines"]:
        if name not in old["engines"]:
            continue
        was, now = (facts["engines"][name].get("active", True) for facts in (old, new))
        if was != now:
            changes.append(activity(name, is_active=now))
    first, last = ({**_usual_ends(), **facts.get("ends", {})} for facts in (old, new))
    changes += [
        f"{key} changed from {_spelled(first[key])} to {_spelled(last[key])}"
        for key in ENDS
        if first[key] != last[key]
    ]
    if old["format"] != new["format"]:
        return changes
    if new["format"] == FREE and old["name"] != new["name"]:
        changes.append(_changed_fact("name", old, new))
    if _format(new).has_challenger and _challenger(old) != _challenger(new):
        changes.append(f"the challenger is now {_challenger(new)!r}")
    changes += _changed_settings(old, new, harmless=True)
    return changes


def activity(name: str, *, is_active: bool) -> str:
    """Return in words that the file retires an engine or has it play again."""
    return f"engine {name!r} {'plays again' if is_active else 'gets no more games'}"


def inactive_in(engines: Mapping[str, Any]) -> set[str]:
    """Return the engines that are not active in the file, from their facts by name."""
    return {
        name
        for name, facts in engines.items()
        if isinstance(facts, dict) and facts.get("active") is False
    }


def contradictions(
    old: Facts, new: Facts, idle: Container[str] = (), retired: Container[str] = ()
) -> list[str]:
    """Return the changes that would give finished games another meaning, in words.

    Engines that are `idle` have no game, and may be removed. A new engine may be the challenger in
    place of one that is `retired`.
    """
    # Without a plan, the name says nothing about games: an arena may be renamed.
    is_free = old["format"] == new["format"] == FREE
    changes = [
        _changed_fact(key, old, new)
        for key in ("name", "format", "seed")
        if old[key] != new[key] and not (key == "name" and is_free)
    ]
    if old["format"] == new["format"]:
        changes += _changes_of_format(old, new)
    changes += [f"{game} was removed" for game in old["games"] if game not in new["games"]]
    for name, engine in old["engines"].items():
        if name not in new["engines"]:
            if name in idle and _format(new).takes_engines:
                continue
            offer = "" if _format(new).needs_all_engines else f": {_how_to_remove(name)}"
            changes.append(f"engine {name!r} was removed but has games{offer}")
        else:
            changes += engine_changes(name, engine, new["engines"][name])
    for game in old["games"]:
        before, now = (facts.get("openings", {}).get(game, []) for facts in (old, new))
        if not _are_same_openings(before, now):
            changes.append(f"the openings of {game} are different")
    was, now = _challenger(old), _challenger(new)
    may_change = was in retired and now not in old["engines"]
    if _format(new).has_challenger and was != now and not may_change:
        changes.append(f"the challenger changed from {was!r} to {now!r}")
    return changes


def _how_to_remove(name: str) -> str:
    """Return what keeps the games of an engine that gets no more."""
    reason = "--reason", "TEXT"
    words = (*reason, "--", name) if name.startswith("-") else (name, *reason)
    return f"put it back with active = false, or run: oddly rule LEDGER retire {shlex.join(words)}"


def _changed_fact(key: str, old: Facts, new: Facts) -> str:
    return f"the {key} changed from {old[key]!r} to {new[key]!r}"


def _challenger(facts: Facts) -> str:
    return next(iter(facts["engines"]), "")


def refusal(changes: Sequence[str]) -> str:
    """Return a sentence that names refused changes and says what to do instead."""
    ways = "undo the change, or name a new --ledger"
    if any(" of engine " in change for change in changes):
        ways += "; --as-new enters engines that have changed as new ones"
    return f"{'; '.join(changes)}. Its games would mean something else: {ways}"


def _are_same_openings(before: Any, now: Any) -> bool:  # noqa: ANN401
    """Return whether the openings of a game are as before, or more or fewer of them."""
    if isinstance(now, dict) or not isinstance(before, list):
        return bool(before == now)
    both = min(len(before), len(now))
    return before[:both] == now[:both] and bool(before) == bool(now)


def _changes_of_format(old: Facts, new: Facts) -> list[str]:
    """Return the changes that the format does not allow after games were played, in words."""
    changes = _changed_settings(old, new, harmless=False)
    if _format(new).takes_engines:
        return changes
    added = [name for name in new["engines"] if name not in old["engines"]]
    changes += [
        f"engine {name!r} was added, which would have changed the pairings of the format "
        f"{new['format']}"
        for name in added
    ]
    if not added and list(new["engines"]) != list(old["engines"]):
        changes.append("the order of the engines changed, which is their seeding")
    return changes


def _changed_settings(old: Facts, new: Facts, *, harmless: bool) -> list[str]:
    """Return how the format's settings changed, in words: the harmless changes, or the others."""
    before, now = settings_of(old), settings_of(new)
    return [
        f"{key} changed from {_spelled(before.get(key))} to {_spelled(now[key])}"
        for key in now
        if now[key] != before.get(key) and _is_harmless(_format(new), key, before, now) is harmless
    ]


def _is_harmless(format_: type[Format], key: str, before: Facts, now: Facts) -> bool:
    """Return whether a setting may change in this way without changing what finished games mean."""
    if key in format_.can_change:
        return True
    return key in format_.can_grow and before.get(key, 0) < now[key]


def _format(facts: Facts) -> type[Format]:
    """Return the event's format. A study has none, and grows by rounds as a round robin does."""
    return FORMATS.get(facts["format"], RoundRobin)


def settings_of(facts: Facts) -> Facts:
    """Return the settings of the format, the number of rounds among them; none if damaged."""
    rounds = {"rounds": facts["rounds"]} if "rounds" in facts else {}
    settings = facts.get("settings")
    return {**rounds, **(settings if isinstance(settings, dict) else {})}


def _spelled(value: object) -> str:
    return "none" if value in (None, "") else str(value)


def engine_changes(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return in words how an engine differs from the one that was entered. Its path may differ."""
    return [
        f"the {key} of engine {name!r} changed from {_text(old[key])} to {_text(new[key])}"
        for key in old
        if key != "active"
        and old[key] != new.get(key)
        and not (key == "command" and same_command(old[key], new[key]))
        and not (key == "options" and same_options(old[key], new[key]))
    ]


def _text(value: object) -> str:
    match value:
        case list():
            return repr(" ".join(value))
        case dict():
            return repr(" ".join(f"{key}={item}" for key, item in value.items()))
        case _:
            return repr(value)
