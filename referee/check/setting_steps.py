"""Steps about the engine and what can be set: its options, clocks, and settings of games."""

from __future__ import annotations

from decimal import Decimal
from itertools import product
from typing import TYPE_CHECKING, Any

from oddly.games import (
    GAMES,
    SWAP,
    Colour,
    Drop,
    Drops,
    Game,
    Turn,
    create_game,
    one_line,
    read_game,
    setting_text,
)
from oddly.referee.check.conversation import Skipped
from oddly.referee.check.engine_under_test import NO_LEGAL_TURN, EngineUnderTest, play_line
from oddly.referee.check.replies import beyond, listed_defaults, read_option, wrong_option
from oddly.referee.check.rule_steps import refuses_beyond
from oddly.referee.check.step import COMMANDS, spread, step, wrong_lines
from oddly.referee.check.survey import follow
from oddly.referee.check.variants import Playout, played_out, random_game, smallest

if TYPE_CHECKING:
    from collections.abc import Mapping

TIME_CONTROLS = (
    *("1", "0.5", "300+0", "300+2.5", "600+20/300", "600+5x30", "0+20/300", "0+5x30"),
    *("0.001", "9999999.999", "9999999.999+9999/9999999.999", "0+9999x30", "none"),
)


@step("5", "commands")
async def wrong_arguments(engine: EngineUnderTest) -> None:
    """Refuses the wrong number or kind of arguments."""
    lines = list(filter(engine.lists, wrong_lines()))
    for index in engine.cases(spread(len(lines)), 16):
        await engine.refused(lines[index], "syntax error")
    await engine.accepted("name")


@step("5.1", "commands", "known_command")
async def known_command(engine: EngineUnderTest) -> None:
    """Knows exactly the commands that it lists."""
    names = sorted({*COMMANDS, *engine.commands})
    order = ["no_such_command", *(names[index] for index in spread(len(names)))]
    for name in engine.cases(order[:200], 12):
        listed = "true" if name in engine.commands else "false"
        if await engine.accepted(f"known_command {name}") != listed:
            raise engine.failure(
                f"known_command and list_commands disagree about {name!r}", f"= {listed}"
            )


@step("5.1", "commands", "protocol_version")
async def protocol_version(engine: EngineUnderTest) -> None:
    """Has version 2 of GTP's framing."""
    if await engine.accepted("protocol_version") != "2":
        raise engine.failure("another protocol version", "= 2")


@step("5.1", "commands", "oddly_version")
async def oddly_version(engine: EngineUnderTest) -> None:
    """Has version 1 of this protocol."""
    if await engine.accepted("oddly_version") != "1":
        raise engine.failure("another version of the protocol", "= 1")


@step("5.5", "commands", "list_options")
async def list_options(engine: EngineUnderTest) -> None:
    """Describes each option on a line of its own."""
    for line in (await engine.accepted("list_options")).splitlines():
        if wrong := wrong_option(line):
            raise engine.failure(
                f"option line {line!r}: {wrong}",
                "NAME type TYPE default VALUE, then min N, max N or choices WORD WORD ...",
            )
        name, _, value, _ = read_option(line)
        if value:
            engine.defaults += (f"{name} {value}",)


@step("5.5", "commands", "list_options", "set_option")
async def set_option(engine: EngineUnderTest) -> None:
    """Accepts each option's default and limits, refuses what is beyond, and unknown names."""
    for line in (await engine.accepted("list_options")).splitlines():
        if wrong_option(line):
            continue
        name, kind, value, facts = read_option(line)
        if not value:
            continue
        await engine.accepted(f"set_option {name} {value}")
        if kind != "choice" and kind != "text":
            await engine.refused(f"set_option {name} nonsense")
        for limit, step_beyond in (("max", 1), ("min", -1)):
            if limit in facts:
                await engine.refused(f"set_option {name} {beyond(kind, facts[limit], step_beyond)}")
                await engine.accepted(f"set_option {name} {facts[limit]}")
        for word in engine.cases(facts.get("choices", "").split(), 4):
            await engine.accepted(f"set_option {name} {word}")
        await engine.accepted(f"set_option {name} {value}")
    await engine.refused("set_option no_such_option 1")


@step("5.6", "commands", "time_control")
async def time_control(engine: EngineUnderTest) -> None:
    """Accepts every kind of time control and refuses anything else."""
    for text in TIME_CONTROLS:
        await engine.accepted(f"time_control {text}")
    for text in ("300+", "-1", "5x30+600"):
        await engine.refused(f"time_control {text}", "syntax error")


@step("5.6", "commands", "time_left")
async def time_left(engine: EngineUnderTest) -> None:
    """Accepts the time left, with decimals and with or without turns."""
    for arguments in (
        *("b 297.250 0", "w 300", "black 0.001 5", "white 86400.000 0"),
        *("b 1.123456789 0", "w 999999999.999999999 0"),
    ):
        await engine.accepted(f"time_left {arguments}")


@step("5.6", "commands", "time_settings")
async def time_settings(engine: EngineUnderTest) -> None:
    """Accepts GTP's time settings."""
    for arguments in ("300 30 5", "300 0 0", "0 5 1", "0 1 0"):
        await engine.accepted(f"time_settings {arguments}")


ENGINE_STEPS = (
    wrong_arguments,
    known_command,
    protocol_version,
    oddly_version,
    list_options,
    set_option,
    time_control,
    time_left,
    time_settings,
)


HUGE = ("1000000000", "99999999999", "9223372036854775808", "1" + 29 * "0")
"""Thresholds for which no board is large enough."""
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
"""Settings that `set_game` must refuse after a game's name."""


BEGINNING = 8
"""Turns that suffice to show a game's board and threshold."""


def _set_game(name: str, settings: Mapping[str, Any]) -> str:
    words = (word for key, value in settings.items() for word in (key, setting_text(value)))
    return " ".join(["set_game", name, *words])


def cluster(game: Game) -> list[Turn]:
    """Return drops of one colour in Odd that make one group grow until it surely counts."""
    board = game.board
    cells = [0]
    for cell in cells:
        cells += [near for near in board.neighbours[cell] if near not in cells]
    return [Drops((Drop(Colour.BLACK, board.vertices[cell]),)) for cell in cells[:BEGINNING]]


async def is_set(engine: EngineUnderTest, game: Game, seed: str) -> None:
    """Check by playing that a game follows its settings. Raises Failed if it does not."""
    seed = f"{engine.options.seed} {seed}"
    if game.settings.get("pie") is not None:
        positions, turns = random_game(game, seed)
        await follow(engine, Playout(positions[:2], turns[:1]))
        if game.settings["pie"]:
            await engine.play([(positions[1].to_move, SWAP)])
        else:
            line = play_line(positions[1].to_move, SWAP)
            await engine.refused(line, *NO_LEGAL_TURN, why="the pie rule is off")
        return
    for number, length in engine.cases(((0, BEGINNING), (0, None), (1, None), (2, None))):
        if (number, length) != (0, BEGINNING):
            await engine.accepted("clear_board")
        played = random_game(game, f"{seed} {number}")
        if "min_group" in game.settings and length:
            played = played_out(game.start(), cluster(game))
        positions = played.positions[: length + 1] if length else played.positions
        await follow(engine, Playout(positions, played.turns[:length]))


@step("5.2", "settings", "set_game", "boardsize", "clear_board", share=14)
async def settings_stick(engine: EngineUnderTest) -> None:
    """Keeps its settings through boardsize, clear_board and commands that fail."""
    every = product(OTHER.get(engine.game.name, ({},)), (False, True))
    for settings, backwards in engine.cases(every):
        small = smallest(create_game(engine.game.name, None, settings))
        size = small.size + (2 if small.name == "ayu" else 1)
        game = create_game(small.name, size, settings)
        forwards = _set_game(game.name, game.settings)
        line = _set_game(game.name, dict(reversed([*game.settings.items()])))
        if not (await engine.conversation.ask(line if backwards else forwards)).ok:
            if backwards and (await engine.conversation.ask(forwards)).ok:
                raise engine.failure("takes settings in one order only", "=")
            continue
        if not (await engine.conversation.ask(f"boardsize {size}")).ok:
            continue
        await engine.refused("set_game no_such_game", "unknown game")
        for wrong in engine.cases(WRONG.get(game.name, ()), 2):
            await engine.refused(f"set_game {game.name} {wrong}")
        await engine.refused("boardsize 99", "unacceptable size")
        await is_set(engine, game, "sticks")
        await engine.accepted("clear_board")
        await is_set(engine, game, "after clear_board")


@step("5.2", "settings", "set_game", "boardsize", "clear_board", share=20)
async def settings_come_back(engine: EngineUnderTest) -> None:
    """Sets the default size and settings with set_game, except for those given."""
    name = engine.game.name
    every = [(each, key) for each in OTHER.get(name, ({},)) for key in ("", *each)]
    for settings, only in engine.cases(every):
        other = create_game(name, None, settings)
        wanted = create_game(name, None, {only: settings[only]} if only else {})
        at_start, before = (_set_game(name, each.settings) for each in (wanted, other))
        lines = [at_start, f"boardsize {wanted.size}", before]
        # An engine need not play the default settings or size.
        if not all(reply.ok for reply in await engine.conversation.ask_all(lines)):
            continue
        if only:
            value = setting_text(wanted.settings[only])
            await engine.accepted(f"set_game {name} {only} {value}")
            await is_set(engine, wanted, f"only {only}")
            continue
        await engine.conversation.ask(f"boardsize {smallest(other).size}")
        await engine.accepted(f"set_game {name}")
        await refuses_beyond(engine, wanted)
        await is_set(engine, wanted, "default")


@step("5.2", "settings", "set_game", "boardsize", share=2)
async def huge_thresholds(engine: EngineUnderTest) -> None:
    """Accepts any threshold, however large: then no group counts."""
    if "min_group" not in engine.game.settings:
        raise Skipped("the game has no threshold")
    name, size, settings = engine.game.name, engine.small.size, {**engine.game.settings}
    del settings["min_group"]
    line = f"{_set_game(name, settings)} min_group"
    for least in ("1", "100"):
        if not (await engine.conversation.ask(f"{line} {least}")).ok:
            raise Skipped("it plays with one threshold only")
    game = create_game(name, size, {**settings, "min_group": 469})
    for least in engine.cases(HUGE):
        await engine.accepted(f"{line} {least}")
        await engine.accepted(f"boardsize {size}")
        await follow(engine, random_game(game, f"{engine.options.seed} huge"))


@step("5.2", "settings", "list_games", "set_game", share=3)
async def listed_games(engine: EngineUnderTest) -> None:
    """Takes every game that it lists, as the referee sets it up, and returns to this one."""
    as_asked_for = _set_game(engine.game.name, engine.game.settings)
    for name in (await engine.accepted("list_games")).split():
        lines = [f"set_game {name}"]
        if name == engine.game.name:
            lines = [as_asked_for]
        elif name in GAMES:
            lines.append(_set_game(name, create_game(name).settings))
        for line in lines:
            if (await engine.ask_patiently(line)).ok:
                continue
            failure = engine.failure(f"lists {name}, and refused {line!r}", "=")
            is_another = name in GAMES and name != engine.game.name
            if not (is_another and await _plays_otherwise(engine, name)):
                engine.not_set_up.append(line)
                raise failure
    await engine.accepted(as_asked_for)
    if "boardsize" in engine.commands and await engine.takes(engine.small):
        back = random_game(engine.small, f"{engine.options.seed} back")
        for played in engine.cases((Playout(back.positions[:3], back.turns[:2]), back)):
            await engine.set_up(engine.small)
            await follow(engine, played)


async def _plays_otherwise(engine: EngineUnderTest, name: str) -> bool:
    """Return whether the engine plays a game, but not with the game's own defaults."""
    tried: tuple[Mapping[str, object], ...] = OTHER.get(name, ())
    if "list_settings" in engine.commands:
        own = listed_defaults(await engine.accepted("list_settings"), name)
        usual = {key: setting_text(value) for key, value in create_game(name).settings.items()}
        if own:
            tried = (own,) if own.items() - usual.items() else ()
    for settings in tried:
        if (await engine.ask_patiently(_set_game(name, settings))).ok:
            return True
    return False


@step("5.2", "settings", "list_settings", "set_game", "boardsize")
async def settings_listed(engine: EngineUnderTest) -> None:
    """Accepts every size of the game that it lists, and lists the game's defaults."""
    name = engine.game.name
    for line in (await engine.accepted("list_settings")).splitlines():
        listed, _, condition = line.removeprefix(f"{name} ").partition(" if ")
        if not line.startswith(f"{name} "):
            continue
        if not wrong_option(listed) and (right := _other_default(name, read_option(listed))):
            raise engine.failure(f"{one_line(line)!r} has another default", right)
        words = listed.split()
        if words[0] != "size" or "choices" not in words:
            continue
        if (settings := await _met(engine, condition)) is None:
            continue
        sizes = [
            size
            for size in words[words.index("choices") + 1 :]
            if _has_board(name, size, settings) or not _has_board(name, size, {})
        ]
        for size in engine.cases([sizes[index] for index in spread(len(sizes))], 2):
            if not (await engine.conversation.ask(f"boardsize {size}")).ok:
                engine.not_set_up.append(f"boardsize {size}")
                raise engine.failure(f"lists the size {size}, and refused it", "=")


def _has_board(name: str, size: str, settings: Mapping[str, Any]) -> bool:
    """Return whether a game with these settings can be played on a size."""
    try:
        read_game(name, int(size), {key: setting_text(each) for key, each in settings.items()})
    except ValueError:
        return False
    return True


async def _met(engine: EngineUnderTest, condition: str) -> Mapping[str, Any] | None:
    """Set the game asked for, with the setting that a line of sizes is for; return its settings.

    Return None if the engine plays that setting with other values only. Raises Failed if it
    refuses the game asked for.
    """
    name, settings = engine.game.name, engine.game.settings
    setting, _, value = condition.partition(" ")
    if not setting or setting_text(settings.get(setting, "")) == value:
        await engine.accepted(_set_game(name, settings))
        return settings
    for each in ({**settings, setting: value}, {setting: value}):
        if (await engine.conversation.ask(_set_game(name, each))).ok:
            return each
    return None


def _other_default(name: str, option: tuple[str, str, str, dict[str, str]]) -> str:
    """Return the default of a game's setting if an engine lists another one, else "".

    An engine that does not play the default has one of its own.
    """
    setting, kind, value, facts = option
    game = create_game(name)
    right = setting_text({"size": game.size, **game.settings}.get(setting, value))
    if "choices" in facts and right not in facts["choices"].split():
        return ""
    if kind == "integer" and right.isdigit():
        least, most = (Decimal(facts.get(limit, right)) for limit in ("min", "max"))
        if not least <= Decimal(right) <= most:
            return ""
    return f"default {right}" if value != right else ""


SETTING_STEPS = (
    settings_listed,
    settings_stick,
    settings_come_back,
    huge_thresholds,
    listed_games,
)
