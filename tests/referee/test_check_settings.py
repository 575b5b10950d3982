"""What `oddly check` says of games, sizes, settings and options: those listed and those taken."""

import sys
from dataclasses import dataclass
from typing import ClassVar

import pytest

from oddly.engines.dispatcher import Dispatcher
from oddly.engines.plain_engines import RandomEngine
from oddly.engines.session import CommandError
from oddly.games.catalogue import GAMES, create_game
from oddly.games.turns import GameError
from oddly.games.yodd import Yodd
from oddly.referee.check.position_steps import set_game
from oddly.referee.check.setting_steps import (
    SETTING_STEPS,
    list_options,
    listed_games,
    set_option,
    settings_listed,
)
from oddly.referee.check.state_steps import STATE_STEPS
from tests.referee.test_check import BRIEF, check
from tests.referee.wrong_engines import WrongDispatcher


class Choosy(WrongDispatcher):
    """Plays some games only, each with some settings only, and on some sizes only."""

    plays: ClassVar = {"yodd": lambda settings: True}
    sizes = range(2, 20)
    listed = ("yodd size type choice default 8 choices 2 3 4 5 6 7 8 9 10 11 12 13",)

    def _list_games(self, arguments):
        super()._list_games(arguments)
        return "\n".join(self.plays)

    def _list_settings(self, arguments):
        super()._list_settings(arguments)
        return "\n".join(self.listed)

    def _set_game(self, arguments):
        asked = Dispatcher(RandomEngine(), create_game("yodd"))
        asked._set_game(arguments)
        game = asked.session.game
        if game.name not in self.plays:
            raise CommandError("unknown game")
        if not self.plays[game.name](game.settings):
            raise CommandError("settings that are not played")
        return super()._set_game(arguments)

    def _boardsize(self, arguments):
        if arguments and arguments[0].isdigit() and int(arguments[0]) not in self.sizes:
            raise CommandError("unacceptable size")
        return super()._boardsize(arguments)


class AyuWithThePieOnOneBoard(Choosy):
    plays: ClassVar = {"ayu": lambda settings: settings["pie"]}
    sizes = (5,)
    listed = (
        "ayu size type choice default 5 choices 5",
        "ayu pie type choice default true choices true",
    )


class AyuWithoutThePie(Choosy):
    plays: ClassVar = {"ayu": lambda settings: not settings["pie"]}
    listed = ("ayu pie type choice default false choices false",)


class AyuOnALargeBoard(AyuWithoutThePie):
    sizes = (7,)


class OddOnOneBoard(Choosy):
    plays: ClassVar = {"odd": lambda settings: settings["board"] == "hexhex"}
    sizes = (4,)
    listed = (
        "odd size type choice default 4 choices 4",
        "odd board type choice default hexhex choices hexhex",
        "odd min_group type integer default 5 min 1",
    )


class OddWithOneThresholdOnSquares(Choosy):
    plays: ClassVar = {
        "odd": lambda settings: (
            settings["min_group"] in ((3, 5) if settings["board"] == "hexhex" else (5,))
        )
    }
    listed = (
        "odd size type choice default 5 choices 3 4 5 if board hexhex",
        "odd size type choice default 5 choices 4 5 6 if board square",
        "odd board type choice default hexhex choices hexhex square",
        "odd min_group type choice default 5 choices 3 5 if board hexhex",
        "odd min_group type choice default 5 choices 5 if board square",
    )


class YoddAndAyuWithThePie(Choosy):
    plays: ClassVar = {
        "yodd": lambda settings: True,
        "ayu": AyuWithThePieOnOneBoard.plays["ayu"],
    }
    listed = (*Choosy.listed, "ayu pie type choice default true choices true")


class YoddAndAyuWithThePieUnsaid(YoddAndAyuWithThePie):
    listed = (*Choosy.listed, "ayu pie type boolean default false")


@pytest.mark.parametrize(
    ("engine", "name", "size", "settings"),
    [
        (AyuWithThePieOnOneBoard, "ayu", 5, {"pie": True}),
        (AyuWithoutThePie, "ayu", 5, {}),
        (AyuOnALargeBoard, "ayu", 7, {}),
        (OddOnOneBoard, "odd", 4, {}),
        (OddWithOneThresholdOnSquares, "odd", 4, {"min_group": 3}),
        (YoddAndAyuWithThePie, "yodd", 3, {}),
    ],
)
async def test_an_engine_need_play_no_other_size_or_setting(
    autojump_clock, in_memory, only, engine, name, size, settings
):
    """The bug: steps sent sizes and settings that the engine neither lists nor takes."""
    only(set_game, *SETTING_STEPS, *STATE_STEPS)
    command = in_memory(engine)
    failed, report = await check(command, name, settings, size)
    assert {name: result.reason for name, result in failed.items()} == {}
    assert not report.not_set_up


async def test_sizes_listed_for_a_setting_are_tried_with_that_setting_at_least(
    autojump_clock, in_memory, only
):
    class ListsTooMuch(OddWithOneThresholdOnSquares):
        sizes = (3, 4, 5)

    only(settings_listed)
    command = in_memory(ListsTooMuch)
    failed, _ = await check(command, "odd", {"min_group": 3})
    (result,) = failed.values()
    assert result.reason == "lists the size 6, and refused it"


@pytest.mark.parametrize("more", ["", " 10"])
async def test_a_listed_size_that_the_settings_rule_out_is_not_asked_for(
    autojump_clock, in_memory, only, monkeypatch, more
):
    """The bug: size 3 was, with four in a row."""

    @dataclass(frozen=True)
    class Rows(Yodd):
        name: ClassVar[str] = "rows"
        size: int = 3
        row: int = 3

        def __post_init__(self):
            if not 3 <= self.row <= self.size <= 9:
                raise GameError("3 to 9 in a row", "size")

    class Listing(WrongDispatcher):
        def _list_settings(self, arguments):
            return super()._list_settings(arguments).replace(" 8 9\n", f" 8 9{more}\n")

    monkeypatch.setitem(GAMES._ours, "rows", ())
    monkeypatch.setitem(GAMES._loaded, "rows", Rows)
    only(settings_listed)
    command = in_memory(Listing)
    failed, _ = await check(command, "rows", {"row": 4}, 4)
    assert [result.reason for result in failed.values()] == (
        ["lists the size 10, and refused it"] if more else []
    )


async def test_an_engine_plays_a_listed_game_with_the_defaults_that_it_lists(
    autojump_clock, in_memory, only
):
    only(listed_games)
    command = in_memory(YoddAndAyuWithThePieUnsaid)
    failed, report = await check(command)
    assert [result.reason for result in failed.values()] == [
        "lists ayu, and refused 'set_game ayu'"
    ]
    assert report.not_set_up == ("set_game ayu",)


@pytest.mark.parametrize(
    ("game", "right", "wrong", "expected"),
    [
        ("odd", "min_group type integer default 5", "min_group type integer default 4", "5"),
        ("ayu", "pie type boolean default false", "pie type boolean default true", "false"),
        ("odd", "default 5 choices 2 3 4 5 6", "default 6 choices 2 3 4 5 6", "5"),
        ("odd", "default 5 choices 2 3 4 5 ", "default 3 choices 2 3 4 ", ""),
        ("odd", "default 5 min 1", "default 7 min 6", ""),
    ],
)
async def test_a_listed_default_is_that_of_the_game_if_the_engine_plays_it(
    autojump_clock, in_memory, only, game, right, wrong, expected
):
    class Listing(WrongDispatcher):
        def _list_settings(self, arguments):
            text = super()._list_settings(arguments)
            assert right in text
            return text.replace(right, wrong)

    only(settings_listed)
    failed, _ = await check(in_memory(Listing), game, budget=BRIEF)
    told = [result.expected for result in failed.values()]
    assert told == ([f"default {expected}"] if expected else [])


class WithOptions(WrongDispatcher):
    """Has a number and a choice among its options; it compares numbers as floats."""

    listed, least, most, styles = "min -2.5 max 3.25", -2.5, 3.25, ("calm", "wild")

    def _list_options(self, arguments):
        return (
            f"noise type number default 0.5 {self.listed}\n"
            "style type choice default calm choices calm wild"
        )

    def _set_option(self, arguments):
        name, value = arguments
        is_noise = name == "noise" and value != "nonsense"
        if is_noise and self.least <= float(value) <= self.most:
            return ""
        if name == "style" and value in self.styles:
            return ""
        raise CommandError("no such value")


def between(least: int, most: int) -> dict[str, object]:
    """What an option has with these limits."""
    return {
        "listed": f"min {least} max {most}",
        "least": float(least),
        "most": float(most),
    }


async def test_a_whole_number_of_any_length_may_be_a_limit(autojump_clock, in_memory, only):
    """The bug: Python reads at most 4,300 digits, and the check ended with a traceback."""

    class Long(WithOptions):
        most = 9 * "9" + 5000 * "0"

        def _list_options(self, arguments):
            return f"noise type integer default 5 max {self.most}"

        def _set_option(self, arguments):
            if " ".join(arguments) in ("noise 5", f"noise {self.most}"):
                return ""
            raise CommandError("no such value")

    only(list_options, set_option)
    failed, _ = await check(in_memory(Long), budget=BRIEF)
    assert list(failed) == []


@pytest.mark.parametrize(
    ("fault", "reasons"),
    [
        ({}, []),
        ({"styles": ("calm",)}, ["refused 'set_option style wild'"]),
        ({"most": 99.5}, ["accepted 'set_option noise 4.25'"]),
        ({"least": -99.5}, ["accepted 'set_option noise -3.5'"]),
        (between(-(2**53), 2**53), []),
        (between(-1, 10**30), []),
        (between(-int(sys.float_info.max), int(sys.float_info.max)), []),
        (between(-1, 2**53) | {"most": 1e17}, ["accepted 'set_option noise 9016206453995732.992'"]),
    ],
)
async def test_options_are_tried_with_every_choice_and_beyond_every_limit(
    autojump_clock, in_memory, only, fault, reasons
):
    only(list_options, set_option)
    wrong = type("Wrong", (WithOptions,), fault)
    failed, _ = await check(in_memory(wrong), budget=BRIEF)
    assert [result.reason for result in failed.values()] == reasons
