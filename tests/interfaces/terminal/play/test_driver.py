"""A session that is driven by lines from memory, with an engine in memory, on trio's own clock."""

import io
import os
import pty
import signal

import pytest
import trio
from rich.console import Console

from oddly.game_records.formats import FORMATS
from oddly.games.catalogue import create_game
from oddly.interfaces.human_play.recording import PeopleClock
from oddly.interfaces.terminal.play.driver import Driver, Interrupted, PipeReader
from oddly.interfaces.terminal.play.play_session import PlaySession
from oddly.interfaces.terminal.play.scoresheet import Autosave, Participant, Scoresheet
from oddly.referee.conversation.seat import EngineSeat
from tests.patience import PATIENCE
from tests.referee.fakes import scripted
from tests.referee.test_seat import Opened


class Lines:
    """A reader of given lines; an exception among them is raised, a function called."""

    def __init__(self, lines):
        self.lines = list(lines)
        self.prompts = []
        self.left = []
        self.is_abandoned = False

    async def read(self, prompt, left=None):
        await trio.lowlevel.checkpoint()
        self.prompts.append(prompt)
        self.left.append(left)
        line = self.lines.pop(0) if self.lines else None
        if isinstance(line, tuple):
            seconds, line = line
            await trio.sleep(seconds)
        if isinstance(line, Exception):
            raise line
        if callable(line):
            line()
            await trio.sleep_forever()
        return line

    def abandon(self):
        self.is_abandoned = True


async def drive(
    lines, path, turns="pass", delays="", opened=None, name="engine", clock=None, **terminal
):
    """What was shown, and the driver afterwards. `lines` may be a reader of its own."""
    players = Participant("human", True), Participant(name, False)
    clock = clock and PeopleClock.of(clock)
    session = PlaySession(Scoresheet(create_game("yodd", 3), players, clock=clock))
    output = io.StringIO()
    opened = Opened() if opened is None else opened
    async with trio.open_nursery() as nursery:
        seats = [
            EngineSeat(scripted(plays, seat, "5", delays), nursery, open_channel=opened)
            for plays, seat in ((turns, name), ("We3,Wa3 Bc3 Bc3 Bc3", "adviser"))
        ]
        console = Console(file=output, **terminal)
        reader = Lines(lines) if isinstance(lines, list) else lines
        driver = Driver(session, *seats, reader, console, Autosave(path), 7)
        await driver.run()
        for seat in seats:
            await seat.stop()
    return output.getvalue(), driver


@pytest.fixture
def path(tmp_path):
    return tmp_path / "kept.jsonl"


def kept(path):
    with path.open("rb") as file:
        (game,) = FORMATS[path.suffix[1:]].read(file, None)
    return game.record


async def test_a_game_to_its_end_is_kept_and_saved(autojump_clock, tmp_path):
    path, copy = tmp_path / "new" / "kept.jsonl", tmp_path / "copy.sgf"
    text, _ = await drive(["Bc3", "hint", "pass", f"save {copy}", f"save {copy}"], path)
    assert "engine plays pass (0.0 s)." in text
    assert "adviser would play Wa3,We3, which leaves" in text
    assert "White wins by one group" in text
    assert f"the game is saved in {copy}" in text
    assert "it already exists" in text
    record = kept(path)
    assert (record.players, record.outcome.score, record.seed) == (("human", "engine"), "W+1", 7)
    assert kept(copy).turns == record.turns


@pytest.mark.parametrize(("number", "is_ended"), [(signal.SIGINT, False), (signal.SIGTERM, True)])
async def test_a_signal_just_before_the_end_of_the_input(path, number, is_ended):
    """As when Ctrl-C and Ctrl-D are read together: the line that Ctrl-C clears is the last."""

    class Ending(Lines):
        async def read(self, prompt, left=None):
            if len(self.lines) == 1:
                signal.raise_signal(number)
                return None
            return await super().read(prompt, left)

    _, driver = await drive(Ending(["Bc3", "never read"]), path)
    assert driver.was_ended is is_ended


async def test_an_unfinished_game_is_kept_turn_by_turn(autojump_clock, path):
    _, driver = await drive(["Bc3", "Bd3", "undo", "quit", "never read"], path, "pass pass")
    assert [played.turn for played in kept(path).turns] == ["Bc3", "pass"]
    assert kept(path).outcome.score == "void"
    assert driver.reader.lines == ["never read"]
    assert not driver.was_ended


async def test_where_a_game_cannot_be_kept_play_goes_on(autojump_clock, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    text, driver = await drive(["Bc3", "pass", "save x.png"], tmp_path / "file" / "kept.jsonl")
    assert text.count("the game goes on, and save FILE writes it elsewhere") == 1
    assert "White wins" in text
    assert "expected a name that ends in one of .sgf" in text
    assert not driver.autosave.has_kept


async def test_a_file_that_appears_after_the_start_is_left_alone(autojump_clock, path):
    lines = Lines(["Bc3", "Bd3", "Be3", "quit"])
    read = lines.read

    async def reading(prompt, left=None):
        line = await read(prompt, left)
        if line == "Bc3":
            path.write_text("precious\n", encoding="utf-8")
        elif line == "Be3":
            assert path.read_text(encoding="utf-8") == "precious\n"
            path.unlink()
        return line

    lines.read = reading
    text, driver = await drive(lines, path, "pass pass pass")
    assert text.count(f"cannot write {path}: it already exists: name a new file; the game") == 1
    assert driver.autosave.has_kept
    assert len(kept(path).turns) == 6


async def test_what_could_not_be_kept_once_is_kept_with_the_next_turn(autojump_clock, tmp_path):
    folder, aside = tmp_path / "games", tmp_path / "aside"
    path, lines = folder / "kept.jsonl", Lines(["Bc3", "Bd3", "Be3", "quit"])
    read = lines.read

    async def reading(prompt, left=None):
        line = await read(prompt, left)
        if line == "Bd3":
            folder.rename(aside)
            folder.touch()
        elif line == "Be3":
            folder.unlink()
            aside.rename(folder)
        return line

    lines.read = reading
    text, driver = await drive(lines, path, "pass pass pass")
    assert text.count("the game goes on, and save FILE writes it elsewhere") == 1
    assert not driver.autosave.failure
    assert [played.turn for played in kept(path).turns[::2]] == ["Bc3", "Bd3", "Be3"]


async def test_a_name_that_no_file_has_is_refused_and_play_goes_on(autojump_clock, path):
    text, _ = await drive(["save ~nobody-here/x.sgf", "save a\0b.sgf", "Bc3", "quit"], path)
    assert "cannot save ~nobody-here/x.sgf: there is no such user" in text
    assert "cannot save a\\x00b.sgf: a name has no NUL character" in text
    assert len(kept(path).turns) == 2


async def test_lines_that_wait_in_a_pipe_come_after_the_flag(autojump_clock, tmp_path):
    commands, path = tmp_path / "commands", tmp_path / "kept.jsonl"
    commands.write_text("Bc3\n" + 4 * "hint\n" + "Bd3\n", encoding="utf-8")
    with commands.open("rb") as file:
        reader = PipeReader(file.fileno(), lambda _: None)
        text, _ = await drive(reader, path, delays="3 3 3 3", clock="10+0")
    assert "White wins: Black lost on time." in text
    assert [played.turn for played in kept(path).turns] == ["Bc3", "pass"]


async def test_ctrl_c_at_the_prompt_loses_nothing(autojump_clock, path):
    cleared, asked = Interrupted(had_text=True), Interrupted(had_text=False)
    text, driver = await drive([cleared, asked, "Bc3", asked], path)
    assert text.count("quit or Ctrl-D leaves\n") == 1
    assert text.count(f"quit or Ctrl-D leaves; the game is kept in {path}\n") == 1
    assert len(driver.session.scoresheet.turns) == 2


async def test_ctrl_c_stops_an_engine_that_thinks(autojump_clock, path):
    class Interrupting(Opened):
        def __call__(self, command, most_stderr, resources=None):
            channel = super().__call__(command, most_stderr, resources)
            answer = channel.receive

            async def receive():
                # Once only: a second one would come while nobody thinks any more.
                if any(command.name == "genmove" for command in channel.received):
                    channel.receive = answer
                    signal.raise_signal(signal.SIGINT)
                return await answer()

            if len(self) < 3:
                channel.receive = receive
            return channel

    lines = ["hint", "Bc3", "restart", "quit"]
    text, driver = await drive(lines, path, delays="3", opened=Interrupting())
    assert "no hint: adviser: it was stopped with Ctrl-C" in text
    assert "engine did not play: it was stopped with Ctrl-C. The game stands" in text
    assert "engine plays pass (3.0 s)." in text
    assert not driver.was_ended


async def test_a_clock_counts_the_turns_of_people_alone(autojump_clock, path):
    # The first turn is free; the engine's three seconds are not the human's; thinking about
    # an illegal turn is.
    lines = [(60.0, "Bc3"), (2.0, "Bc3"), (5.5, "Wa3,We3"), (1.0, "board"), "quit"]
    text, driver = await drive(lines, path, "pass pass", delays="3 3", clock="100+4")
    assert driver.reader.left[:3] == [None, 100.0, 98.0]
    assert [played.seconds for played in kept(path).turns[::2]] == [60.0, 7.5]
    for turn, left in ((1, "1:40"), (3, "1:40"), (5, "1:36"), (5, "1:35")):
        assert f"Turn {turn}, human, Black (X), {left} left: " in text


async def test_who_has_no_time_left_loses(autojump_clock, path):
    lines = ["Bc3", (11.0, "pass"), "undo", (9.0, Interrupted(had_text=True)), (2.0, "pass")]
    text, driver = await drive(lines, path, clock="10+0")
    assert text.count("White wins: Black lost on time.") == 2
    assert "taken back: the loss on time" in text
    # Neither a new prompt nor Ctrl-C gives any time.
    assert driver.reader.left == [None, 10.0, None, 10.0, 1.0, None]
    assert driver.reader.is_abandoned
    record = kept(path)
    assert (record.outcome.score, record.outcome.termination.value) == ("W+T", "time")
    assert [played.turn for played in record.turns] == ["Bc3", "pass"]


async def test_a_signal_at_the_prompt_ends_the_session(autojump_clock, tmp_path):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        path = tmp_path / f"{number}.jsonl"
        _, driver = await drive(["Bc3", lambda n=number: signal.raise_signal(n)], path)
        assert driver.was_ended
        assert driver.reader.is_abandoned
        assert len(kept(path).turns) == 2


async def test_lines_from_a_pipe_are_echoed_and_bounded(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(b"Bc3\n" + b"x" * 300_000 + b"\npass \xff\nlast")
    shown = []
    with path.open("rb") as file:
        reader = PipeReader(file.fileno(), shown.append)
        lines = [await reader.read("> ") for _ in range(5)]
    assert lines[0] == "Bc3"
    assert set(lines[1]) == {"x"}
    assert len(lines[1]) <= 65_536
    assert lines[2:] == ["pass \\xff", "last", None]
    assert shown[0] == "> Bc3"


async def test_ctrl_c_clears_what_ctrl_d_has_passed_on():
    keys, terminal = pty.openpty()
    reader = PipeReader(terminal, lambda _: None)

    async def press_ctrl_c() -> None:
        while reader._data != b"resign":
            await trio.sleep(0.01)
        reader.interrupt()

    try:
        with trio.fail_after(PATIENCE):
            os.write(keys, b"resign\x04")
            async with trio.open_nursery() as nursery:
                nursery.start_soon(press_ctrl_c)
                with pytest.raises(Interrupted):
                    await reader.read("> ")
            os.write(keys, b"pass\n")
            assert await reader.read("> ") == "pass"
    finally:
        os.close(terminal)
        os.close(keys)


async def test_on_a_terminal_there_is_colour_and_a_name_is_no_markup(autojump_clock, path):
    name = "[/red]engine"
    terminal = {"force_terminal": True, "_environ": {"TERM": "xterm"}}
    text, _ = await drive(["Bc3"], path, delays="3", name=name, **terminal)
    assert "\x1b[" in text
    assert f"{name} thinks; Ctrl-C stops it" in text
    assert f"{name} plays pass" in text
