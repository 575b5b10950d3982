"""The files that a study is written to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from study.as_json import as_json
from study.markdown import markdown, pictures
from study.page import page

if TYPE_CHECKING:
    from games.game import Game
    from study.document import Study

FIELDS = {"board": "shape"}
"""Settings that a game's dataclass calls otherwise."""


def file_name(game: Game) -> str:
    """The game with the settings that are not its usual ones: `yodd-8`, `odd-5-square`."""
    usual = type(game)()
    words = [game.name, str(game.size)]
    for setting, value in game.settings.items():
        if value != getattr(usual, FIELDS.get(setting, setting)):
            words.append(setting if value is True else str(value))
    return "-".join(words)


def json_text(study: Study) -> str:
    """All figures as one JSON object."""
    return json.dumps(as_json(study), indent=1, ensure_ascii=False) + "\n"


def files_of(study: Study, name: str) -> dict[str, str]:
    """By file name the texts: Markdown, JSON, the page, and the pictures of the Markdown."""
    return {
        f"{name}.md": markdown(study, name),
        f"{name}.json": json_text(study),
        f"{name}.html": page(study),
        **pictures(study, name),
    }
