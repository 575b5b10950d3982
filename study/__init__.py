"""Studying a game by playing it: how long, how wide, how fair and how deep it is.

`make_plan` says which games are played, `play_games` has the referee play them, `make_study`
measures them, and `files_of` writes the study as Markdown, JSON and HTML. Each measurement has its
own file, with functions from games or positions to estimates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.exports import importer

if TYPE_CHECKING:
    from study.document import Study
    from study.estimates import Estimate
    from study.files import file_name, files_of
    from study.plan import StudyPlan, make_plan
    from study.playing import event_facts, games_by_pairing, play_games
    from study.sections import Effort, MeasuringObserver, make_study

__all__ = [
    "Effort",
    "Estimate",
    "MeasuringObserver",
    "Study",
    "StudyPlan",
    "event_facts",
    "file_name",
    "files_of",
    "games_by_pairing",
    "make_plan",
    "make_study",
    "play_games",
]

_HOMES = {
    "Effort": "study.sections",
    "Estimate": "study.estimates",
    "MeasuringObserver": "study.sections",
    "Study": "study.document",
    "StudyPlan": "study.plan",
    "event_facts": "study.playing",
    "file_name": "study.files",
    "files_of": "study.files",
    "games_by_pairing": "study.playing",
    "make_plan": "study.plan",
    "make_study": "study.sections",
    "play_games": "study.playing",
}
__getattr__ = importer(globals(), _HOMES)
