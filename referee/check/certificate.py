"""A check's result as one JSON object for others: what was checked, by which versions, how well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oddly.games.untrusted_text import one_line
from oddly.games.version import VERSION
from oddly.referee.check import kit
from oddly.referee.check.report import as_json

if TYPE_CHECKING:
    from oddly.games.game import Game
    from oddly.referee.check.checker import CheckReport

FORMAT = 1
PROTOCOL = 1


def certificate(report: CheckReport, command: str, game: Game) -> dict[str, Any]:
    """Return the certificate of an engine for one game and board, as plain values."""
    musts = [result for result in report.results if not result.step.should]
    return {
        "certificate": FORMAT,
        "engine": one_line(report.engine),
        "command": command,
        "game": {"name": game.name, "size": game.size, **game.settings},
        "versions": {"oddly": VERSION, "protocol": PROTOCOL, "gtp": 2},
        "kit": {
            "mutants": kit.MUTANTS,
            "found": kit.FOUND,
            "mutation_score": round(kit.FOUND / kit.MUTANTS, 3),
        },
        "keeps_every_must": report.count("pass") > 0
        and not any(result.verdict == "fail" for result in musts),
        "keeps_every_should": report.count("pass") > 0 and report.count("fail") == 0,
        "report": as_json(report, command, str(game)),
    }
