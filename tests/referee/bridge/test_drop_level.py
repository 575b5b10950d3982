"""Whole turns on top of an engine of single drops."""

import shlex
import sys
from pathlib import Path
from random import Random

import pytest

from oddly.games.catalogue import GAMES, create_game
from oddly.games.drop_level import DropPosition
from oddly.games.legal_turns import random_turn
from oddly.protocol.codec import MAX_LINE
from oddly.protocol.messages import Command, Reply
from oddly.protocol.notation import parse_time_control, parse_turn
from oddly.referee.bridge.address import BridgeError
from oddly.referee.bridge.drop_level import DropLevelAdapter, EngineOfDrops
from oddly.referee.justice.outcome import Termination
from oddly.referee.match.game import play_game
from oddly.referee.program.configuration import EngineConfiguration
from tests.engines.running import run_python
from tests.programs import PYTHON

DROPPER = str(Path(__file__).parents[2] / "fakes" / "drop_engine.py")


LISTED = """
    play genmove undo set_game boardsize clear_board name
    solve legal_turns reg_genmove analyze setup stop
"""


class Scripted:
    """An engine of drops that answers genmove with words, and takes every order."""

    def __init__(self, *answers: str, refuses: str = "") -> None:
        self.answers = list(answers)
        self.refuses = refuses
        self.heard: list[str] = []

    async def ask(self, command: Command) -> Reply:
        self.heard.append(" ".join((command.name, *command.arguments)))
        if self.heard[-1] == self.refuses:
            return Reply(False, "no")
        if command.name == "list_commands":
            return Reply(True, "\n".join(LISTED.split()))
        answer = self.answers.pop(0) if command.name == "genmove" else ""
        return Reply(False, "no") if answer == "?" else Reply(True, answer)


async def say(adapter: DropLevelAdapter, line: str) -> str:
    name, *words = line.split()
    reply = await adapter.answer(Command(name, tuple(words), 7))
    assert reply.id == 7
    return ("= " if reply.ok else "? ") + reply.text


class Prolix:
    """A process whose reply has the bytes of a mark and so many lines of 1,024 bytes."""

    def __init__(self, lines: int) -> None:
        self.pieces = [b"=1\n", *[b"x" * 1023 + b"\n"] * lines, b"\n"]

    async def send(self, data: bytes) -> None:
        pass

    async def receive(self) -> bytes:
        return self.pieces.pop(0)


async def test_a_reply_of_more_than_1_mib_is_refused():
    """The bug: 16 MiB were taken."""
    reply = await EngineOfDrops(Prolix(1023)).ask(Command("name"))
    assert len(reply.text) == 1023 * 1024
    with pytest.raises(BridgeError, match="the engine sent a reply longer than 1048576 bytes"):
        await EngineOfDrops(Prolix(1024)).ask(Command("name"))


async def test_the_engine_hears_of_the_game_before_any_set_game():
    engine = Scripted()
    game = create_game("odd", 2, {"min_group": 3})
    assert await DropLevelAdapter(engine.ask, game).begin() is None
    assert engine.heard == [
        *("list_commands", "set_game odd board hexhex min_group 3", "boardsize 2"),
    ]


async def test_a_game_that_the_engine_refuses_is_told():
    engine = Scripted(refuses="boardsize 2")
    told = await DropLevelAdapter(engine.ask, create_game("xodd", 2)).begin()
    assert told == "the engine refused 'boardsize 2': no"


def test_the_game_of_the_command_line_is_the_engines():
    engine = f"{PYTHON} {shlex.quote(str(DROPPER))} yodd 4"
    words = ("oddly", "bridge", engine, "--drop-level", "--game", "xodd", "--size", "2")
    done = run_python("-m", *words, given="1 genmove black\n2 quit\n")
    turn = done.stdout.partition("\n")[0].removeprefix("=1 ")
    create_game("xodd", 2).start().play(parse_turn(turn))


def test_a_line_that_is_too_long_once_it_has_an_id_is_refused():
    engine = f"{PYTHON} {shlex.quote(str(DROPPER))} yodd 4"
    longest = f"name {'x' * (MAX_LINE - len('name ') - 1)}\n"
    lines = f"{longest}2 name\n3 quit\n"
    done = run_python("-m", "oddly", "bridge", engine, "--drop-level", given=lines)
    refusal, _, name, *_ = done.stdout.splitlines()
    assert refusal.startswith("? syntax error: a line of ")
    assert name == "=2 the name of drops"


async def test_a_turn_is_played_as_drops_and_ended_where_it_could_go_on():
    engine = Scripted()
    adapter = DropLevelAdapter(engine.ask, create_game("yodd", 3))
    for turn in ("b Bc3", "w We1,Wa5", "b We2", "w pass"):
        assert await say(adapter, f"play {turn}") == "= "
    assert engine.heard == [
        *("play black Bc3", "play white We1", "play white Wa5"),
        *("play black We2", "play black end", "play white pass"),
    ]
    engine.heard.clear()
    for _ in range(4):
        assert await say(adapter, "undo") == "= "
    assert engine.heard == ["undo"] * 6
    assert await say(adapter, "undo") == "? cannot undo"


async def test_drops_are_asked_for_until_they_are_a_turn():
    engine = Scripted("Bc3", "Wa5", "We1", "bE2", "end", "pass")
    adapter = DropLevelAdapter(engine.ask, create_game("yodd", 3))
    assert await say(adapter, "genmove b") == "= Bc3"
    assert await say(adapter, "genmove w") == "= We1,Wa5"
    assert await say(adapter, "genmove w") == "? it is Black's turn"
    assert await say(adapter, "play w pass") == "? illegal move: it is Black's turn"


async def test_one_drop_and_end_are_a_turn():
    engine = Scripted("Bc3", "bB3", "END")
    adapter = DropLevelAdapter(engine.ask, create_game("yodd", 3))
    assert await say(adapter, "genmove b") == "= Bc3"
    assert await say(adapter, "genmove w") == "= Bb3"
    assert await say(adapter, "undo") == "= "
    assert engine.heard[-2:] == ["undo", "undo"]


@pytest.mark.parametrize(
    ("answers", "reply"),
    [
        (["Bc3", "resign"], "= resign"),
        (["Bc3", "Wa5", "Resign"], "= resign"),
        (["Bc3", "Wa5", "Wa5"], "= Wa5,Wa5"),
        (["Bc3", "Wa5", "pass"], "= Wa5,pass"),
        (["Bc3", "Wa5", "end"], "= Wa5,end"),
        (["Bc3", "hello"], "= hello"),
    ],
)
async def test_what_is_illegal_is_answered_as_it_came_for_the_referee_to_judge(answers, reply):
    adapter = DropLevelAdapter(Scripted(*answers).ask, create_game("yodd", 3))
    await say(adapter, "genmove b")
    assert await say(adapter, "genmove w") == reply


@pytest.mark.parametrize("answers", [["Bb2,We1"], ["Wa5", "Bb2,We1"]])
async def test_an_engine_that_answers_whole_turns_is_told_so(answers):
    engine = Scripted("Bc3", *answers, "Bb3", "end")
    adapter = DropLevelAdapter(engine.ask, create_game("yodd", 3))
    await say(adapter, "genmove b")
    reply = await say(adapter, "genmove w")
    assert reply == "? the engine answered a whole turn, Bb2,We1, not one drop"
    assert engine.heard.count("undo") == len(answers)
    assert await say(adapter, "genmove w") == "= Bb3"


async def test_a_turn_that_is_refused_half_way_is_taken_back():
    engine = Scripted(refuses="play white Wa5")
    adapter = DropLevelAdapter(engine.ask, create_game("yodd", 3))
    await say(adapter, "play b Bc3")
    assert await say(adapter, "play w We1,Wa5") == "? no"
    assert engine.heard[-1] == "undo"
    assert await say(adapter, "play w pass") == "= "


@pytest.mark.parametrize("second", ["resign", "?"])
async def test_half_a_turn_that_comes_to_nothing_is_taken_back(second):
    engine = Scripted("Bc3", "Wa5", second, "Bb3", "end")
    adapter = DropLevelAdapter(engine.ask, create_game("yodd", 3))
    await say(adapter, "genmove b")
    assert await say(adapter, "genmove w") == ("= resign" if second == "resign" else "? no")
    assert engine.heard[-1] == "undo"
    assert engine.heard.count("undo") == 1
    assert await say(adapter, "genmove w") == "= Bb3"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("list_commands all", "no arguments, got 1 argument"),
        ("play b", "a colour and a turn, got 1 argument"),
        ("play b pass pass", "a colour and a turn, got 3 arguments"),
        ("genmove", "a colour, got 0 arguments"),
        ("undo 1", "no arguments, got 1 argument"),
    ],
)
async def test_a_wrong_number_of_arguments_is_told(line, expected):
    adapter = DropLevelAdapter(Scripted().ask, create_game("yodd", 3))
    assert await say(adapter, line) == f"? syntax error: expected {expected}"


async def test_only_commands_that_do_not_speak_of_turns_are_handed_on():
    adapter = DropLevelAdapter(Scripted().ask, create_game("yodd", 3))
    handed_on = "set_game boardsize clear_board name play genmove undo"
    assert (await say(adapter, "list_commands")).split() == ["=", *handed_on.split()]
    assert await say(adapter, "known_command solve") == "= false"
    assert await say(adapter, "known_command play") == "= true"
    # A `stop` behind the `analyze` that it ends would wait for ever.
    for line in ("legal_turns", "reg_genmove b", "analyze 0.5", "stop", "setup w B......"):
        assert await say(adapter, line) == "? unknown command"
    assert (await say(adapter, "play b")).startswith("? syntax error")
    assert (await say(adapter, "play b Bc")).startswith("? syntax error")
    assert (await say(adapter, "play b Bc3,Bd3")).startswith("? illegal move: Black's first turn")


@pytest.mark.sampled
@pytest.mark.parametrize("name", GAMES)
async def test_an_engine_of_drops_plays_every_game(name):
    size = {"yodd": 3, "xodd": 3, "odd": 3, "ayu": 5}[name]
    adapter = (sys.executable, "-m", "oddly", "bridge", "--drop-level")
    command = (*adapter, f"{PYTHON} {shlex.quote(str(DROPPER))} yodd 2")
    configurations = tuple(
        EngineConfiguration(n, command, parse_time_control("10")) for n in ("one", "two")
    )
    record = await play_game(create_game(name, size), configurations)
    assert not record.outcome.is_forfeit, record.outcome.reason
    assert record.outcome.termination is not Termination.VOID


async def test_what_an_engine_of_drops_hears_leads_to_the_position_of_the_whole_turns():
    game = create_game("xodd", 3)
    engine = Scripted()
    adapter = DropLevelAdapter(engine.ask, game)
    whole, drops, random = game.start(), DropPosition(game.start()), Random(5)
    while not whole.is_over:
        turn = random_turn(whole, random)
        assert await say(adapter, f"play {whole.to_move} {turn}") == "= "
        whole = whole.play(turn)
        for line in engine.heard:
            action = next(a for a in drops.actions() if str(a) == line.split()[2])
            drops = drops.act(action)
        engine.heard.clear()
        assert drops.start.key == whole.key
