"""Native engines' processes in GoGui's window, and the turns that they are told of."""

import os
import sys
from functools import reduce
from random import Random

import pytest
import trio
import trio.testing

from oddly.engines.plain_engines import RandomEngine
from oddly.games.catalogue import create_game
from oddly.games.game import Status
from oddly.games.legal_turns import random_turn
from oddly.games.partial_turn import taps_of
from oddly.games.turns import PASS, SWAP, Colour, GameError
from oddly.interfaces.gogui.native_engine import converse, native_dispatcher, turns_to
from oddly.interfaces.gogui.session import GoguiSession
from oddly.protocol.notation import NO_CLOCK, parse_turn
from oddly.referee.program.configuration import EngineConfiguration, Limits
from tests.interfaces.gogui.double import Gogui, Talker
from tests.interfaces.gogui.whole_game import BOARDS, Mirror, play_to_the_end
from tests.patience import PATIENCE
from tests.referee.fakes import FAKE
from tests.source import ROOT

FULL = (sys.executable, str(ROOT / "examples" / "python" / "full.py"))
RANDOM = (sys.executable, "-m", "oddly", "engine", "random")
NONE = ("/no/such/program",)
QUICK = Limits(handshake=PATIENCE, setting_up=PATIENCE, grace=0.4)


def table(command, game, patience=30.0, **options):
    return native_dispatcher(
        EngineConfiguration("engine", command, NO_CLOCK, options), game, patience, QUICK
    )


def fake(*arguments):
    return (sys.executable, FAKE, *arguments)


async def tell(dispatcher, *lines):
    """What comes of these commands, in GoGui's thread; failures with their question mark."""

    def said(line):
        reply = Talker(dispatcher).reply(line)
        return reply.text if reply.ok else f"? {reply.text}"

    return await trio.to_thread.run_sync(lambda: [said(line) for line in lines])


GAMES = [*((board, FULL) for board in BOARDS), ("yodd", RANDOM)]


@pytest.mark.sampled
@pytest.mark.parametrize(("board", "command"), GAMES, ids=lambda value: value[-1].split(".")[0])
async def test_a_native_engine_plays_a_whole_game_and_the_ruler_needs_none(board, command):
    game = create_game(*BOARDS[board])
    async with table(NONE, game) as ruler, table(command, game, seed="7") as program:

        def play():
            gogui = Gogui(Talker(ruler), Talker(program))
            assert gogui.attach() == game.name.capitalize()
            play_to_the_end(gogui, Mirror.of(*BOARDS[board]), Random(board))
            return gogui.ruler("name"), gogui.program("name")

        ruler_name, name = await trio.to_thread.run_sync(play)
        assert ruler_name == "engine"
        assert name == ("random" if command is RANDOM else "full-python")


@pytest.mark.parametrize("back", ["undo", "clear_board"])
async def test_an_engine_that_no_command_brings_back_to_the_start_follows_an_undo(back):
    async with table(fake("--only", "odd", "2"), create_game("odd", 2)) as program:
        said = await tell(program, "genmove b", back, "genmove b", back, "genmove b")
        assert said[0] == said[2] == said[4] != ""
        assert not any(each.startswith("?") for each in said)


FAULTS = {
    "crash": "the engine exited with code 3 (fake: about to crash\\n)",
    "killed": "the engine was killed (SIGKILL)",
    "hang": "no turn within 0.500 s",
    "trickle": "no turn within 0.500 s",
    "illegal": "Bz99 is not legal: z99 is off the hexhex board of base 2",
    "malformed": "knight to f3 is not legal",
    "empty": "an empty answer is not legal",
    "garbage": "output that is not a reply (segmentation fault)",
    "wrong-id": "a reply with id 999 where id",
    "long-line": "a line longer than 65536 bytes",
    "refuse": "refused genmove (cannot do that)",
}


async def whole_turn(dispatcher, colour):
    """Have the engine play until the turn is over; the first failure if there is one."""
    while True:
        said, side = await tell(dispatcher, f"genmove {colour}", "gogui-rules_side_to_move")
        if said.startswith("?") or side[0] != colour:
            return said


@pytest.mark.sampled
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_is_one_sentence_and_the_game_goes_on(fault):
    command = fake("--fault", fault, "--at", "2", "--name", "culprit")
    async with table(command, create_game("odd", 2, {"min_group": 2}), 0.5) as program:
        assert not (await whole_turn(program, "b")).startswith("?")
        (before,) = await tell(program, "gogui-rules_board")
        said = await whole_turn(program, "w")
        assert said.startswith(f"? culprit: {FAULTS[fault]}")
        assert said.endswith("; it is started again when it is needed")
        assert "\n" not in said
        after, side = await tell(program, "gogui-rules_board", "gogui-rules_side_to_move")
        assert (after, side) == (before, "white")
        assert not (await whole_turn(program, "w")).startswith("?")
        assert (await tell(program, "gogui-rules_side_to_move")) == ["black"]


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (("/no/such/program",), "the program '/no/such/program' did not start: No such file"),
        (fake("--fault", "exit-at-start"), "the engine exited with code 7"),
        (fake("--fault", "garbage-at-start"), "output that is not a reply (Welcome to Fake 1.0!)"),
    ],
    ids=lambda value: value[-1],
)
async def test_an_engine_that_does_not_start_says_so_whenever_it_is_needed(command, sentence):
    async with table(command, create_game("yodd", 2)) as program:
        for line in ("name", "genmove b", "oddly-best_turn", "list_options"):
            (said,) = await tell(program, line)
            assert said.startswith(f"? engine: {sentence}"), said
        assert (await tell(program, "gogui-rules_game_id", "play b C3"))[0] == "Yodd"


async def test_only_new_turns_are_told_and_others_taken_back():
    heard = []
    game = create_game("yodd", 3)
    async with table(RANDOM, game) as program:
        seat = program.engine._seat
        await seat.start()
        seat._player.log_to(lambda way, data, at: heard.append((way, data.decode())))

        async def sent(*lines):
            heard.clear()
            replies = await tell(program, *lines)
            assert not any(reply.startswith("?") for reply in replies), replies
            words = "".join(data for way, data in heard if way == ">")
            return [line.split(" ", 1)[1] for line in words.splitlines()]

        opening, back = ["play b E5", "play b pass"], ["undo"] * 3
        asked = ["time_left white 55.000 0", "genmove white"]
        setting_up = ["set_game yodd", "boardsize 3", "clear_board", "time_control 60+0"]
        assert await sent("time_settings 60 0 0", "time_left w 55 0") == setting_up
        assert await sent(*opening, "genmove w") == ["play black Be1", *asked]
        assert await sent(*back, *opening, "oddly-best_turn") == ["undo", *asked]
        again = await sent("undo", "undo", "play b C3", "play b pass", "genmove w")
        assert again == ["undo", "undo", "play black Bc3", *asked]
        assert (await sent("clear_board"))[0] == "set_game yodd"


async def test_an_engine_without_undo_is_told_of_the_whole_game_again():
    async with table(fake(), create_game("odd", 2)) as program:
        assert not (await whole_turn(program, "b")).startswith("?")
        first, *_ = await tell(program, "gogui-rules_board", "undo", "undo")
        assert await tell(program, "play b B2", "play b pass") == ["", ""]
        assert not (await whole_turn(program, "w")).startswith("?")
        second, counts = await tell(program, "gogui-rules_board", "gogui-rules_side_to_move")
        assert counts == "black"
        assert second != first


async def test_a_new_game_and_a_new_clock_reach_an_engine_after_a_fault():
    command = fake("--fault", "crash", "--at", "1")
    async with table(command, create_game("odd", 2)) as program:
        crashed = await tell(program, "genmove b", "clear_board", "time_settings 9 0 0")
        assert crashed[0].startswith("? fake: the engine exited")
        assert crashed[1:] == ["", ""]
        assert (await tell(program, "genmove b"))[0].startswith("? fake: the engine exited")


async def test_options_are_the_engines_own():
    async with table(RANDOM, create_game("odd", 2)) as program:
        listed, wrong, unknown, right = await tell(
            program, "list_options", "set_option seed x", "set_option speed 1", "set_option seed 9"
        )
        assert listed.startswith("seed type integer")
        assert wrong.startswith("? option seed is a whole number")
        assert unknown.startswith("? unknown option 'speed'")
        assert right == ""
        assert program.engine._seat.configuration.options == {"seed": "9"}


async def test_the_dialog_shows_the_options_that_the_program_was_started_with():
    rave = (sys.executable, "-m", "oddly", "engine", "rave")
    async with table(rave, create_game("yodd", 3), level="3", ponder="true") as program:
        (listing,) = await tell(program, "oddly-param")
        values = dict(line.split()[1:] for line in listing.splitlines())
        assert (values["level"], values["ponder"]) == ("3_learner", "1")
        await tell(program, "oddly-param level 4_improver")
        (listing,) = await tell(program, "oddly-param")
        assert " level 4_improver\n" in listing


RATING = """
import oddly
from oddly.engines import run
from oddly.protocol.evaluation import Candidate, Evaluation

class Rating(oddly.Engine):
    name = "rating"
    def choose(self, position):
        return next(position.legal_turns())
    def evaluate(self, at):
        stones = sum(map(bool, at.start.stones)) + len(at.drops)
        if stones == 1:
            return None
        return Evaluation(0.5, stones, (Candidate(next(iter(at.actions())), 1.0, 0.5),))

run(Rating())
"""


async def test_evaluate_is_about_the_position_on_the_board():
    async with table((sys.executable, "-c", RATING), create_game("xodd", 4)) as program:
        first = ["play b A1", "play b PASS", "play w C3", "play w B4", "play w A1"]
        (*_, said) = await tell(program, "oddly-wins", *first, "evaluate")
        assert said.startswith("0.5000 3\n"), said
        begun, ended, refused, view = await tell(
            program, "evaluate Bd1", "evaluate Bd1,Bd4", "evaluate Bd1,Bd2", "oddly-wins"
        )
        assert begun.startswith("0.5000 4\n"), begun
        assert ended.startswith("0.5000 5\n"), ended
        assert refused.startswith("? illegal move"), refused
        assert " of 3 simulations" in view


async def test_an_engine_without_an_evaluation_of_one_position_is_asked_about_the_next():
    async with table((sys.executable, "-c", RATING), create_game("xodd", 4)) as program:
        await tell(program, "play b A1", "play b PASS")
        none, named, *_, view = await tell(
            program, "evaluate", "oddly-wins", "play w C3", "play w B4", "play w A1", "oddly-wins"
        )
        assert none == "? no evaluation"
        assert "rating would play" in named
        assert " of 3 simulations" in view


async def test_the_game_goes_on_from_drops_that_were_set_up():
    async with table(FULL, create_game("xodd", 4)) as program:
        setup, player = await tell(program, "gogui-setup b A1 w B2 b D4", "gogui-setup_player w")
        assert (setup, player) == ("", "")
        assert not (await whole_turn(program, "w")).startswith("?")
        (counts,) = await tell(program, "group_counts")
        assert sum(map(int, counts.split())) % 2 == 1


async def test_a_position_that_was_set_up_in_ayu_is_refused_in_a_sentence():
    async with table(RANDOM, create_game("ayu", 5)) as program:
        setup, said = await tell(program, "gogui-setup b A1 b C1 w A3 w C3", "genmove b")
        assert setup == ""
        assert "cannot be told of the position that was set up" in said


async def test_the_end_of_input_ends_a_thinking_engine(capfd):
    command = ("sh", "-c", 'echo "pid $$" >&2; exec "$@"', "sh", *fake("--fault", "hang", "--at=1"))
    gogui, ours = trio.testing.memory_stream_pair()
    with trio.fail_after(PATIENCE):
        async with table(command, create_game("yodd", 2), 1000.0) as program:
            await gogui.send_all(b"name\ngenmove b\n")
            await gogui.send_stream.aclose()
            await converse(program, ours, ours, last_words=1.0)
            assert await gogui.receive_some() == b"= fake\n\n"
    pid = int(capfd.readouterr().err.split()[1])
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def tap(session, turn):
    """Make a turn of taps."""
    player = session.position.to_move
    for each in taps_of(session.position, turn):
        session.tap(player, each)


@pytest.mark.parametrize("board", BOARDS)
def test_the_turns_of_a_game_are_found_in_its_taps(board):
    random = Random(board)
    kinds = set()
    for _ in range(5):
        session, turns = GoguiSession(RandomEngine(), create_game(*BOARDS[board])), []
        while not session.position.is_over:
            start = session.position
            turn = SWAP if start.is_legal(SWAP) else random_turn(start, random)
            turns.append((start.to_move, turn))
            tap(session, turn)
        assert session.turns == turns
        kinds |= {turn for _, turn in turns} & {PASS, SWAP}
    assert (PASS in kinds) == (board in ("yodd", "xodd"))
    assert (SWAP in kinds) == board.endswith("pie rule")


def test_a_game_without_taps_has_no_turns():
    session = GoguiSession(RandomEngine(), create_game("yodd", 3))
    assert session.turns == []
    assert session.first is session.position


def test_turns_that_were_taken_back_are_not_among_the_turns():
    session = GoguiSession(RandomEngine(), create_game("yodd", 3))
    start = session.position
    for turn in map(parse_turn, ("Bc3", "Wa3,Be3")):
        tap(session, turn)
    while len(session.turns) > 1:
        session.undo()
    assert session.turns == [(Colour.BLACK, parse_turn("Bc3"))]
    assert session.partial.is_begun
    assert session.first is start


def positions_of(game, random):
    """The positions of a random game, as an SGF file sets them up, with either side to move."""
    position = game.start()
    while not position.is_over:
        for player in Colour:
            try:
                yield game.set_up(list(position.stones), player, Status())
            except GameError:
                continue
        position = position.play(random_turn(position, random))


@pytest.mark.parametrize("board", [board for board in BOARDS if not board.startswith("ayu")])
def test_turns_lead_to_every_position_of_drops(board):
    game, random = create_game(*BOARDS[board]), Random(board)
    found = 0
    for _ in range(4):
        for position in positions_of(game, random):
            turns = turns_to(position)
            lonely = sum(map(bool, position.stones)) == 1 and position.to_move is Colour.BLACK
            if lonely:
                assert turns is None
            else:
                reached = reduce(lambda at, turn: at.play(turn), turns, game.start())
                assert reached.key == position.key
                found += 1
    assert found > 20


def test_in_ayu_only_the_start_is_known():
    game = create_game("ayu", 5)
    start = game.start()
    assert turns_to(start) == []
    assert turns_to(start.play(next(start.legal_turns()))) is None
