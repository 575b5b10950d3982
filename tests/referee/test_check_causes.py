"""`oddly check`: what it once let pass, and whether its first failure names the cause."""

import json
import re
import shlex

import pytest

from oddly.games.catalogue import GAMES, create_game
from oddly.interfaces.command_line.main import main
from oddly.referee.check.checker import all_steps, check_engine
from oddly.referee.check.engine_under_test import CheckOptions
from oddly.referee.check.referee_side import LentChannel
from oddly.referee.check.step import COMMANDS, TOPICS, rests_on
from tests.source import ROOT
from tools.mutation.mutants import MUTANTS
from tools.mutation.score import SIZES, make_engine, step_that_finds

NAMED = {mutant.name: mutant for mutant in MUTANTS}
SEEN = {
    "input behind genmove is dropped": "Loses nothing",
    "input behind opponent is dropped": "Loses nothing",
    "input behind time_control is dropped": "Loses nothing",
    "the pie rule cannot be turned off": "Takes the game that was asked for",
    "stop ends an analysis without its empty line": "Ends an analysis at whatever comes next",
    "an id alone is answered as a success": "Refuses lines that are not commands",
    "time_control clears the board": "time_control changes nothing",
    "set_option clears the board": "set_option changes nothing",
    "a refused boardsize clears the board": "boardsize changes nothing",
    "clear_board leaves what can be undone": "clear_board begins anew",
    "set_game leaves what can be undone": "set_game begins anew",
    "a position that was set up has not occurred": "Plays on from a position that was set up",
    "stop forgets the positions that have occurred": "stop changes nothing",
    "setup takes no notice of an open swap": "Plays on from a position that was set up",
    "analyze is silent after one line": "Analyzes line after line",
    "an analysis forgets the passes": "analyze changes nothing",
    "a unit need not come closer": "Lists exactly the legal turns",
    "undo takes back nothing": "Takes back whole turns",
    "repetition is ignored": "Ends a game of Ayu as a draw",
}
"""Faults that passed, or whose first failure told of something else, and the step they fail at."""
MANY = ("a unit need not come closer", "undo takes back nothing", "repetition is ignored")
"""Faults that many steps trip over."""
MAX_UNMARKED = 3


@pytest.mark.sampled
@pytest.mark.timed
@pytest.mark.parametrize("name", SEEN)
def test_what_the_check_once_missed_fails_first_where_it_is_tested(tmp_path, name):
    mutant = NAMED[name]
    command = make_engine(tmp_path, mutant)
    assert step_that_finds(command, mutant.games).startswith(SEEN[name])


@pytest.mark.sampled
@pytest.mark.timed
@pytest.mark.parametrize("name", MANY)
async def test_later_failures_are_marked_with_the_first_one(tmp_path, name):
    mutant = NAMED[name]
    command = make_engine(tmp_path, mutant)
    game = create_game(mutant.games[0], SIZES[mutant.games[0]])
    options = CheckOptions(games=1, timeout=20.0)
    report = await check_engine(command, game, options, lambda result: None)
    first, *others = [result for result in report.results if result.verdict == "fail"]
    assert first.step.name.startswith(SEEN[name])
    assert first.follows_from == ""
    assert {result.follows_from for result in others} >= {first.step.name}
    assert sum(not result.follows_from for result in others) < MAX_UNMARKED


@pytest.mark.parametrize("name", GAMES)
def test_no_step_comes_before_one_that_it_rests_on(name):
    steps = all_steps(create_game(name, SIZES[name]), 4)
    topics = [step.topic for step in steps]
    assert set(topics) == set(TOPICS)
    for index, step in enumerate(steps):
        assert not rests_on(step.topic) & set(topics[index:]) - {step.topic}, step.name


def test_the_table_has_every_command_of_the_protocol_in_its_section():
    page = (ROOT / "docs" / "reference" / "protocol.md").read_text(encoding="utf-8")
    told = {}
    for part in page.split("\n### ")[1:]:
        section = part.split(" ", 1)[0]
        if section.startswith("5."):
            table = re.search(r"\| command .*?\n\n", part, re.DOTALL)
            told |= dict.fromkeys(re.findall(r"^\| `([a-z_]+)`", table[0], re.MULTILINE), section)
    assert told == {name: form.section for name, form in COMMANDS.items()}


def test_a_certificate_is_void_if_the_game_was_refused_and_names_every_skip(tmp_path, capsys):
    command = make_engine(tmp_path, NAMED["the pie rule cannot be turned off"])
    path = tmp_path / "certificate.json"
    words = ["--game", "ayu", "--size", "5", "--games", "0", "--until-failure"]
    assert main(["check", shlex.join(command), *words, "--certify", str(path)]) == 1
    facts = json.loads(path.read_text())
    assert facts["void"]
    assert facts["not_set_up"] == ["set_game ayu pie false"]
    assert not facts["keeps_every_must"]
    skipped = {
        step["name"]: step["reason"]
        for step in facts["report"]["steps"]
        if step["result"] == "skip"
    }
    assert facts["skipped"] == skipped
    assert "refused 'set_game ayu pie false'" in capsys.readouterr().out


def test_a_channel_is_lent_whole_or_byte_by_byte():
    class Kept:
        stderr_tail = bytearray()
        receive = receive_nowait = has_exited = how_it_ended = failure_to_start = None

        def __init__(self):
            self.sent = []

        def send_nowait(self, data):
            self.sent.append(data)
            return b""

    whole, bytewise = Kept(), Kept()
    assert LentChannel(whole, byte_by_byte=False).send_nowait(b"name\n") == b""
    rest, lent = b"name\n", LentChannel(bytewise, byte_by_byte=True)
    while rest:
        rest = lent.send_nowait(rest)
    assert whole.sent == [b"name\n"]
    assert bytewise.sent == [b"n", b"a", b"m", b"e", b"\n"]
