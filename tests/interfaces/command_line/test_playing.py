"""`oddly match` and `oddly tournament` as a user runs them: tables, JSON, exit codes, Ctrl-C."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from oddly.interfaces.command_line.playing import tell_of_interruption
from oddly.referee.justice.record import GameRecord, replay
from oddly.referee.match.wire_log import WireLog
from oddly.tournaments import FixedPlan, RecordFile, Run
from tests.games import brute_force
from tests.patience import PATIENCE
from tests.processes import processes
from tests.source import ROOT
from tests.tournaments.results.outcomes import league
from tests.tournaments.toml.written import QUICK, ours, tournament_file

FAKE = f"{shlex.quote(sys.executable)} {shlex.quote(str(ROOT / 'tests' / 'fakes' / 'engine.py'))}"
RANDOM = "oddly engine random"
ODD = ["--game", "odd", "--size", "2"]


@pytest.fixture(autouse=True)
def _in_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def match(*words: str) -> list[str]:
    return ["match", *words, *ODD, "--games", "4"]


def test_a_match_ends_in_a_table(oddly):
    output, error = oddly(*match(RANDOM, "oddly engine greedy"))
    assert output.startswith("odd 2 (board hexhex, min_group 5)\n")
    assert "greedy" in output
    # Where the machine is busy, a line on the referee's lateness follows.
    warning, *lines = error.splitlines()
    assert "White wins" in warning
    assert sorted(line[:3] for line in lines[:4]) == ["1/4", "2/4", "3/4", "4/4"]


@pytest.mark.parametrize("what", ["match", "tournament"])
def test_quiet_prints_the_results_alone(tmp_path, what, oddly):
    words = match(RANDOM, "oddly engine greedy")
    if what == "tournament":
        engines = {"greedy": ours("greedy"), "random": ours("random")}
        words = [what, str(tournament_file(tmp_path, "quiet", engines=engines))]
    output, error = oddly(*words, "--quiet")
    assert "greedy" in output
    # Where the machine is busy, a line on the referee's lateness follows.
    assert [line for line in error.splitlines() if " marked: the referee" not in line] == []


def test_quiet_tells_what_has_changed_since_earlier_games(tmp_path, oddly):
    """The bug: with --quiet nothing said that the program of an engine had changed."""
    engines = {"one": QUICK, "two": QUICK}
    path = tournament_file(tmp_path, "quiet", "rounds = 1", engines=engines)
    oddly("tournament", path, "--quiet")
    tournament_file(tmp_path, "quiet", "rounds = 2", engines=engines)
    said = oddly("tournament", path, "--quiet").err
    assert said.startswith(f"{path.with_suffix('.sqlite')}: rounds")
    assert "before; the others follow" not in said


@pytest.mark.parametrize("words", [[], ["--no-ledger"]], ids=" ".join)
def test_a_tournament_without_a_game_says_so(tmp_path, oddly, words):
    """The bug: with only one engine active it ended without a word."""
    paused = {"two": "active = false"}
    said = oddly("tournament", tournament_file(tmp_path, "alone", more=paused), *words)
    assert said.err == "no game is to be played, since too few engines take part\n"


def test_both_sides_of_one_program_are_told_apart(facts):
    games = facts(*match(RANDOM, RANDOM))["games"]
    assert [game["players"] for game in games] == [
        ["random (first)", "random (second)"],
        ["random (second)", "random (first)"],
    ] * 2


def test_json_tells_every_game_and_its_turns_are_legal(facts):
    value = facts(*match(RANDOM, "oddly engine greedy"), "--seed", "3")
    assert len(value["games"]) == 4
    for game in value["games"]:
        naive = brute_force.start(game["game"], game["size"], **game["settings"])
        for colour, turn, seconds in game["turns"]:
            assert naive.to_move.lower() == colour[0]
            assert seconds >= 0
            naive = naive.play(turn)
        assert naive.result == game["score"]
        assert game["winner"] == game["players"][game["winner_index"]]
        assert game["termination"] == "board full"


@pytest.mark.sampled
def test_the_same_seed_gives_the_same_games_and_another_does_not(facts):
    def turns(seed: str) -> list:
        games = facts(*match(RANDOM, RANDOM), "--seed", seed)["games"]
        return [[turn[1] for turn in game["turns"]] for game in games]

    assert turns("1") == turns("1")
    assert turns("1") != turns("2")


def test_a_forfeit_is_told_with_its_reason_and_the_exit_code_is_1(facts):
    value = facts(*match(RANDOM, f"{FAKE} --fault illegal --at 1"), code=1)
    assert value["forfeits"] == 4
    game = value["games"][0]
    assert (game["winner"], game["termination"]) == ("random", "illegal turn")
    assert game["evidence"] == "Bz99"
    assert "z99 is off the hexhex board of base 2" in game["reason"]
    assert "to move" in game["diagram"]


@pytest.mark.parametrize(
    ("option", "crashes", "reason"),
    [
        (("--withdraw-after", "2"), 2, "fake: withdrawn after 2 faults in a row"),
        (("--restart", "never"), 1, "fake: "),
    ],
)
def test_an_engine_is_withdrawn_after_faults(option, crashes, reason, facts):
    words = match(RANDOM, f"{FAKE} --fault crash --at 1")
    games = facts(*words, "--concurrency", "1", *option, code=1)["games"]
    ends = ["crash"] * crashes + ["withdrawn"] * (4 - crashes)
    assert [game["termination"] for game in games] == ends
    assert games[3]["reason"].startswith(reason)


def test_an_engine_that_the_system_refuses_gives_exit_code_4(tmp_path, oddly):
    program = tmp_path / "broken"
    program.write_bytes(b"\x7fELF but not really")
    program.chmod(0o755)
    assert "did not start" in oddly(*match(RANDOM, program), code=4).err


def test_records_replay_to_the_same_results(tmp_path, oddly):
    records = tmp_path / "games.jsonl"
    oddly(*match(RANDOM, RANDOM), "--records", records)
    lines = records.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 4
    for line in lines:
        record = GameRecord.from_json(json.loads(line))
        assert str(replay(record).result) == record.outcome.score


def test_records_are_not_written_over(tmp_path, refusal):
    records = tmp_path / "games.jsonl"
    records.write_text("{}\n", encoding="utf-8")
    assert "already contains records" in refusal(*match(RANDOM, RANDOM), "--records", records)
    assert records.read_text(encoding="utf-8") == "{}\n"


def test_records_do_not_go_to_standard_output(tmp_path, monkeypatch, refusal):
    """The bug: they went to a file of the name `-`."""
    monkeypatch.chdir(tmp_path)
    said = refusal(*match(RANDOM, RANDOM), "--records", "-")
    assert "--records: records go to a file, not to standard output" in said
    assert list(tmp_path.iterdir()) == []


def test_records_are_not_mixed_with_those_of_another_run(tmp_path, refusal):
    other = RecordFile(tmp_path / "games.jsonl")
    other.open()
    said = refusal(*match(RANDOM, RANDOM), "--records", tmp_path / "games.jsonl")
    other.finish()
    assert said == (
        f"oddly: cannot write {tmp_path / 'games.jsonl'}: another run is writing to it now: name "
        "another file\n"
    )


@pytest.mark.parametrize("by_link", [False, True])
@pytest.mark.parametrize("end", ["", "-lock", "-live", "-wal", "-shm", "-journal"])
def test_records_are_not_written_into_the_ledger(tmp_path, end, by_link, refusal):
    path, ledger = tournament_file(tmp_path, "club", ""), tmp_path / "club.sqlite"
    if by_link:
        ledger = tmp_path / "link.sqlite"
        ledger.symlink_to("club.sqlite")
    records = tmp_path / f"nowhere/../club.sqlite{end}"
    (tmp_path / "nowhere").mkdir()
    before = sorted(tmp_path.rglob("*"))
    said = refusal("tournament", path, "--ledger", ledger, "--records", records)
    assert f"{records} is a file of the ledger {ledger}: name another" in said
    assert sorted(tmp_path.rglob("*")) == before


def test_records_and_a_ledger_that_no_file_can_be_are_refused(tmp_path, refusal):
    path, loop = tournament_file(tmp_path, "club", ""), tmp_path / "loop"
    loop.symlink_to(loop)
    words = ("tournament", path, "--records")
    assert "Is a directory" in refusal(*words, tmp_path / "games.jsonl", "--ledger", ".")
    assert "Too many levels" in refusal(*words, loop)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (".", "cannot write .: Is a directory"),
        ("", "match: argument --records: the name of a file is expected, not ''"),
    ],
)
def test_records_that_would_be_a_folder_are_refused(place, said, refusal):
    assert refusal(*match(RANDOM, RANDOM), "--records", place) == f"oddly: {said}\n"


def test_a_finished_game_is_on_disk_when_the_referee_is_killed(tmp_path):
    records = tmp_path / "games.jsonl"
    words = [sys.executable, "-m", "oddly", *match(RANDOM, f"{FAKE} --fault hang --at 9")]
    words += ["--time", "600", "--concurrency", "1", "--records", str(records)]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    while process.stderr.readline().startswith("oddly: "):
        pass
    process.kill()
    process.communicate()
    lines = records.read_text(encoding="utf-8").splitlines()
    assert len(lines) >= 1
    numbers = [json.loads(line)["number"] for line in lines]
    assert numbers == list(range(1, len(lines) + 1))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("what", ["--records", "--log-dir"])
def test_a_full_disk_costs_records_or_logs_but_no_tables(tmp_path, monkeypatch, what, oddly):
    def full(_path):
        return WireLog(Path("/dev/full").open("w", encoding="utf-8"), 0.0)

    monkeypatch.setattr("oddly.tournaments.executors.executor.open_log", full)
    place, said = {
        "--records": ("/dev/full", "cannot write /dev/full from game"),
        "--log-dir": (tmp_path, f"cannot write logs to {tmp_path} from game"),
    }[what]
    shown, error = oddly(*match(RANDOM, RANDOM), what, place, code=1)
    assert "random (first)" in shown
    assert said in error
    assert "No space left on device" in error


def written(tmp_path: Path, fault: str, time: str = "9") -> str:
    words = ["--fault", fault, "--at", "1", "--name", mark_of(tmp_path)]
    bad = {"<b>bad</b>": [*shlex.split(FAKE), *words]}
    engines = {"greedy": ours("greedy"), **bad, "random": ours("random")}
    keys, game = f'time = "{time}"\nconcurrency = 2', 'game = "xodd"\nsize = 3'
    return str(tournament_file(tmp_path, "company", keys, game, engines))


def test_the_rest_of_a_tournament_plays_on_beside_a_faulty_engine(tmp_path, facts, output):
    words = ("tournament", written(tmp_path, "garbage"), "--withdraw-after", "9")
    value = facts(*words, code=1)
    assert len(value["games"]) == 6
    ends = {frozenset(game["players"]): game["termination"] for game in value["games"]}
    assert ends[frozenset(["greedy", "random"])] == "double pass"
    assert ends[frozenset(["greedy", "<b>bad</b>"])] == "protocol"
    standing = {row["name"]: row for row in value["tables"][0]["standings"]}
    assert standing["<b>bad</b>"]["points"] == 0
    assert standing["<b>bad</b>"]["forfeits"] == 4
    # All games are played: this writes the tables again, in another format.
    shown = output(*words, "--format", "html", code=1)
    assert "<table>" in shown
    assert "<b>bad</b>" not in shown


def begin(path: str, *more: str) -> subprocess.Popen:
    """A tournament as a process whose first game hangs; returns once it has begun."""
    words = [sys.executable, "-m", "oddly", "tournament", path, "--log-dir"]
    logs = Path(path).with_name("logs")
    process = subprocess.Popen(
        [*words, str(logs), *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not list(logs.glob("*.log")) or "genmove" not in "".join(
        log.read_text(encoding="utf-8") for log in logs.glob("*.log")
    ):
        assert process.poll() is None
        time.sleep(0.005)
    return process


@pytest.mark.sampled
def test_ctrl_c_once_finishes_the_running_games_and_prints_the_tables(tmp_path):
    process = begin(written(tmp_path, "hang", time="1"))
    process.send_signal(signal.SIGINT)
    output, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3
    assert "Ctrl-C once more stops at once" in error
    assert re.match(r"interrupted: \d of \d+ games (was|were) played", error.splitlines()[-1])
    assert "Traceback" not in error
    assert "xodd 3" in output


@pytest.mark.parametrize(
    ("played", "games", "said"),
    [
        (0, 4, "0 of 4 games were played"),
        (1, 4, "1 of 4 games was played"),
        (2, 4, "2 of 4 games were played"),
        (1, None, "1 game was played"),
        (2, None, "2 games were played"),
    ],
)
def test_how_many_games_were_played_is_told_when_it_is_interrupted(played, games, said, capsys):
    run = Run(FixedPlan([]), games, league("ab", "11")[:played])
    tell_of_interruption(run, None)
    assert f"interrupted: {said}; the same command" in capsys.readouterr().err


@pytest.mark.sampled
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_an_interruption_is_told_also_where_records_cannot_be_written(tmp_path):
    """The bug: the exit code was that of a run that is done."""
    process = begin(written(tmp_path, "hang", time="1"), "--records", "/dev/full")
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=PATIENCE)
    *_, failure, interruption = error.splitlines()
    assert "cannot write /dev/full from game" in failure
    assert "the same command with a new file for --records goes on from there" in interruption
    assert process.returncode == 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_before_the_first_game_is_one_sentence(tmp_path, number):
    hang = f"{FAKE} --fault hang-at-start --name {mark_of(tmp_path)} --at 1"
    words = [sys.executable, "-m", "oddly", *match(RANDOM, hang)]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    # The referee's own command line has the name too.
    while len(marked(tmp_path)) < 2:
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(number)
    _, error = process.communicate(timeout=PATIENCE)
    assert (process.returncode, error) == (3, "oddly: interrupted\n")
    assert marked(tmp_path) == []


@pytest.mark.sampled
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_stops_at_once_and_leaves_nothing_running(tmp_path, number):
    process = begin(written(tmp_path, "hang", time="600"))
    try:
        process.send_signal(number)
        assert "Ctrl-C once more" in process.stderr.readline()
        process.send_signal(number)
        _, error = process.communicate(timeout=PATIENCE)
    finally:
        # With it die its engines.
        process.kill()
        process.communicate()
    assert process.returncode == 3
    assert "Traceback" not in error
    assert [line for line in processes() if f" {process.pid} " in line] == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux kills children with their parent")
def test_engines_die_with_a_killed_referee(tmp_path):
    process = begin(written(tmp_path, "hang", time="600"))
    assert marked(tmp_path)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    # The kernel's signal is on its way; it takes a moment, not a time to be measured.
    for _ in range(10_000):
        if not marked(tmp_path):
            break
    assert marked(tmp_path) == []


def mark_of(tmp_path: Path) -> str:
    """A name that this test's engine has in no other run of the tests."""
    return f"{tmp_path.name}-{os.getpid()}"


def marked(tmp_path: Path) -> list[str]:
    """The processes of this test's faulty engine."""
    return [line for line in processes() if f"--name {mark_of(tmp_path)} " in line]
