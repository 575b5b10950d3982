"""What an event is, and whether a changed one may go on with the games it has.

An event may grow: engines, games and rounds may be added, since what a finished game means does
not depend on them. Whatever would give finished games another meaning is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.player import Contestant
    from tournaments.schedule import Openings
    from tournaments.tournament_file import Tournament

Facts = dict[str, Any]

FREE = "free"
"""The format of an event that nobody planned: games that people play."""


def event_facts(tournament: Tournament, seed: int, openings: Openings | None = None) -> Facts:
    """An event as plain values for JSON; `seed` may be another than in the file."""
    rounds = range(tournament.rounds)
    return {
        "name": tournament.name,
        "format": tournament.format,
        "seed": seed,
        "rounds": tournament.rounds,
        "games": [str(game) for game in tournament.games],
        "openings": {
            str(game): [" ".join(known[number % len(known)]) for number in rounds]
            for game, known in (openings or {}).items()
        },
        "engines": {engine.name: _engine_facts(engine) for engine in tournament.engines},
    }


def _engine_facts(engine: Contestant) -> Facts:
    return {
        "command": list(engine.command),
        "time": str(engine.time),
        "options": dict(engine.options),
    }


def additions(old: Facts, new: Facts) -> list[str]:
    """What was added to an event, in words."""
    said = [f"engine {name!r} was added" for name in new["engines"] if name not in old["engines"]]
    said += [f"{game} was added" for game in new["games"] if game not in old["games"]]
    if new["rounds"] > old["rounds"]:
        said.append(f"rounds went from {old['rounds']} to {new['rounds']}")
    return said


def contradictions(old: Facts, new: Facts) -> list[str]:
    """What was changed so that finished games would mean something else, in words."""
    said = [
        f"the {key} was {old[key]!r} and is {new[key]!r}"
        for key in ("name", "format", "seed")
        if old[key] != new[key]
    ]
    if new["rounds"] < old["rounds"]:
        said.append(f"rounds went from {old['rounds']} to {new['rounds']}")
    said += [f"{game} is gone" for game in old["games"] if game not in new["games"]]
    for name, engine in old["engines"].items():
        if name not in new["engines"]:
            said.append(f"engine {name!r} is gone")
        else:
            said += _engine_changes(name, engine, new["engines"][name])
    for game in old["games"]:
        before, now = (facts.get("openings", {}).get(game, []) for facts in (old, new))
        if before != now[: len(before)] or bool(before) != bool(now):
            said.append(f"the openings of {game} are others")
    challengers = [next(iter(facts["engines"]), "") for facts in (old, new)]
    if new["format"] == "gauntlet" and challengers[0] != challengers[1]:
        said.append("the challenger was {!r} and is {!r}".format(*challengers))
    return said


def _engine_changes(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    return [
        f"the {key} of engine {name!r} was {_text(old[key])} and is {_text(new[key])}"
        for key in old
        if old[key] != new[key]
    ]


def _text(value: object) -> str:
    match value:
        case list():
            return repr(" ".join(value))
        case dict():
            return repr(" ".join(f"{key}={item}" for key, item in value.items()))
        case _:
            return repr(value)
