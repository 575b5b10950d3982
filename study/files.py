"""The files of a study."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from oddly.study.as_json import as_json
from oddly.study.markdown import markdown, pictures
from oddly.study.page import page

if TYPE_CHECKING:
    from oddly.games.game import Game
    from oddly.study.document import Study

FIELDS = {"board": "shape"}
"""Settings whose field has another name in a game's dataclass."""


def file_name(game: Game) -> str:
    """Return the name of a game's study: `yodd-8`, or with unusual settings `odd-5-square`."""
    usual = type(game)()
    words = [game.name, str(game.size)]
    for setting, value in game.settings.items():
        if value != getattr(usual, FIELDS.get(setting, setting)):
            words.append(setting if value is True else str(value))
    return "-".join(words)


def json_text(study: Study) -> str:
    """Return the study as the text of one JSON object."""
    return json.dumps(as_json(study), indent=1, ensure_ascii=False) + "\n"


def files_of(study: Study, name: str) -> dict[str, str]:
    """Return the text of each file by its name: Markdown, its pictures, JSON and HTML."""
    return {
        f"{name}.md": markdown(study, name),
        f"{name}.json": json_text(study),
        f"{name}.html": page(study),
        **pictures(study, name),
    }
