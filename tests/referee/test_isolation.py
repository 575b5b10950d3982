"""Isolated engines reach neither each other nor us, and play and end like all others.

Every attack is tried on an engine without walls too: it does what docs/reference/rulings.md says.
"""

import json
import os
import shlex
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import trio

from oddly.games.catalogue import create_game
from oddly.protocol.notation import NO_CLOCK, parse_time_control
from oddly.referee.justice.outcome import MachineExhausted, Termination
from oddly.referee.match.game import play_game
from oddly.referee.program import isolation, starting
from oddly.referee.program import process as process_module
from oddly.referee.program.configuration import (
    EngineConfiguration,
    Isolation,
    Limits,
    Resources,
    machine_memory,
)
from oddly.referee.program.isolation import IsolationError, is_isolated, isolation_hint
from oddly.referee.program.orphans import adopt_orphans
from oddly.referee.program.process import EngineProcess
from oddly.tournaments.executors import conditions
from oddly.tournaments.ledger.store import Ledger
from tests.patience import PATIENCE
from tests.processes import running, zombies
from tests.programs import PYTHON, needs
from tests.referee.fakes import composed, fake, said_by
from tests.tournaments.toml.written import tournament_file

walled = needs("bubblewrap")
ROOT = Path(__file__).parents[2]
ATTACKER = str(ROOT / "tests" / "fakes" / "attacker.py")
LIMITS = Limits(grace=0.4)
ISOLATED = Resources(isolation=Isolation.BUBBLEWRAP)
OPEN = Resources(isolation=Isolation.NONE)
EITHER = pytest.mark.parametrize("walls", [pytest.param(ISOLATED, marks=walled), OPEN])


def attacker(walls: Resources, attack: str, argument: str = "") -> EngineConfiguration:
    command = (sys.executable, ATTACKER, attack, argument)
    return EngineConfiguration("bad", command, parse_time_control("10"), resources=walls)


async def play(bad: EngineConfiguration):
    """A game of an attacker against an engine with the same walls."""
    mark = f"victim-{os.getpid()}"
    victim = replace(composed(name=mark, time="10"), resources=bad.resources)
    victim = replace(victim, command=(*victim.command, mark))
    bad = replace(bad, command=tuple(mark if word == "VICTIM" else word for word in bad.command))
    with trio.fail_after(60):
        return await play_game(create_game("odd", 2), (victim, bad), limits=LIMITS)


WRITES = {
    "python3": ["python3", "-c", "open('/nowhere', 'w')"],
    "node": ["node", "-e", "require('fs').writeFileSync('/nowhere', '')"],
    "sh": ["sh", "-c", "echo > /nowhere"],
}


@walled
@pytest.mark.parametrize("program", [pytest.param(name, marks=needs(name)) for name in WRITES])
async def test_an_engine_that_was_refused_a_file_is_told_so(program):
    walls = replace(ISOLATED, environment={"LC_ALL": "C"})
    writer = EngineConfiguration("bad", tuple(WRITES[program]), NO_CLOCK, resources=walls)
    record = await play_game(create_game("odd", 2), (writer, fake()), limits=LIMITS)
    assert record.outcome.termination is Termination.CRASH
    assert record.outcome.reason.endswith(
        "; it is isolated and may write only where TMPDIR says, or in the directory of its "
        "[[engine]]"
    )
    assert not isolation_hint(ISOLATED, b"Segmentation fault")
    assert not isolation_hint(OPEN, b"Read-only file system")


@EITHER
@pytest.mark.parametrize("attack", ["kill", "quit"])
async def test_a_rival_can_be_ended_only_without_walls(walls, attack):
    record = await play(attacker(walls, attack, "VICTIM"))
    if walls.isolation is Isolation.NONE:
        assert record.outcome.termination is Termination.CRASH
        assert record.outcome.winner == 1
    else:
        assert record.outcome.termination is Termination.BOARD_FULL


@EITHER
async def test_files_can_be_written_only_without_walls(walls, tmp_path):
    record = await play(attacker(walls, "write", str(tmp_path / "file")))
    assert record.outcome.termination is Termination.BOARD_FULL
    assert (tmp_path / "file").exists() == (walls.isolation is Isolation.NONE)


@EITHER
async def test_our_terminal_can_be_written_only_without_walls(walls):
    ours, theirs = os.openpty()
    try:
        os.set_blocking(ours, False)
        await play(attacker(walls, "write", os.ttyname(theirs)))
        try:
            written = os.read(ours, 100)
        except BlockingIOError:
            written = b""
    finally:
        os.close(ours)
        os.close(theirs)
    assert written == (b"attacked" if walls.isolation is Isolation.NONE else b"")


def arrived(server: socket.socket) -> bool:
    server.setblocking(False)
    try:
        server.accept()[0].close()
    except BlockingIOError:
        return False
    return True


@EITHER
async def test_programs_of_this_machine_can_be_reached_only_without_walls(walls, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        await play(attacker(walls, "connect", str(server.getsockname()[1])))
        assert arrived(server) == (walls.isolation is Isolation.NONE)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        server.listen()
        await play(attacker(walls, "message", str(tmp_path / "socket")))
        assert arrived(server) == (walls.isolation is Isolation.NONE)


@walled
async def test_a_network_can_be_granted():
    with socket.create_server(("127.0.0.1", 0)) as server:
        granted = replace(ISOLATED, network=True)
        await play(attacker(granted, "connect", str(server.getsockname()[1])))
        assert arrived(server)


@pytest.mark.parametrize(
    ("how", "code"), [pytest.param("bubblewrap", 0, marks=walled), ("none", 3)]
)
def test_a_run_can_be_stopped_by_an_engine_only_without_walls(how, code, tmp_path):
    good = shlex.join([sys.executable, str(ROOT / "tests" / "fakes" / "composed.py"), "[]"])
    bad = shlex.join([sys.executable, ATTACKER, "parent", ""])
    words = ["match", good, bad, "--game", "odd", "--size", "2", "--games", "6"]
    command = [sys.executable, "-m", "oddly", *words, "--isolation", how]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == code, done.stderr


@walled
async def test_an_isolated_engine_sees_its_own_processes_and_has_a_directory_of_its_own(tmp_path):
    code = "import os; print(sorted(p for p in os.listdir('/proc') if p.isdigit()))"
    assert await said_by(code, ISOLATED) == "['1', '2']"
    code = (
        "import tempfile; file = tempfile.NamedTemporaryFile('w+'); file.write('mine'); "
        "file.seek(0); print(file.read())"
    )
    assert await said_by(code, ISOLATED) == "mine"
    place = replace(ISOLATED, directory=str(tmp_path))
    assert await said_by("open('notes', 'w').write('learnt')", place) == "exited with code 0"
    assert (tmp_path / "notes").read_text() == "learnt"


@walled
@pytest.mark.parametrize(
    ("code", "ended"),
    [
        ("raise SystemExit(7)", "exited with code 7"),
        ("import os; os.kill(os.getpid(), 11)", "was killed (SIGSEGV)"),
        ("import os, time; os.close(1); time.sleep(9)", "closed its output and went on running"),
        ("import os; os.fork() or __import__('time').sleep(99)", "exited with code 0"),
    ],
)
async def test_the_end_of_an_isolated_engine_is_told_as_it_was(code, ended):
    process = EngineProcess.start((sys.executable, "-c", code), 1000, ISOLATED)
    await process.receive()
    assert await process.how_it_ended(2) == ended
    await process.stop(0.2)


@walled
@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
def test_the_trial_of_the_walls_leaves_nothing_to_whoever_started_us():
    adopt_orphans()
    before = zombies()
    code = "from oddly.referee.program.isolation import why_not; why_not()"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    assert zombies() <= before


@walled
async def test_an_isolated_engine_hears_of_its_end_before_it_is_killed(tmp_path):
    code = (
        "import os, signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: (open('said', 'w').write('bye'), sys.exit()))\n"
        "print('ready', flush=True)\n"
        "while True: time.sleep(1)"
    )
    place = replace(ISOLATED, directory=str(tmp_path))
    process = EngineProcess.start((sys.executable, "-c", code), 1000, place)
    assert (await process.receive()).startswith(b"ready")
    await process.stop(4.0)
    assert (tmp_path / "said").read_text() == "bye"


def letting_sockets_vanish(monkeypatch, tmp_path, times: int) -> list[str]:
    """Let a socket vanish between the look for sockets and the walls, so many times."""
    listed = []

    def sockets():
        if len(listed) < times:
            listed.append(str(tmp_path / f"gone-{len(listed)}"))
            yield listed[-1]

    monkeypatch.setattr(isolation, "_sockets", sockets)
    return listed


@walled
@pytest.mark.parametrize("is_attended", [True, False])
async def test_a_socket_that_vanishes_while_the_walls_are_built_keeps_no_engine_from_starting(
    is_attended, monkeypatch, tmp_path
):
    before = zombies()
    listed = letting_sockets_vanish(monkeypatch, tmp_path, 2)
    code = "print(input()); raise SystemExit(7)"
    process = EngineProcess.start((sys.executable, "-c", code), 1000, ISOLATED)
    said = b""
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            if is_attended:
                nursery.start_soon(process.attend)
            await process.send(b"heard\n")
            while data := await process.receive():
                said += data
            ended = await process.how_it_ended(2)
            nursery.cancel_scope.cancel()
    await process.stop(0.2)
    assert zombies() <= before
    assert (said, ended, len(listed)) == (b"heard\n", "exited with code 7", 2)
    assert not process.stderr_tail


@walled
async def test_a_machine_that_cannot_start_an_engine_again_does_not_start_it_later(
    monkeypatch, tmp_path
):
    listed = letting_sockets_vanish(monkeypatch, tmp_path, 1000)
    begin, again = process_module.start_process, []

    def start(command, resources, failed=None):
        if failed is not None:
            again.append(failed)
            if len(again) == 1:
                raise MachineExhausted("no descriptor for a moment")
        return begin(command, resources, failed)

    monkeypatch.setattr(process_module, "start_process", start)
    record = await play_game(
        create_game("odd", 2), (replace(composed(), resources=ISOLATED), fake()), limits=LIMITS
    )
    assert record.outcome.termination is Termination.ABANDONED
    assert record.outcome.reason.endswith("no descriptor for a moment")
    assert (len(listed), len(again)) == (1, 1)


@pytest.mark.sampled
@EITHER
async def test_why_a_program_did_not_start_is_known_before_its_report_has_ended(walls, monkeypatch):
    begin, held = starting._launch, []

    def launch(command, resources, mark, pipes, before):
        held.append(os.dup(pipes[-1]))
        return begin(command, resources, mark, pipes, before)

    monkeypatch.setattr(starting, "_launch", launch)
    process = EngineProcess.start(("/nonexistent",), 1000, walls)
    with trio.fail_after(PATIENCE):
        while await process.receive():
            pass
        await process.how_it_ended(2)
        process.has_exited()
    failure = process.failure_to_start()
    await process.stop(0.2)
    for number in held:
        os.close(number)
    assert failure is not None
    assert "No such file" in failure.reason


@walled
async def test_one_cannot_write_for_ever_to_walls_that_never_stand(monkeypatch, tmp_path):
    letting_sockets_vanish(monkeypatch, tmp_path, 1000)
    process = EngineProcess.start(("true",), 1000, ISOLATED)
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(process.attend)
            with pytest.raises(BrokenPipeError):
                await process.send(b"x" * (1 << 20))
            nursery.cancel_scope.cancel()
    await process.stop(0.2)


@walled
async def test_walls_that_never_stand_are_said_to_be_why_an_engine_did_not_start(
    monkeypatch, tmp_path
):
    (tmp_path / "\x1b[31m").mkdir()
    listed = letting_sockets_vanish(monkeypatch, tmp_path / "\x1b[31m", 1000)
    record = await play_game(
        create_game("odd", 2), (replace(composed(), resources=ISOLATED), fake()), limits=LIMITS
    )
    assert record.outcome.termination is Termination.ABANDONED
    assert "\x1b" not in record.outcome.reason
    last = listed[-1].replace("\x1b", "\\x1b")
    assert f"bwrap: Can't create file at {last}" in record.outcome.reason


@walled
async def test_an_isolated_engine_may_have_so_many_processes_and_no_more():
    code = (
        "import os, time\n"
        "number = 0\n"
        "try:\n"
        "    while number < 100:\n"
        "        if os.fork() == 0: time.sleep(60)\n"
        "        number += 1\n"
        "except BlockingIOError: print('refused', number < 20, flush=True)\n"
        "else: print('granted', flush=True)\n"
    )
    limited = replace(ISOLATED, processes=20)
    said = await said_by(code, limited)
    if said == "granted" and os.geteuid() == 0:
        pytest.skip("root has no control groups here that could limit processes")
    assert said == "refused True"


@walled
async def test_an_isolated_engine_may_have_half_of_the_machines_memory_unless_more_is_granted():
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_DATA)[0])"
    half = machine_memory() // 2
    assert await said_by(code, ISOLATED) == str(half)
    assert await said_by(code, ISOLATED.limited(0, None)) == "-1"
    assert await said_by(code, OPEN) == "-1"
    assert await said_by(f"bytearray({half})", ISOLATED) == "exited with code 1"


@walled
async def test_nothing_of_an_isolated_engine_is_left(tmp_path):
    seconds = f"3700.{os.getpid()}"
    code = (
        "import os\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        f"        os.execve('/bin/sleep', ['sleep', '{seconds}'], {{}})\n"
        "print('ready', flush=True)\n"
        "input()"
    )
    process = EngineProcess.start((sys.executable, "-c", code), 1000, ISOLATED)
    assert (await process.receive()).startswith(b"ready")
    await process.stop(0.2)
    assert running("sleep", seconds) == set()


@walled
async def test_an_engine_that_cannot_be_executed_did_not_start_behind_walls_either():
    broken = EngineConfiguration("b", ("/nonexistent",), fake().time, resources=ISOLATED)
    record = await play_game(create_game("odd", 2), (broken, fake()), limits=LIMITS)
    assert record.outcome.termination is Termination.NO_START
    assert "No such file" in record.outcome.reason


@EITHER
async def test_who_may_not_ponder_stands_still_while_it_is_not_asked(walls):
    code = (
        "import os, sys, time\n"
        "if os.fork() == 0: os.setsid()\n"
        "else: sys.stdin.readline()\n"
        "while True:\n"
        "    print(os.getpid(), flush=True)\n"
        "    time.sleep(0.01)\n"
    )
    resting = replace(walls, ponder=False)
    process = EngineProcess.start((sys.executable, "-c", code), 1000, resting)
    await process.send(b"\n")
    with trio.fail_after(20):
        while len(set((await process.receive()).split())) < 1:
            pass
        await process.rest()
        while process.receive_nowait():
            pass
        await trio.sleep(0.2)
        assert process.receive_nowait() is None
        await process.send(b"\n")
        assert await process.receive()
    await process.stop(0.2)


@EITHER
async def test_engines_that_may_not_ponder_play_whole_games(walls):
    resting = replace(walls, ponder=False)
    players = [replace(fake(name=name, time="20"), resources=resting) for name in "ab"]
    record = await play_game(create_game("odd", 2), (players[0], players[1]), limits=LIMITS)
    assert record.outcome.termination is Termination.BOARD_FULL


@pytest.mark.parametrize("how", ["match", "tournament"])
def test_what_must_be_isolated_and_cannot_is_refused_before_the_first_game(
    how, monkeypatch, tmp_path, refusal
):
    monkeypatch.setattr(isolation, "why_not", lambda: "bubblewrap (bwrap) is not installed")
    engine = f"{PYTHON} -m oddly engine random"
    toml = tournament_file(tmp_path, "two", 'isolation = "bubblewrap"')
    words = {
        "match": ["match", engine, engine, "--game", "odd", "--isolation", "bubblewrap"],
        "tournament": ["tournament", toml],
    }
    said = refusal("", *words[how])
    assert "engines cannot be isolated here: bubblewrap (bwrap) is not installed" in said
    assert said.count("\n") == 1


def test_without_bubblewrap_the_facts_of_a_run_say_so_and_a_script_is_not_told(
    monkeypatch, oddly, tmp_path
):
    lack = "bubblewrap (bwrap) is not installed"
    monkeypatch.setattr(isolation, "why_not", lambda: lack)
    monkeypatch.setattr(conditions, "why_not", isolation.why_not)
    toml = tournament_file(tmp_path, "two")
    said = oddly("tournament", toml, "--json")
    assert "isolated" not in said.err
    isolated = {"engines": {"one": False, "two": False}, "lack": lack}
    assert json.loads(said.out)["isolation"] == isolated
    with Ledger(toml.with_suffix(".sqlite"), read_only=True) as opened:
        happened = [what for _, what in opened.happenings()]
    assert f"engines are not isolated from each other: {lack}" in happened


def test_without_bubblewrap_engines_are_isolated_only_if_they_must_be(monkeypatch):
    monkeypatch.setattr(isolation, "why_not", lambda: "it is not installed")
    assert not is_isolated(Resources(isolation=Isolation.AUTO))
    assert not is_isolated(Resources(isolation=Isolation.NONE))
    with pytest.raises(IsolationError, match="cannot be isolated here: it is not installed"):
        is_isolated(ISOLATED)
