"""Wire logs: whole, safe to read, bounded, and enough to judge the game again. And lag."""

import io
import json
from dataclasses import replace

import pytest
import trio
from hypothesis import example, given
from hypothesis import strategies as st

from oddly.games.catalogue import create_game
from oddly.games.untrusted_text import log_line
from oddly.protocol import RemoteProtocolError, Reply, ReplyDecoder, encode_reply, parse_turn
from oddly.referee.justice.deadline import LagMeter
from oddly.referee.justice.legality import rule_on
from oddly.referee.justice.outcome import EngineFault, Termination, abandoned
from oddly.referee.justice.record import GameRecord
from oddly.referee.match import wire_log
from oddly.referee.match.engine_pool import EnginePool
from oddly.referee.match.game import play_pooled_game
from oddly.referee.match.judgement import (
    MAX_READ_LENGTH,
    WireLogError,
    facts,
    judge,
    lines_of,
)
from oddly.referee.match.wire_log import MAX_LINE_LENGTH, WireLog
from oddly.referee.program.configuration import Limits
from oddly.tournaments.executors.conditions import Conditions
from oddly.tournaments.executors.executor import local_executor, log_path
from oddly.tournaments.formats.plan import FixedPlan
from oddly.tournaments.results.schedule import ScheduledGame
from oddly.tournaments.run.runner import run_plan
from tests.referee.fakes import ScriptedChannel, fake, scripted
from tests.tournaments.formats.schedules import alternating

GAME = create_game("odd", 2)
FACTS = {"game": "odd", "size": 2, "settings": {}}
HEADER = '# {"wire_log": 1, "game": "odd", "size": 2, "settings": {}}\n'


async def logs(tmp_path, *arguments: str) -> list[str]:
    """The logs of two games against a fake, as texts."""
    configurations = {"good": fake(name="good"), "bad": fake(*arguments, name="bad")}
    schedule = alternating(create_game("odd", 2), ("good", "bad"), 2, 1)
    executor = local_executor(configurations, Conditions(log_directory=tmp_path))
    await run_plan(FixedPlan(schedule), executor)
    return [path.read_text(encoding="utf-8") for path in sorted(tmp_path.glob("*.log"))]


async def logged(first, second, open_channel=ScriptedChannel, opening=(), kept=None):
    """A game between engines in memory: its record, and the text of its log.

    The engine `kept` runs before the game, like one that has played another.
    """
    sink = io.StringIO()
    sink.close = lambda: None
    controls = [str(first.time), str(second.time)]
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, Limits(margin=0.1), open_channel=open_channel)
        if kept is not None:
            await pool.release(await pool.acquire(kept), at_fault=False)
        log = WireLog(sink, trio.current_time())
        turns = [str(turn) for turn in opening]
        log.header({**FACTS, "controls": controls, "margin": 0.1, "opening": turns})
        record = await play_pooled_game(pool, GAME, (first, second), log=log, opening=opening)
        await pool.stop()
    return record, sink.getvalue()


def judged(record, text):
    """What the log of a game shows, which is what its record says."""
    judgement = judge(text.splitlines())
    assert judgement.contradictions() == []
    for seen, kept in zip(judgement.waits, record.timing.waits, strict=True):
        assert seen == pytest.approx(kept, abs=1e-5)
    return judgement


async def test_a_log_replays_to_the_recorded_result(tmp_path):
    for text in await logs(tmp_path, "--nth", "2"):
        judgement = judge(text.splitlines())
        assert judgement.contradictions() == []
        assert facts(judgement)["result"] == judgement.recorded.outcome.score
        assert len(judgement.turns) == 7


class Spoiler(ScriptedChannel):
    """Answers with a turn, and in the same write spoils its reply to another command."""

    also_lists = "last_evaluation"

    how = ""

    def answer(self, command):
        if command.name == "play" and self.how == "refused":
            self.write(f"?{command.id} no\n\n".encode())
        elif command.name != "last_evaluation":
            super().answer(command)
            if command.name == "genmove" and self.how == "one too many":
                self.write(b"=77 more\n\n")
        elif self.how == "closed":
            self.write(b"")
        else:
            number = 4_000_000_000 if self.how == "of another id" else command.id
            delay = {"slow": 0.8, "late": 3.0}.get(self.how, 0.0)
            self.write(f"={number} win_rate 0.5\n\n".encode(), delay)


SPOILT = {
    "refused": Termination.PROTOCOL,
    "of another id": Termination.PROTOCOL,
    "one too many": Termination.PROTOCOL,
    "closed": Termination.CRASH,
    "late": Termination.TIME,
    "slow": Termination.RESIGNATION,
}


@pytest.mark.parametrize("how", SPOILT)
@pytest.mark.parametrize("pipelining", [True, False])
async def test_an_answer_counts_if_all_that_was_asked_with_it_is_answered(
    how, pipelining, autojump_clock
):
    class Player(Spoiler):
        pass

    Player.how = how
    good, bad = scripted("Bb1 resign", "good"), scripted("Wc2", "bad", "1")
    bad = replace(bad, pipelining=pipelining)

    def open_channel(command, *rest):
        return (Player if command == bad.command else ScriptedChannel)(command, *rest)

    record, text = await logged(good, bad, open_channel)
    judgement = judged(record, text)
    assert record.outcome.termination is SPOILT[how]
    assert judgement.turns == [turn.turn for turn in record.turns]
    if how == "slow":
        assert judgement.slowest == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("replies", "fault"),
    [
        (["?7 no", "", "=8 Bb1", "", "=9", ""], "play was refused: no"),
        (["=7", "", "=8 Bb1", "", "=6", ""], "a reply with id 6 where id 9 was expected"),
        (["=7", "", "= Bb1", ""], "a reply with no id where id 8 was expected"),
        (["= 7", ""], "a reply with a space between its mark and its id where id 7 was expected"),
        (["=7", "", "hello", "=8 Bb1", ""], "output that is not a reply: hello"),
        (["=7", "", "?8 no", "so there", ""], "genmove was refused: no\nso there"),
    ],
)
def test_a_wrong_reply_is_named_and_its_turn_does_not_count(replies, fault):
    commands = "7 play black Ba1", "8 genmove white", "9 last_evaluation"
    lines = [HEADER, *(f"    0.100000 2 > {line}" for line in commands)]
    judgement = judge([*lines, *(f"    0.200000 2 < {line}" for line in replies)])
    assert (judgement.fault, judgement.turns) == (fault, [])


def test_replies_are_read_as_the_referee_reads_them():
    lines = "1 > 7 play black Ba1|1 > 8 genmove white|1 < =007|1 < |1 < \\r|1 < =8\\tBb1|1 < \\r"
    stamped = [f"    0.100000 {line}" for line in lines.split("|")]
    assert judge([HEADER, *stamped]).turns == ["Bb1"]


def log_in_memory() -> tuple[WireLog, io.StringIO]:
    """A log that has begun, and what is written of it."""
    sink = io.StringIO()
    sink.close = lambda: None
    return WireLog(sink, 0.0), sink


def ruling_of_the_referee(said: bytes) -> tuple[list[str], bool]:
    """The turn in the reply to command 7, if there is one, and whether a fault is."""
    decoder = ReplyDecoder()
    decoder.feed(said)
    try:
        reply = decoder.next_reply()
        if reply is None:
            return [], False
        if reply.id != 7 or not reply.ok:
            return [], True
        return [str(rule_on(GAME.start(), reply.text)[0])], False
    except (RemoteProtocolError, EngineFault):
        return [], True


SPACES, NULS = " " * 2100, "\0" * 2100
WORDS = ["=7", "=7 ", "?7", "Bb1", "B", "b1", "pass", "x" * 2100, "=", "é", "\\", "\n", "\n\n"]
BLANKS = [" ", "\t", "\0", "\r", SPACES, NULS, "\t\0" * 1100]


@given(st.lists(st.sampled_from(WORDS + BLANKS), max_size=8), st.integers(1, 3000))
@example(["=7 Bb1 "], 1)
@example(["=7  Bb1\t"], 3000)
@example(["=7 Bb1", SPACES, NULS], 512)
@example(["=7 ", SPACES, "\t", SPACES, "Bb1"], 512)
@example(["=7 B", NULS, "b1"], 512)
@example(["=7 Bb1", SPACES, SPACES, "x"], 512)
@example(["=7 Bb1\n", SPACES, "\nx"], 512)
@example([NULS, "=7 Bb1\n", NULS], 512)
def test_any_reply_is_judged_as_the_referee_rules_on_it(words, length):
    said = ("".join(words) + "\n\n").encode()
    log, sink = log_in_memory()
    log.data(0, ">", b"7 genmove black\n", 0.0)
    for at in range(0, len(said), length):
        log.data(0, "<", said[at : at + length], 1.0)
    judgement = judge([HEADER, *sink.getvalue().splitlines()])
    assert (judgement.turns, bool(judgement.fault)) == ruling_of_the_referee(said)


async def test_an_engine_that_died_before_the_game_is_set_up_again(autojump_clock):
    class Mortal(ScriptedChannel):
        started = 0

        def __init__(self, *arguments):
            super().__init__(*arguments)
            Mortal.started += 1
            self.is_mortal = Mortal.started == 1

        def answer(self, command):
            if self.is_mortal and command.name == "play":
                self.write(b"last words")
                self.write(b"")
            else:
                super().answer(command)

    good, bad = scripted("Bc1 Ba2 Bb2", "good", "2", "1 1 1"), scripted("Wa3 Wb3", "bad", "1.5")

    def open_channel(command, *rest):
        return (Mortal if command == bad.command else ScriptedChannel)(command, *rest)

    opening = [parse_turn("Bb1"), parse_turn("Wc2")]
    bad = replace(bad, command=("Wa3 Wb3", "0.9 0.9"))
    record, text = await logged(good, bad, open_channel, opening, kept=bad)
    judged(record, text)
    assert (Mortal.started, record.outcome.is_forfeit) == (2, False)
    assert ' 2 < last words\n# {"restart": 2}\n' in text


@pytest.mark.sampled
@pytest.mark.parametrize(
    "fault",
    [
        "illegal",
        "malformed",
        "crash",
        "resign",
        "garbage",
        "refuse",
        "refuse-play",
        "wrong-id",
        "twice",
    ],
)
async def test_a_log_of_a_lost_game_does_not_contradict_itself(tmp_path, fault):
    for text in await logs(tmp_path, "--fault", fault):
        assert judge(text.splitlines()).contradictions() == []


async def test_a_log_whose_outcome_was_changed_contradicts_itself(tmp_path):
    text = (await logs(tmp_path))[0]
    score = judge(text.splitlines()).recorded.outcome.score
    other = {"B+": "W+", "W+": "B+"}[score]
    changed = text.replace(f'"score": "{score}"', f'"score": "{other}"')
    assert judge(changed.splitlines()).contradictions() == [
        f"{other} is recorded, the rules say {score}"
    ]
    cut = text[: text.rindex("# ")]
    assert "no outcome" in judge(cut.splitlines()).contradictions()[0]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (" resign\n", " foo\n", "a resignation is recorded, but the wire has none"),
        (" resign\n", " Wc2\n", "a resignation is recorded, but the wire has none"),
        ('"resignation"', '"crash"', "crash is recorded, but the wire has a resignation"),
        ('"resignation"', '"abandoned"', None),
    ],
)
async def test_a_resignation_is_on_the_wire_and_in_the_record(old, new, said, autojump_clock):
    _, text = await logged(scripted("Bb1", "a"), scripted("resign", "b"))
    assert judge(text.splitlines()).contradictions() == []
    assert text.count(old) == 1
    found = judge(text.replace(old, new).splitlines()).contradictions()
    assert said in found if said else found == []


ENDS = {
    "resignation": ("Bb1", "Wc2 resign", "0 0"),
    "illegal turn": ("Bb1", "Wc2 Bb1", "0 0"),
    "time": ("Bb1", "Wc2 Wa3", "0 9"),
    "crash": ("Bb1", "Wc2", "0"),
    "board full": ("Bb1 Bc1 Ba2 Bb2", "Wc2 Wa3 Wb3", "0 0 0"),
}


@pytest.mark.parametrize("end", ENDS)
async def test_a_log_with_the_other_player_as_winner_contradicts_itself(end, autojump_clock):
    """The bug: that an engine resigned or was late was checked, but not which one."""
    black, white, delays = ENDS[end]

    class Mortal(ScriptedChannel):
        def answer(self, command):
            if end == "crash" and command.name == "genmove" and not self.turns:
                self.write(b"")
            else:
                super().answer(command)

    first = scripted(f"{black} Bc1", "a")
    record, text = await logged(first, scripted(white, "b", "1", delays), Mortal)
    assert record.outcome.termination.value == end
    assert judge(text.splitlines()).contradictions() == []
    winner = record.outcome.winner
    names = record.players[winner], record.players[1 - winner]
    changed = text.replace(f'"winner_index": {winner}', f'"winner_index": {1 - winner}')
    (said,) = judge(changed.splitlines()).contradictions()
    assert said == f"{names[1]} is recorded as the winner, the wire says {names[0]}"


class Talker(ScriptedChannel):
    """Says much about one turn of its opponent."""

    about = ""

    def answer(self, command):
        if command.arguments[1:] == (self.about,):
            self.write(encode_reply(Reply(True, "so it goes\n" * 500, command.id)))
        else:
            super().answer(command)


@pytest.mark.parametrize("about", ["Bc1", "Bb2"])
async def test_a_log_that_was_cut_says_so_and_accuses_nobody(about, monkeypatch, autojump_clock):
    monkeypatch.setattr(wire_log, "MAX_LOG_LENGTH", 10_000)
    monkeypatch.setattr(Talker, "about", about)
    black, white = scripted("Bb1 Bc1 Ba2 Bb2", "a"), scripted("Wc2 Wa3 Wb3", "b")
    record, text = await logged(black, white, Talker)
    lines = text.splitlines()
    judgement = judge(lines)
    assert (len(text) < 15_000, text.count('# {"cut": true}\n')) == (True, 1)
    assert record.outcome.termination is Termination.BOARD_FULL
    assert judgement.contradictions() == []
    if about == "Bb2":
        # The turn that ended the game comes before the cut.
        assert (judgement.cut, len(judgement.turns)) == ("", 7)
        return
    number = 1 + lines.index('# {"cut": true}')
    end = "the game cannot be judged from there on"
    assert judgement.cut == facts(judgement)["cut"] == f"the log was cut at line {number}: {end}"
    assert judgement.turns == ["Bb1", "Wc2", "Bc1"]
    changed = text.replace('["white", "Wc2"', '["white", "Wa3"')
    (said,) = judge(changed.splitlines()).contradictions()
    assert said == "the record has 7 turns, but the wire shows others"


async def test_standard_error_and_strange_bytes_are_in_the_log_and_harmless(tmp_path):
    text = (await logs(tmp_path, "--fault", "crash"))[0]
    assert " 2 ! fake: about to crash\n" in text
    (tmp_path / "more").mkdir()
    text = (await logs(tmp_path / "more", "--fault", "binary"))[0]
    assert r" 2 < \x00\xff\x1b[2J" in text


@given(st.binary())
def test_any_bytes_are_shown_on_one_line_and_can_be_told_apart(data):
    shown = log_line(data)
    assert shown.isprintable()
    restored = shown.encode("utf-8").decode("unicode_escape") if shown.isascii() else None
    if restored is not None and data.isascii():
        assert restored.encode("latin-1") == data


@pytest.mark.parametrize("direction", [">", "<", "!"])
@pytest.mark.parametrize("length", [1, 512, 2048])
def test_a_long_line_is_one_line_of_the_log(direction, length):
    log, sink = log_in_memory()
    said = b"x" * 2500 + b"\ny\nz"
    for at in range(0, len(said), length):
        log.data(0, direction, said[at : at + length], 1.0 + at)
    log.outcome({})
    one, *others, _ = [
        line.partition(f" 1 {direction} ")[2] for line in sink.getvalue().splitlines()
    ]
    assert (one, others) == ("x" * 2000 + " (500 bytes more)", ["y", "z"])


def test_long_lines_and_long_logs_are_cut():
    log, sink = log_in_memory()
    log.data(0, "<", b"x" * (MAX_LINE_LENGTH + 5) + b"\n", 1.0)
    assert sink.getvalue().endswith("x (5 bytes more)\n")
    for _ in range(6_000):
        log.data(0, "<", b"y" * MAX_LINE_LENGTH + b"\n", 1.0)
    log.outcome({"score": "W+F"})
    assert len(sink.getvalue()) < 9 * 1024 * 1024
    assert json.loads(sink.getvalue().splitlines()[-1][2:]) == {"outcome": {"score": "W+F"}}


def test_nothing_is_judged_from_a_cut_on():
    answer = ["1 > 7 genmove black", "1 < =7 Bb1", "1 < "]
    stamped = [f"    0.100000 {line}" for line in answer]
    assert judge([HEADER, *stamped]).turns == ["Bb1"]
    for lines in ([*stamped, '# {"cut": true}'], ['# {"cut": true}', *stamped]):
        judgement = judge([HEADER, *lines])
        assert (judgement.turns, judgement.cut != "") == ([], True)


def test_a_hostile_name_cannot_lead_out_of_the_directory(tmp_path):
    game = ScheduledGame(1, create_game("yodd", 8), 0, "../../etc/passwd", "\x1b[31m<b>", 7, "0123")
    assert log_path(tmp_path, game) == tmp_path / "00001-yodd-8-..-..-etc-passwd-31m-b.log"


LONG = "an engine with a long name " * 8


@pytest.mark.parametrize("names", [("good", "bad"), (LONG, LONG + "2")], ids=["short", "long"])
@pytest.mark.parametrize("other", ["0123-2", "4567"], ids=["a replay", "another event"])
def test_a_log_never_replaces_that_of_another_game(tmp_path, names, other):
    game = ScheduledGame(1, create_game("odd", 2), 0, *names, 7, "0123")
    path = log_path(tmp_path, game)
    path.write_text('# {"id": "0123"}\n')
    assert log_path(tmp_path, game) == path
    another = log_path(tmp_path, replace(game, id=other))
    assert another != path
    another.write_text(f'# {{"id": "{other}"}}\n')
    assert log_path(tmp_path, replace(game, id=other)) == another
    for text in ("not a log\n", "# []\n", "# {}\n"):
        path.write_text(text)
        assert log_path(tmp_path, game) != path
    path.write_text("")
    assert log_path(tmp_path, game) == path


DEEP = "[" * 200_000


def outcome_line(**changes):
    """The last line of a log of a game that nobody could finish, with changes."""
    record = GameRecord(create_game("odd", 2), ("a", "b"), ("", ""), 1, (), abandoned("a flood"))
    return f"# {json.dumps({'outcome': {**record.as_json(), **changes}})}\n"


def test_an_outcome_is_read():
    assert judge(lines_of(io.StringIO(HEADER + outcome_line()))).recorded.outcome.score == "void"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: not the header"),
        ("hello\n", "line 1: not the header"),
        (HEADER.replace("1,", "9,", 1), "line 1: wire log version 9"),
        (HEADER.replace("odd", "chess"), "line 1: not the header"),
        (HEADER + "rubbish\n", "line 2: 'rubbish' is not a line of a wire log"),
        (HEADER + "# {}\n", "line 2: not the outcome"),
        (f"# {DEEP}\n", "line 1: not the header"),
        (HEADER.replace("{}", '{}, "opening": [[1]]'), "line 1: not the header"),
        (f"{HEADER}# {DEEP}\n", "line 2: not the outcome"),
        (HEADER + '# {"wait": [1e999, 0, 0]}\n', "line 2: not the outcome"),
        (HEADER + outcome_line(winner_index=5), "line 2: not the outcome"),
        (HEADER + outcome_line(score=7), "line 2: not the outcome"),
        (HEADER + outcome_line(turns=[["black", "Bb1", "soon"]]), "line 2: not the outcome"),
        (HEADER + "x" * (MAX_READ_LENGTH + 1), "line 2 is longer than 1,000,000 characters"),
    ],
    ids=lambda text: text[-40:],
)
def test_what_is_no_log_is_refused_with_its_line(text, words):
    with pytest.raises(WireLogError, match=words):
        judge(lines_of(io.StringIO(text)))


async def test_lag_is_the_worst_lateness_while_watched(autojump_clock):
    meter = LagMeter()
    before = meter.watch()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(meter.beat)
        await trio.sleep(1)
        nursery.cancel_scope.cancel()
    assert before.end() == 0
    watch = meter.watch()
    for late in (0.01, 0.2, 0.05):
        meter.note(late)
    assert watch.end() == 0.2
    meter.note(1.0)
    assert watch.worst == 0.2


async def test_a_beat_that_is_still_to_come_counts_when_the_watch_ends(mock_clock):
    watch = LagMeter().watch()
    mock_clock.jump(1.5)
    assert watch.end() == pytest.approx(1.48)


def test_standard_error_cannot_crowd_out_the_conversation():
    log, sink = log_in_memory()
    for _ in range(3_000):
        log.data(0, "!", b"\n" * 65_536, 1.0)
    log.data(0, "<", b"=1 Bb1\n\n", 2.0)
    log.outcome({})
    lines = sink.getvalue().splitlines()
    assert len(sink.getvalue()) < 2 * 1024 * 1024
    assert lines[-3] == "    2.000000 1 < =1 Bb1"
    assert any("bytes more)" in line for line in lines)
