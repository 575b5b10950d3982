"""Steps about games and their settings: which stick, which come back, which are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.catalogue import create_game
from oddly.games.errors import GameError
from oddly.games.settings import setting_text
from oddly.games.turns import SWAP
from oddly.referee.check.engine_under_test import play_line
from oddly.referee.check.errors import Skipped
from oddly.referee.check.rule_steps import follow
from oddly.referee.check.step import step
from oddly.referee.check.variants import random_game, smallest

if TYPE_CHECKING:
    from oddly.games.game import Game
    from oddly.referee.check.engine_under_test import EngineUnderTest

HUGE = ("1000000000", "99999999999", "9223372036854775808", "1" + 29 * "0")
"""Numbers that no board is large enough for."""
OTHER: dict[str, tuple[dict[str, object], ...]] = {
    "odd": (
        {"board": "square", "min_group": 2},
        {"board": "hexhex", "min_group": 1},
        {"board": "square", "min_group": 7},
    ),
    "ayu": ({"pie": True}, {"pie": False}),
}
"""Settings that a game is tried with; the first ones are all unlike the default."""
WRONG = {
    "odd": (
        *("min_group 0", "min_group -1", "min_group x", "min_group 2.5", "board round"),
        *("board", "min_group", "min_group 3 board", "pie true", "min_group 3 board round"),
    ),
    "ayu": ("pie maybe", "pie", "pie 1", "min_group 3", "board hexhex"),
    "yodd": ("min_group 3", "board square", "pie true", "size 4", "board"),
    "xodd": ("min_group 3", "board hexhex", "pie true", "size 4", "board"),
}
"""What no `set_game` of a game may say after its name."""


def _setting_words(game: Game, *, backwards: bool = False) -> str:
    pairs = [f"{name} {setting_text(value)}" for name, value in game.settings.items()]
    return " ".join([game.name, *(reversed(pairs) if backwards else pairs)])


async def is_set(engine: EngineUnderTest, game: Game, seed: str) -> None:
    """Play a game, and see whether it goes by its settings. Raises Failed if it does not."""
    seed = f"{engine.options.seed} {seed}"
    if game.settings.get("pie") is not None:
        positions, turns = random_game(game, seed)
        await engine.play(turns[:1])
        if game.settings["pie"]:
            await engine.play([(positions[1].to_move, SWAP)])
        else:
            line = play_line(positions[1].to_move, SWAP)
            await engine.refused(line, "illegal move", "the pie rule is off")
        return
    for number in range(3):
        if number:
            await engine.accepted("clear_board")
        await follow(engine, random_game(game, f"{seed} {number}"))


@step("5.2", "set_game", "boardsize", "clear_board")
async def settings_stick(engine: EngineUnderTest) -> None:
    """Keeps its settings through boardsize, clear_board and commands that fail."""
    for settings in OTHER.get(engine.game.name, ({},)):
        small = smallest(create_game(engine.game.name, None, settings))
        size = small.size + (2 if small.name == "ayu" else 1)
        game = create_game(small.name, size, settings)
        for backwards in (False, True):
            reply = await engine.conversation.ask(
                f"set_game {_setting_words(game, backwards=backwards)}"
            )
            if not reply.ok and backwards and game.settings:
                raise engine.conversation.failure("takes settings in one order only", "=")
            if not reply.ok:
                break
            await engine.accepted(f"boardsize {size}")
            await engine.refused("set_game no_such_game", "unknown game")
            for wrong in WRONG.get(game.name, ()):
                await engine.refused(f"set_game {game.name} {wrong}")
            await engine.refused("boardsize 99", "unacceptable size")
            await is_set(engine, game, "sticks")
            await engine.accepted("clear_board")
            await is_set(engine, game, "after clear_board")


@step("5.2", "set_game", "boardsize", "clear_board")
async def settings_come_back(engine: EngineUnderTest) -> None:
    """Sets the default size and settings with set_game, except for those given."""
    name = engine.game.name
    default = create_game(name)
    for settings in OTHER.get(name, ({},)):
        other = create_game(name, None, settings)
        reply = await engine.conversation.ask(f"set_game {_setting_words(other)}")
        if not reply.ok:
            continue
        small = smallest(other)
        await engine.accepted(f"boardsize {small.size}")
        await engine.accepted(f"set_game {name}")
        await is_set(engine, default, "default")
        for setting, value in settings.items():
            await engine.accepted(f"set_game {_setting_words(other)}")
            await engine.accepted(f"set_game {name} {setting} {setting_text(value)}")  # type: ignore[arg-type]
            await is_set(engine, create_game(name, None, {setting: value}), f"only {setting}")


@step("5.2", "set_game", "boardsize")
async def huge_thresholds(engine: EngineUnderTest) -> None:
    """Accepts any threshold, however large: then no group counts."""
    if "min_group" not in engine.game.settings:
        raise Skipped("the game has no threshold")
    for least in ("1", "100"):
        if not (await engine.conversation.ask(f"set_game odd min_group {least}")).ok:
            raise Skipped("it plays with one threshold only")
    for least in HUGE:
        await engine.accepted(f"set_game odd min_group {least}")
        await engine.accepted("boardsize 2")
        game = create_game("odd", 2, {"min_group": 469})
        await follow(engine, random_game(game, f"{engine.options.seed} huge"))


@step("5.2", "list_games", "set_game")
async def listed_games(engine: EngineUnderTest) -> None:
    """Can be set to every game that it lists, and returns to this one."""
    for name in (await engine.accepted("list_games")).split():
        await engine.accepted(f"set_game {name}")
    await engine.accepted(f"set_game {engine.game.name}")
    if "boardsize" in engine.commands:
        await engine.set_up(engine.small)
        await follow(engine, random_game(engine.small, f"{engine.options.seed} back"))


@step("5.2", "list_settings", "set_game", "boardsize")
async def settings_listed(engine: EngineUnderTest) -> None:
    """Accepts every size of the game that it lists."""
    for line in (await engine.accepted("list_settings")).splitlines():
        words = line.split()
        if words[:2] != [engine.game.name, "size"] or "choices" not in words:
            continue
        condition = words[words.index("if") + 1 :] if "if" in words else []
        sizes = words[words.index("choices") + 1 : words.index("if") if "if" in words else None]
        await engine.accepted(" ".join(("set_game", engine.game.name, *condition)))
        for size in sizes:
            await engine.accepted(f"boardsize {size}")


@step("5.2", "setup", "clear_board")
async def setup(engine: EngineUnderTest) -> None:
    """Reaches the positions of a game by setup as it does by turns."""
    await engine.set_up(engine.small)
    positions, _ = random_game(engine.small, f"{engine.options.seed} setup", 0.2)
    for position in positions[1:-1]:
        try:
            engine.small.set_up(position.stones, position.to_move, position.status)
        except GameError as error:
            raise Skipped(str(error)) from None
        stones = "".join(".BW"[stone] for stone in position.stones)
        past = f" passes {position.status.passes}" if position.status.passes else ""
        past = " swap" if position.status.may_swap else past
        await engine.accepted(f"setup {position.to_move} {stones}{past}")
        if "undo" in engine.commands:
            await engine.refused("undo", "cannot undo")
        if "group_counts" in engine.commands:
            expected = "{} {}".format(*position.group_counts)
            if await engine.accepted("group_counts") != expected:
                raise engine.conversation.failure("other counts than ours", f"= {expected}")
        await engine.play([(position.to_move, next(iter(position.legal_turns())))])
    await engine.refused("setup black B", "illegal position")
    await engine.accepted("clear_board")
    if "undo" in engine.commands:
        await engine.refused("undo", "cannot undo")


STEPS = (settings_listed, setup, settings_stick, settings_come_back, huge_thresholds, listed_games)
