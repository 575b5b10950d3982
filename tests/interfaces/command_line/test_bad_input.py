"""Bad input gets one clear sentence on standard error, exit code 2, and no traceback."""

import builtins
import io
import os
import shlex
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.__main__ import main as program
from oddly.interfaces.command_line import main
from tests.programs import PYTHON
from tests.source import ROOT

READY = "examples/tournaments"

BAD = [
    ("foo", "unknown command 'foo'; 'oddly --help' lists them"),
    ("mach", "unknown command 'mach'; did you mean 'match'?"),
    ("perft --game yod --depth 1", "unknown game 'yod'"),
    ("perft --game '' --depth 1", "unknown game '': expected one of yodd, xodd"),
    ("play --game yodd --resume ''", "argument --resume: the name of a file is expected, not ''"),
    ("database --game odd --size 2 -o ''", "the name of a file is expected, not ''"),
    ("replay ''", "replay: the name of a file is expected, not ''"),
    ("tune x.toml --plot -", "argument --plot: the plot goes to a file, not to standard output"),
    ("merge a b -o -", "a ledger goes to a file, not to standard output: name a file"),
    ("bench errors --positions -", "positions go to a file, not to standard output"),
    ("merge a ''", "the name of a file is expected, not ''"),
    ("play --game ''", "unknown game '': expected one of yodd, xodd"),
    ("perft --game yodd --size 99 --depth 1", "unacceptable size 99"),
    ("perft --game ayu --size 4 --depth 1", "unacceptable size 4"),
    ("perft --game yodd --size three --depth 1", "a whole number from 1 is expected, not 'three'"),
    ("perft --game yodd --size -1 --depth 1", "a whole number from 1 is expected, not '-1'"),
    ("perft --game yodd --size 0 --depth 1", "a whole number from 1 is expected, not '0'"),
    ("perft --game yodd --depth 1234567890", "of at most 9 digits is expected, not '1234567890'"),
    ("show --game odd --min-group -1", "a whole number from 0 is expected, not '-1'"),
    ("engine rave --simulations -1", "a whole number from 0 to 1000000000, not -1"),
    ("match rave uct --game yodd --openings ٢", "a whole number from 0 is expected, not '٢'"),
    (f"match rave uct --game yodd --openings {'9' * 5_000}", "of at most 18 digits is expected"),
    ("match rave uct --game yodd --openings 101", "at most 100 turns are expected, not 101"),
    ("perft --game yodd --depth 0", "a whole number from 1 is expected, not '0'"),
    ("perft --game yodd", "required: --depth; 'oddly perft --help' explains them"),
    ("perft yodd", "perft: the following arguments are required: --game, --depth"),
    ("play yodd", "play: unknown argument 'yodd'; did you mean '--game yodd'?"),
    ("perft --game yodd --sice 3 --depth 1", "unknown argument '--sice'; did you mean '--size'?"),
    ("perft --game yodd --by turm --depth 1", "unknown value 'turm'"),
    ("show --game odd --board sqare", "did you mean 'square'?"),
    ("show --game yodd --pie", "yodd has no setting 'pie'"),
    ("show --game odd --min-group 0", "min_group 0 is too small"),
    ("show --game yodd --size 4 Bd4 We2,Wx", "expected a row number from 1 to 99 at character 7"),
    ("show --game yodd --size 4 Bd4 Bd4", "turn 2, Bd4, is illegal: d4 is occupied"),
    ("show --game odd --size 2 pass", "turn 1, pass, is illegal"),
    ("show --game yodd --size 3 c3", "turn 1, c3, lacks a colour: Bc3 is a black stone, Wc3 a"),
    ("diagram --game yodd --size 3 C3", "turn 1, C3, lacks a colour: Bc3 is a black stone"),
    ("solve --game odd --size 2 Bb1 c3", "turn 2, c3, lacks a colour: Bc3 is a black stone"),
    ("show --game ayu --size 5 c3", "expected a hyphen at character 3"),
    ("engine rando", "unknown engine 'rando'"),
    ("engine random --seed x", "option seed is a whole number"),
    ("engine rando --seed 1", "engine: unknown engine 'rando'"),
    ("engine random --sede 1", "unknown argument '--sede'; did you mean '--seed'?"),
    ("engine misbehave --fault hnag", "did you mean 'hang'?"),
    ("warm --size 5", "warm: --size and a game's settings go with --game"),
    ("warm --game yodd --size 99", "unacceptable size 99"),
    ("warm --engine greedy", "unknown value 'greedy': expected one of uct, rave"),
    ("bench", "required: what"),
    ("bench kernel", "'kernel': expected one of kernels, errors; did you mean 'kernels'?"),
    ("bench kernels --board square", "bench: --size and a game's settings go with --game"),
    ("bench kernels --game odd --size 99", "unacceptable size 99"),
    ("bench kernels --seconds -1", "a number of seconds is expected"),
    ("engine random --option sede=1", "did you mean 'seed'?"),
    ("engine random --game chess", "unknown game 'chess'"),
    ("engine random --pie chess", "unknown argument 'chess'"),
    ("standings x.sqlite --sprt 10", "two Elo values are expected"),
    ("standings x.sqlite --sprt 50,0", "two Elo values are expected, the smaller first"),
    ("standings x.sqlite --sprt 0,10001", "both from -10000 to 10000, as in 0,50, not '0,10001'"),
    ("standings x.sqlite --sprt 0,50,bradly", "did you mean 'bradley-terry'?"),
    ("standings x.sqlite --follow", "there is no ledger x.sqlite"),
    ("standings tests", "tests is a directory, not a ledger"),
    ("ratings tests", "tests is a directory"),
    ("verify tests", "tests is a directory, not a ledger"),
    ("report tests", "tests is a directory, not a ledger"),
    ("report .", "report: . is a directory, not a ledger"),
    ("serve --games .", "cannot write .: Is a directory"),
    ("serve --games /", "cannot write /: Is a directory"),
    ("diagram --record README.md", "diagram: README.md is not named like a file of games"),
    ("tournament nothing.toml", "there is no file nothing.toml"),
    ("tournament .", "is a directory"),
    (f"tournament {READY}/yodd.toml --time=", "malformed time control ''"),
    ("match nothing-here random --game yodd", "no program 'nothing-here' on PATH"),
    ("match random random --game yodd", "did you mean 'oddly engine random'?"),
    ("match /etc/passwd x --game yodd", "'/etc/passwd' is not an executable file"),
    ("match ./nothing x --game yodd", "there is no file './nothing'"),
    ("match a b --game yodd --time 5+", "malformed time control '5+'"),
    ("match a b --game yodd --games 0", "a whole number from 1 is expected"),
    ("match a b --game yodd --margin -1", "a number of seconds from 0 to 1000000 is expected"),
    ("match a b --game yodd --start-limit 0", "a number of seconds from 0.001 to 86400 is"),
    ("match a b --game yodd --start-limit nan", "a number of seconds from 0.001 to 86400 is"),
    ("match a b --game yodd --engine-processes 7", "a whole number from 8 to 4194303 is expected"),
    ("match a b --game yodd --format simpel", "did you mean 'simple'?"),
    ("match a b --game yodd --format unsafehtml", "unknown table format"),
    ("match a b --game yodd --concurrency many", "a whole number from 1 to 1000 is expected"),
    ("match a b --game yodd --concurrency 1001", "a whole number from 1 to 1000 is expected"),
    ("match a --game yodd", "required: CMD"),
    ("match a b --game yodd --size", "argument --size: one argument is expected"),
    ("match a b --game yodd --json=yes", "argument --json: no value is expected"),
    ("tournament x --ledger y --no-ledger", "--no-ledger: not allowed with argument --ledger"),
    ("bridge x --listen 1 --drop-level", "--drop-level: not allowed with argument --listen"),
    ("ratings x --over-time yesterday", "unknown value 'yesterday': expected one of day"),
    ("--hlep", "unknown argument '--hlep'; did you mean '--help'?"),
    ("completion bahs", "unknown shell 'bahs': expected one of bash, zsh, fish; did you mean"),
    (f"tournament {READY}/yodd.toml --records /nowhere/x.jsonl", "cannot write /nowhere/x"),
    (f"tournament {READY}/yodd.toml --log-dir /proc/nowhere", "cannot write /proc/nowhere"),
    (f"tournament {READY}/odd.toml --log-dir /proc", "cannot write /proc"),
    (
        "tournament demo",
        "is no file demo, but one comes with oddly: 'oddly examples demo.toml' copies",
    ),
    ("engine random ''", "engine: unknown argument ''\n"),
    (
        "match 'oddly engine \"greedy' b --game yodd",
        "match: engine 'oddly engine \"greedy': 'greedy' lacks its closing quotation mark \"\n",
    ),
    ("match 'a\\' b --game yodd", "the backslash at its end has nothing to escape"),
    ('check "\'a" --game yodd', "'a' lacks its closing quotation mark '\n"),
    ('bridge "\'a" --game yodd --drop-level', "'a' lacks its closing quotation mark '\n"),
    ('play --game yodd --against "\'a"', "'a' lacks its closing quotation mark '\n"),
    ('serve --engine "x=\'a"', "'a' lacks its closing quotation mark '\n"),
    (
        "match a b --game odd --sprt 5",
        "two numbers of Elo separated by a comma are expected, as in",
    ),
    ("match a b --game odd --sprt 5,0", "match: --sprt: elo0 must be below elo1, not 5.0 and 0.0"),
    ("match a b --game odd --sprt 0,nan", "match: --sprt: elo0 must be below elo1"),
    ("match a b --game odd --sprt 0,1e308", "match: --sprt: elo0 and elo1 must be from -10000 to"),
    ("match a b --game odd --alpha 0.1", "match: --alpha goes with --sprt ELO0,ELO1"),
    ("match a b --game odd --sprt 0,5 --alpha 1", "a number between 0 and 1 is expected, not '1'"),
    ("match a b --game odd --sprt 0,5 --games 3", "so --games is even, not 3"),
    ("match a b --game odd --sprt 0,5 --alpha 0.6 --beta 0.6", "below 1 together"),
    ("match a b --game odd --sprt 0,5 --scale logistc", "did you mean 'logistic'?"),
    ("bench errors nothing-here", "bench: engine 'nothing-here'"),
    ("bench errors --time soon", "soon"),
    ("bench kernels rave", "'kernels' takes no engine, but 'rave' was given"),
    ("bridge", "one of the arguments --listen --connect --drop-level --profile is required"),
    ("bridge --listen 0", "an engine's command line is missing"),
    ("bridge no-such-program --listen 0", "no program 'no-such-program' on PATH"),
    ("bridge cat --listen here:there", "'here:there' is not an address: expected HOST:PORT"),
    ("bridge cat --listen 0.0.0.0:0", "can be reached from other machines: expected a token"),
    ("bridge cat --connect 1", "--connect takes no CMD"),
    ("bridge --connect 0", "needs a port from 1"),
    ("bridge --connect 1", "cannot connect to 127.0.0.1:1: Connection refused"),
    ("bridge --connect 1 --token-file /none", "cannot read the token file /none"),
    ("bridge cat --profile gogu", "expected one of gogui; did you mean 'gogui'?"),
    ("bridge cat --profile gogui --game ayu --size 4", "unacceptable size 4"),
    ("bridge cat --profile gogui --option seed", "'seed': expected NAME=VALUE"),
    ("bridge cat --profile gogui --option seed=#", "'#' is not one word"),
    ("bridge cat --drop-level --option seed=1", "--option goes with --profile"),
    ("bridge --connect 1 --option seed=1", "--option goes with --profile"),
    ("bridge --connect 1 --after x.sgf", "bridge: --after goes with --profile"),
    ("bridge cat --listen 0 --timeout 600", "bridge: --timeout goes with --profile"),
    ("bridge cat --listen 0 --tls-ca x", "bridge: --tls-ca goes with --connect"),
    ("bridge cat --drop-level --idle 3600", "bridge: --idle goes with --listen"),
    (
        "bridge cat --drop-level --token-file x",
        "bridge: --token-file goes with --listen or --connect\n",
    ),
    (
        "bridge --connect 1 --game odd",
        "bridge: --game goes with --drop-level or --profile\n",
    ),
    (
        "bridge cat --listen 0 --size 77",
        "bridge: --size goes with --drop-level or --profile\n",
    ),
    ("bridge --connect 1 --sessions 2", "bridge: --sessions goes with --listen"),
    ("bridge --connect 1 --tls-key x", "bridge: --tls-key goes with --listen"),
    ("bridge --connect 1 --tls-certificate x", "bridge: --tls-certificate goes with --listen"),
    ("bridge cat --listen 0 --tls-key x", "--tls-certificate and --tls-key go together"),
    (
        "bridge --connect localhost:1 --tls-ca x",
        "bridge: 'localhost:1' is not encrypted: --tls-ca goes with wss://localhost:1\n",
    ),
    ("puzzle odd-3-1000", "there is no puzzle 'odd-3-1000'; did you mean"),
    ("puzzle --game odd --size 9", "there are no such puzzles"),
    ("puzzle --list --make 3", "argument --make: not allowed with argument --list"),
    ("puzzle --grade 2 --make 3", "argument --grade: not allowed with argument --make"),
    ("puzzle odd-3-1 --game yodd", "puzzle: give either the ID 'odd-3-1' or --game"),
    ("puzzle odd-3-1 --size 4", "puzzle: give either the ID 'odd-3-1' or --size"),
    ("puzzle odd-3-1 --min-group 2", "puzzle: give either the ID 'odd-3-1' or --min-group"),
    ("puzzle odd-3-1 --grade 5", "puzzle: give either the ID 'odd-3-1' or --grade"),
    ("puzzle odd-3-1 --make 3", "puzzle: give either the ID 'odd-3-1' or --make"),
    ("puzzle --game odd --min-group 2", "there are no such puzzles"),
    ("check no_such_program --game yodd", "no program 'no_such_program' on PATH"),
    ("check random --game yodd", "did you mean 'oddly engine random'?"),
    ("check cat --game yod", "unknown game 'yod'"),
    ("check cat --game yodd --time 0", "a number of seconds above 0 is expected, not '0'"),
    ("export none.sqlite", "there is no ledger"),
    ("examples xod.toml", "there is no example 'xod.toml'; did you mean 'xodd.toml'?"),
]


@pytest.mark.parametrize(("words", "sentence"), BAD, ids=[words for words, _ in BAD])
def test_bad_input_is_told_in_one_sentence(words, sentence, refusal, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert sentence in refusal("", *shlex.split(words))


def test_the_caret_stands_below_the_character(refusal):
    _, text, caret = refusal("show --game yodd --size 4 Bd4,Wx").splitlines()
    assert text[caret.index("^") - 1 :] == "x"


def test_no_control_character_of_bad_input_reaches_the_terminal(refusal):
    said = refusal("match a b --game yodd --time", "1\x1b[2Jx")
    assert said.replace("\n", "").isprintable()
    assert refusal("play --game yodd --time", " ").count("\n") == 1


@pytest.mark.parametrize(
    "words",
    ["replay", "convert --to sgf", "show --game yodd", "standings", "verify", "tournament"],
)
def test_no_control_character_of_a_file_name_reaches_the_terminal(
    words, refusal, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("a\x1b[2Jb.x").mkdir()
    said = refusal(words, "a\x1b[2Jb.x")
    assert "a\\x1b[2Jb.x" in said
    assert said.replace("\n", "").isprintable()


OPTIONS = ["--game", "--size", "--board", "--min-group", "--pie", "--size=2", "--gam", "-x", "--"]
VALUES = ["yodd", "odd", "ayu", "2", "3", "-1", "", "square", "pass", "swap", "Ba2", "Bb2,Wa2"]
WORDS = st.sampled_from(OPTIONS) | st.sampled_from(VALUES) | st.text(max_size=6)


@given(st.lists(WORDS, max_size=6))
def test_any_words_are_a_position_or_one_sentence(words):
    output, error = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(error):
        code = main(["show", "--game", "odd", *words])
    assert code in (0, 2)
    assert (output.getvalue() == "") == (code == 2)
    assert error.getvalue().startswith("oddly: ") == (code == 2)


def test_a_tournament_file_with_two_engines_of_one_name_is_refused(tmp_path, refusal):
    path = tmp_path / "twice.toml"
    engine = '[[engine]]\nname = "one"\ncommand = ["oddly"]\n'
    path.write_text(f'[tournament]\nname = "x"\n[[game]]\ngame = "odd"\n{engine}{engine}')
    assert f"{path}:9: two engines are 'one'" in refusal("tournament", path)


def test_it_is_the_same_as_a_process():
    words = [sys.executable, "-m", "oddly", "show", "--game", "yod"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == (
        "oddly: unknown game 'yod': expected one of yodd, xodd, odd, ayu; did you mean 'yodd'?\n"
    )


def test_a_reader_that_has_seen_enough_is_no_error():
    command = f"{PYTHON} -m oddly perft --game yodd --size 2 --depth 3 | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("1 14\n", "")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("perft --game yodd --size 2 --depth 3", 141),
        ('check "seq 9" --game odd', 141),
        # Done before the reader was missed.
        ("show --game yodd", 0),
        ("engine random", 0),
    ],
)
def test_work_that_is_cut_short_as_its_reader_left_is_not_called_done(words, code):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as nobody:
        done = subprocess.run(
            [sys.executable, "-m", "oddly", *shlex.split(words)],
            input=b"name\n",
            stdout=nobody,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": ""},
        )
    assert (done.returncode, done.stderr) == (code, b"")


WINDOWS = """
import signal, sys
import oddly.interfaces.command_line
# The standard library is that of this system: only our own modules are imported again.
for name in [name for name in sys.modules if name.partition(".")[0] == "oddly"]:
    del sys.modules[name]
del signal.SIGHUP, signal.pthread_sigmask
sys.platform = "win32"
from oddly.__main__ import main
sys.exit(main())
"""


def test_windows_gets_one_sentence(monkeypatch, oddly):
    monkeypatch.setattr(sys, "platform", "win32")
    expected = oddly("--version", code=2).err
    assert expected.count("\n") == 1
    # It lacks some of what is imported or looked up.
    words = [sys.executable, "-c", WINDOWS, "--version"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, expected)


def test_ctrl_c_outside_a_run_of_games_is_one_sentence(oddly, monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("oddly.interfaces.command_line.position_commands.perft", interrupt)
    assert oddly("perft --game yodd --size 3 --depth 1", code=3).err == "oddly: interrupted\n"


def test_ctrl_c_is_one_sentence_even_before_all_is_imported(monkeypatch, capsys):
    """The bug: within an import, Python could lose it, or end with another error's traceback."""
    imported, import_it = [], builtins.__import__

    def importing(name, *rest):
        if name == main.__module__.rpartition(".")[0]:
            signal.raise_signal(signal.SIGINT)
            imported.append(name)
        return import_it(name, *rest)

    monkeypatch.setattr(builtins, "__import__", importing)
    # They would change what Ctrl-C does to this process, and what it does with garbage.
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr("gc.set_threshold", lambda *_: None)
    monkeypatch.setattr("gc.freeze", lambda: None)
    assert (program(), len(imported)) == (3, 1)
    assert capsys.readouterr().err == "oddly: interrupted\n"
