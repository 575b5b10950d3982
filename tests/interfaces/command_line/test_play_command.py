"""`oddly play` as a script uses it: lines on standard input, real engines, no terminal."""

import os
import random
import re
import shlex
import signal
import subprocess
import sys

import pytest

from oddly.game_records.formats import FORMATS
from oddly.games.catalogue import create_game
from oddly.games.legal_turns import random_turn
from oddly.interfaces.command_line.play_command import participants
from oddly.interfaces.human_play.game_in_progress import GameInProgress
from oddly.interfaces.human_play.recording import record_of
from oddly.protocol.notation import NO_CLOCK
from oddly.referee.program.configuration import EngineConfiguration
from tests.patience import PATIENCE
from tests.referee.fakes import FAKE
from tests.source import ROOT

PLAY = (sys.executable, "-m", "oddly", "play")
GAMES = (
    (create_game("yodd", 2), ""),
    (create_game("xodd", 3), ""),
    (create_game("odd", 2, {"board": "square", "min_group": 2}), "--board square --min-group 2"),
    (create_game("ayu", 5, {"pie": True}), "--pie"),
)


@pytest.fixture
def play(tmp_path):
    """Run `oddly play` with these words and lines; the process when it has ended."""

    def run(words, *lines):
        return subprocess.run(
            [*PLAY, *shlex.split(words)],
            input="".join(f"{line}\n" for line in lines),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env={**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")},
        )

    return run


def kept(tmp_path):
    """The record of the one game that was kept in the user's state folder."""
    (path,) = (tmp_path / "state" / "oddly" / "games").iterdir()
    with path.open("rb") as file:
        (game,) = FORMATS["jsonl"].read(file, None)
    return path, game.record


@pytest.mark.parametrize(("game", "words"), GAMES, ids=[game.name for game, _ in GAMES])
def test_two_humans_play_a_game_to_its_end(play, tmp_path, game, words):
    position, turns, chance = game.start(), [], random.Random(5)
    while not position.is_over:
        turn = random_turn(position, chance)
        turns.append(str(turn))
        position = position.play(turn)
    done = play(f"--game {game.name} --size {game.size} {words} --against human", *turns)
    assert (done.returncode, done.stderr) == (0, "")
    path, record = kept(tmp_path)
    assert [played.turn for played in record.turns] == turns
    assert record.outcome.score == str(position.result)
    assert f": {position.result}\n" in done.stdout
    assert f"The game is kept in {path}" in done.stdout
    assert "\x1b" not in done.stdout


def test_the_session_of_the_docs(play, tmp_path):
    page = (ROOT / "docs" / "how-to" / "play-in-the-terminal.md").read_text(encoding="utf-8")
    (found,) = re.findall(r"printf '(.*)' \| oddly play (.*)\n```\n\n```\n((?:.*\n)*?)```", page)
    lines, words, shown = found
    done = play(words, *lines.removesuffix("\\n").split("\\n"))
    (named,) = re.findall("The game is kept in (.*)", shown)
    path, _ = kept(tmp_path)
    assert done.stdout == shown.replace(named, str(path))


def test_an_engine_of_ours_answers_hints_and_goes_on_after_a_break(play, tmp_path):
    words = "--game xodd --size 4 --against random --hints greedy --option seed=3 --seed 8"
    done = play(f"{words} --colour white", "hint", "undo", "pass", "legal", "quit")
    assert (done.returncode, done.stderr) == (0, "")
    assert "random plays " in done.stdout
    assert "greedy would play " in done.stdout
    assert "you have no turn to take back" in done.stdout
    path, record = kept(tmp_path)
    resume = f"--resume {path} --against random"
    assert f"{resume} --time 5 --option seed=3 --hints greedy --seed 8\n" in done.stdout
    assert record.players == ("random", "human")
    assert record.engines[0].startswith("random ")
    assert record.outcome.score == "void"
    again = play(resume, "turns")
    assert (again.returncode, again.stderr) == (0, "")
    assert f"   2  white  {record.turns[1].turn}" in again.stdout
    assert "human, White (O)" in again.stdout
    assert "To go on with it" not in again.stdout


@pytest.mark.parametrize(
    ("players", "engines", "place"),
    [
        (("human", "human"), ("human 1.0", ""), 1),
        (("human", "human"), ("", "human 1.0"), 0),
        (("rave", "ann"), ("rave 1.0", ""), 1),
        (("rave", "human"), ("", ""), 1),
        (("ann", "ben"), ("", ""), 0),
    ],
)
def test_a_person_goes_on_in_their_own_place(players, engines, place):
    current = GameInProgress.of(create_game("yodd", 3))
    resumed = record_of(current, players, engines, [], None)
    opponent = EngineConfiguration("rave", ("rave",), NO_CLOCK)
    assert participants(None, opponent, resumed)[place].is_human
    assert not participants(None, opponent, resumed)[1 - place].is_human


def test_a_strangers_engine_that_dies_is_restarted(play, tmp_path):
    fake = shlex.join([sys.executable, FAKE, "--fault", "crash", "--at", "2"])
    words = f"--game yodd --size 3 --against {shlex.quote(fake)} --record {tmp_path / 'mine.jsonl'}"
    done = play(words, "Bc3", "Bd3", "restart", "quit")
    assert (done.returncode, done.stderr) == (0, "")
    assert "fake did not play: the engine " in done.stdout
    assert done.stdout.index("restart? restart") < done.stdout.rindex("fake plays ")
    assert (tmp_path / "mine.jsonl").exists()


def test_a_signal_says_where_the_game_is_kept(tmp_path):
    with subprocess.Popen(
        [*PLAY, "--game", "yodd", "--size", "3", "--against", "random"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")},
    ) as process:
        process.stdin.write("Bc3\n")
        process.stdin.flush()
        for line in process.stdout:
            if line.startswith("Turn 3"):
                break
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (3, "")
    assert "The game is kept in " in out
    assert len(kept(tmp_path)[1].turns) == 2


def test_whoever_stops_reading_gets_no_traceback(tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*PLAY, "--game", "yodd", "--size", "3", "--against", "human"],
        input=b"Bc3\npass\npass\n",
        stdout=writing,
        stderr=subprocess.PIPE,
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")},
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ("", 2, "play: --game or --resume is missing"),
        ("--game yod", 2, "unknown game 'yod'"),
        ("--game yodd --against rav", 2, "no program 'rav' on PATH; did you mean 'rave'?"),
        ("--game yodd --against ''", 2, "the command is empty"),
        ("--game yodd --against x --option a=1", 2, "play: --against 'x' is not one of our"),
        ("--game yodd --against humam", 2, "no program 'humam' on PATH; did you mean 'human'?"),
        ("--game yodd --hints zork", 2, "--hints 'zork' is not one of our engines"),
        ("--game yodd --hints human", 2, "command line: no program 'human' on PATH\n"),
        ("--game yodd --clock 600", 2, "play: argument --clock: expected MAIN+INCREMENT in"),
        ("--game yodd --against human --colour white", 2, "are for games against an engine"),
        (
            "--game yodd --against human --time soon",
            2,
            "and --time are for games against an engine",
        ),
        ("--game yodd --time ''", 2, "malformed time control ''"),
        ("--game yodd --colour grey", 2, "expected one of black, white, random"),
        ("--game yodd --time soon", 2, "malformed time control 'soon'"),
        ("--game yodd --option x", 2, "--option 'x': expected NAME=VALUE"),
        ("--game yodd --level 11", 2, "a level from 1 (first game) to 10 (champion) is expected"),
        ("--game yodd --level 0", 2, "to 10 (champion) is expected, not '0'"),
        ("--game yodd --level experts", 2, "did you mean 'expert'?"),
        ("--game yodd --against uct --level 3", 2, "--level is for rave, not for 'uct'"),
        ("--game yodd --against human --level 3", 2, "--level, --colour and --time are for games"),
        ("--game yodd --against random --option x=3", 2, "unknown option 'x': expected"),
        ("--game yodd --against false", 4, "false: the engine exited with code 1"),
        ("--game yodd --record /nowhere/x.jsonl", 2, "cannot write --record /nowhere/x.jsonl: No"),
        ("--game yodd --record {there}", 2, "already exists: name a new file"),
        ("--game yodd --record x.sgf", 2, "play: --record x.sgf: expected a file .jsonl\n"),
        ("--game yodd --record mine", 2, "play: --record mine: expected a file .jsonl\n"),
        ("--resume {there} --size 3", 2, "with --resume the game comes from the file"),
        ("--resume {there}", 2, "holds 0 games: expected one"),
        ("--resume nowhere.sgf", 2, "cannot read nowhere.sgf: No such file"),
        ("--resume nowhere.png", 2, "expected a file .jsonl or .sgf"),
        ("--resume {bad}", 2, "bad.jsonl: line 1: not a game record"),
    ],
)
def test_bad_input_is_one_sentence(tmp_path, refusal, words, code, sentence):
    there, bad = tmp_path / "there.jsonl", tmp_path / "bad.jsonl"
    there.write_text("", encoding="utf-8")
    bad.write_text("{}\n", encoding="utf-8")
    words = shlex.split(words.format(there=there, bad=bad))
    assert sentence in refusal("play", *words, code=code)


def test_a_user_without_a_home_is_told_to_name_a_file(homeless, refusal):
    """The bug: a traceback."""
    said = refusal("play --game odd --size 2 --against human")
    assert said == (
        "oddly: play: this user has no home directory: name a file for the game by --record\n"
    )
