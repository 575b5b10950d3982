"""The step in which an engine compiles and loads: after it, only turns take time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from oddly.games.settings import setting_text
from oddly.referee.check.engine_under_test import LARGEST_LISTED
from oddly.referee.check.errors import Late, Skipped
from oddly.referee.check.step import step
from oddly.referee.check.variants import all_boards

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oddly.referee.check.engine_under_test import EngineUnderTest


@step("7")
async def gets_ready(engine: EngineUnderTest) -> None:
    """Sets up its games and boards for the first time, which may take long."""
    lines = list(_lines_of_all_boards(engine))
    if not engine.commands & {"set_game", "boardsize"}:
        raise Skipped("neither set_game nor boardsize is listed")
    if engine.lists("list_games") and engine.lists("set_game"):
        reply = await engine.ask_patiently("list_games")
        lines += [f"set_game {name}" for name in reply.text.split()]
    engine.preparations = [line for line in lines if engine.lists(line)]
    if await prepare(engine) < engine.options.timeout / 2:
        engine.preparations = []


async def prepare(engine: EngineUnderTest) -> float:
    """Send what makes the engine ready, and return the longest time that a reply took.

    Raises Late if one takes longer than the limit for setting up, or else Failed.
    """
    longest = 0.0
    for line in engine.preparations:
        began = trio.current_time()
        try:
            await engine.ask_patiently(line)
        except Late as late:
            late.problem = f"{line!r} was not answered within {engine.options.setup_limit:g} s"
            raise
        longest = max(longest, trio.current_time() - began)
    return longest


def _lines_of_all_boards(engine: EngineUnderTest) -> Iterator[str]:
    """Yield what sets up the game on every board, and loads what solves it on small ones.

    The engine may refuse some.
    """
    settings = None
    for game in all_boards(engine.game, engine.commands):
        if game.settings != settings:
            settings = game.settings
            pairs = [f"{name} {setting_text(value)}" for name, value in settings.items()]
            yield " ".join(["set_game", game.name, *pairs])
        yield f"boardsize {game.size}"
        if len(game.board) <= LARGEST_LISTED:
            yield "solve 0"


STEPS = (gets_ready,)
