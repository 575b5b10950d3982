"""Bad input gets one clear sentence on standard error, exit code 2, and no traceback."""

import io
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.interfaces.command_line import main
from tests.programs import PYTHON

BAD = [
    ("foo", "unknown command 'foo'; 'oddly --help' lists them"),
    ("mach", "unknown command 'mach'; did you mean 'match'?"),
    ("perft --game yod --depth 1", "unknown game 'yod'"),
    ("perft --game yodd --size 99 --depth 1", "unacceptable size 99"),
    ("perft --game ayu --size 4 --depth 1", "unacceptable size 4"),
    ("perft --game yodd --size three --depth 1", "a whole number is expected, not 'three'"),
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
    ("engine rando", "unknown engine 'rando'"),
    ("engine random --seed x", "option seed is a whole number"),
    ("engine rando --seed 1", "engine: unknown engine 'rando'"),
    ("engine random --sede 1", "unknown argument '--sede'; did you mean '--seed'?"),
    ("engine misbehave --fault hnag", "did you mean 'hang'?"),
    ("warm --size 5", "warm: --size and a game's settings go with --game"),
    ("warm --game yodd --size 99", "unacceptable size 99"),
    ("warm --engine greedy", "unknown value 'greedy': expected one of uct, rave"),
    ("bench", "required: what"),
    (
        "bench kernel",
        "unknown value 'kernel': expected one of kernels, errors; did you mean 'kernels'?",
    ),
    ("bench kernels --board square", "bench: --size and a game's settings go with --game"),
    ("bench kernels --game odd --size 99", "unacceptable size 99"),
    ("bench kernels --seconds -1", "a number of seconds is expected"),
    ("engine random --option sede=1", "did you mean 'seed'?"),
    ("engine random --game chess", "unknown game 'chess'"),
    ("engine random --pie chess", "unknown argument 'chess'"),
    ("standings x.sqlite --sprt 10", "two Elo values are expected"),
    ("standings x.sqlite --sprt 50,0", "two Elo values are expected, the smaller first"),
    ("standings x.sqlite --sprt 0,50,bradly", "did you mean 'bradley-terry'?"),
    ("standings x.sqlite --follow", "there is no ledger x.sqlite"),
    ("tournament nothing.toml", "there is no file nothing.toml"),
    ("tournament .", "is a directory"),
    ("tournament tournaments/yodd.toml --time=", "malformed time control ''"),
    ("match nothing-here random --game yodd", "no program 'nothing-here' on PATH"),
    ("match random random --game yodd", "did you mean 'oddly engine random'?"),
    ("match /etc/passwd x --game yodd", "'/etc/passwd' is not an executable file"),
    ("match ./nothing x --game yodd", "there is no file './nothing'"),
    ("match a b --game yodd --time 5+", "malformed time control '5+'"),
    ("match a b --game yodd --games 0", "a whole number from 1 is expected"),
    ("match a b --game yodd --margin -1", "a number of seconds is expected"),
    ("match a b --game yodd --format simpel", "did you mean 'simple'?"),
    ("match a b --game yodd --format unsafehtml", "unknown table format"),
    ("match a b --game yodd --concurrency many", "a whole number from 1 is expected"),
    ("match a --game yodd", "required: CMD"),
    ("match a b --game yodd --size", "argument --size: one argument is expected"),
    ("match a b --game yodd --json=yes", "argument --json: no value is expected"),
    ("tournament x --ledger y --no-ledger", "--no-ledger: not allowed with argument --ledger"),
    ("bridge x", "one of the arguments --listen --connect --drop-level --profile is required"),
    ("bridge x --listen 1 --drop-level", "--drop-level: not allowed with argument --listen"),
    ("ratings x --over-time yesterday", "unknown value 'yesterday': expected one of day"),
    ("--hlep", "unknown argument '--hlep'; did you mean '--help'?"),
    ("completion bahs", "unknown shell 'bahs': expected one of bash, zsh, fish; did you mean"),
    (
        "tournament tournaments/yodd.toml --records /nowhere/x.jsonl",
        "cannot write /nowhere/x.jsonl",
    ),
    ("tournament tournaments/yodd.toml --log-dir /proc/nowhere", "cannot write /proc/nowhere"),
]


@pytest.mark.parametrize(("words", "sentence"), BAD, ids=[words or "nothing" for words, _ in BAD])
def test_bad_input_is_told_in_one_sentence(words, sentence, capsys, monkeypatch):
    monkeypatch.chdir(Path(__file__).parents[3])
    assert main(words.split()) == 2
    output, error = capsys.readouterr()
    assert output == ""
    assert error.startswith("oddly: ")
    assert sentence in error
    assert "Traceback" not in error
    rest = error.splitlines()[1:]
    assert rest == [] or rest[-1].strip() == "^"


def test_the_caret_stands_below_the_character(capsys):
    main(["show", "--game", "yodd", "--size", "4", "Bd4,Wx"])
    _, text, caret = capsys.readouterr().err.splitlines()
    assert text[caret.index("^") - 1 :] == "x"


def test_an_empty_argument_too_many_is_refused_like_any_other(capsys):
    assert main(["engine", "random", ""]) == 2
    assert capsys.readouterr().err == "oddly: engine: unknown argument ''\n"


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


def test_unbalanced_quotes_in_a_command_line_are_refused(capsys):
    assert main(["match", "'a", "b", "--game", "yodd"]) == 2
    assert "No closing quotation" in capsys.readouterr().err


def test_a_tournament_file_with_two_engines_of_one_name_is_refused(tmp_path, capsys):
    path = tmp_path / "twice.toml"
    engine = '[[engine]]\nname = "one"\ncommand = ["oddly"]\n'
    path.write_text(f'[tournament]\nname = "x"\n[[game]]\ngame = "odd"\n{engine}{engine}')
    assert main(["tournament", str(path)]) == 2
    assert f"{path}:9: two engines are 'one'" in capsys.readouterr().err


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


def test_windows_gets_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr(sys, "platform", "win32")
    assert main(["--version"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_log_directory_that_takes_no_file_is_refused_before_the_first_game(capsys):
    assert main(["tournament", "tournaments/odd.toml", "--log-dir", "/proc"]) == 2
    assert "cannot write /proc" in capsys.readouterr().err


def test_ctrl_c_outside_a_run_of_games_is_one_sentence(capsys, monkeypatch):
    from oddly.interfaces.command_line import perft_command

    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(perft_command, "perft", interrupt)
    assert main(["perft", "--game", "yodd", "--size", "3", "--depth", "1"]) == 3
    assert capsys.readouterr().err == "oddly: interrupted\n"
