"""The example engines and the conformance vectors agree: all is asked over the protocol.

By default every language gets a part of the lines, which the commit chooses; `--soak` gives all.
"""

import json
import subprocess
from urllib.parse import unquote_to_bytes

import pytest

from tests.examples.languages import LANGUAGES, ROOT
from tests.sampling import sample_number
from tools.transcript import RecordedExchange

VECTORS = ROOT / "tools" / "vectors"
PART = 8
"""By default one line of so many."""
MAX_LISTED = {"Python": 5000, "JavaScript": 5000, "awk": 500}
"""Legal turns beyond which these would take long."""
OPTIONAL = {"setup", "game_over", "evaluate", "analyze"}
"""Commands that have sessions of their own, which an engine without them skips."""
MODULUS = 2**31 - 1

each_language = pytest.mark.parametrize("language", LANGUAGES, ids=lambda each: each.name)


def lines_of(name: str) -> list[dict]:
    text = (VECTORS / f"{name}.jsonl").read_text(encoding="ascii")
    return [json.loads(line) for line in text.splitlines()]


def part_of(lines: list[dict], language) -> list[dict]:
    start = (sample_number() + LANGUAGES.index(language)) % PART
    return lines[start::PART]


def set_up(line: dict, turns: str) -> list[str]:
    """The commands that lead to a position."""
    settings = {"odd": f" board {line['board']} min_group {line['min_group']}"}
    settings["ayu"] = f" pie {str(line['pie']).lower()}"
    commands = [f"set_game {line['game']}{settings.get(line['game'], '')}"]
    commands.append(f"boardsize {line['size']}")
    colour = "b"
    for turn in turns.split():
        commands.append(f"play {colour} {turn}")
        if turn != "swap":
            colour = "w" if colour == "b" else "b"
    return commands


def ask(language, commands: list[str]) -> list[str]:
    """The replies to all commands, which are sent in one write."""
    language.ready()
    done = subprocess.run(
        language.full, input="\n".join([*commands, "quit", ""]), text=True, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    replies = done.stdout.removesuffix("\n\n").split("\n\n")
    assert len(replies) == len(commands) + 1
    return replies[:-1]


def checksum(turn: str) -> int:
    value = 0
    for byte in turn.encode("ascii"):
        value = (value * 257 + byte) % MODULUS
    return value


def positions_are_right(language, lines: list[dict]) -> None:
    lines = [each for each in lines if each["legal_count"] <= MAX_LISTED.get(language.name, 10**6)]
    commands: list[str] = []
    ends = []
    for line in lines:
        commands += set_up(line, line["turns"])
        commands += ["group_counts", "final_score", "legal_turns"]
        ends.append(len(commands))
    replies = ask(language, commands)
    begin = 0
    for line, end in zip(lines, ends, strict=True):
        *played, counts, score, legal = replies[begin:end]
        begin = end
        assert set(played) == {"="}, line
        assert counts == f"= {line['black_groups']} {line['white_groups']}", line
        assert score == (f"= {line['result']}" if line["result"] else "? game is not over"), line
        turns = legal[1:].split()
        assert len(turns) == len(set(turns)) == line["legal_count"], line
        assert sum(map(checksum, turns)) % MODULUS == line["legal_checksum"], line
        assert set(line["legal"].split()) <= set(turns), line


def refusals_are_right(language, lines: list[dict]) -> None:
    commands: list[str] = []
    asked = []
    for line in lines:
        commands += set_up(line, line["turns"])
        asked.append(len(commands))
        commands.append(f"play {line['colour']} {line['turn']}")
    replies = ask(language, commands)
    for line, index in zip(lines, asked, strict=True):
        assert replies[index].startswith("? illegal move"), line
    assert set(replies) - {replies[index] for index in asked} == {"="}


def games_are_right(language, lines: list[dict]) -> None:
    commands: list[str] = []
    expected: list[str] = []
    for line in lines:
        start = set_up(line, "")
        turns = set_up(line, line["turns"])[len(start) :]
        commands += start
        expected += ["="] * len(start)
        for turn, groups in zip(turns, line["groups"].split(), strict=True):
            commands += [turn, "group_counts"]
            expected += ["=", f"= {groups.replace(',', ' ')}"]
        commands.append("final_score")
        expected.append(f"= {line['result']}")
    for command, reply, right in zip(commands, ask(language, commands), expected, strict=True):
        assert RecordedExchange(0, command, (right,)).matches(reply), (command, reply, right)


def sessions_are_right(language, lines: list[dict]) -> None:
    known = ask(language, ["list_commands"])[0].split()
    lines = [line for line in lines if line["about"] not in OPTIONAL or line["about"] in known]
    commands = [line["commands"].split("; ") for line in lines]
    expected = [reply for line in lines for reply in line["replies"].split("; ")]
    replies = ask(language, [command for each in commands for command in each])
    for reply, right in zip(replies, expected, strict=True):
        assert reply == right if right.startswith("=") else reply.startswith(right), (reply, right)


RIGHT = {
    "positions": positions_are_right,
    "illegal": refusals_are_right,
    "games": games_are_right,
    "sessions": sessions_are_right,
}


@pytest.mark.sampled
@each_language
def test_a_part_of_the_vectors(language):
    for name, are_right in RIGHT.items():
        are_right(language, part_of(lines_of(name), language))


@pytest.mark.soak
@each_language
def test_all_vectors(language):
    for name, are_right in RIGHT.items():
        are_right(language, lines_of(name))


def heads(command: tuple[str, ...], data: bytes) -> list[str]:
    """The replies to these bytes and the end of the input, failures without their texts."""
    done = subprocess.run(command, input=data, capture_output=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, b"")
    replies = done.stdout.decode("ascii").split("\n\n")[:-1]
    return [reply.split()[0] if reply.startswith("?") else reply for reply in replies]


@each_language
def test_all_framing(language):
    language.ready()
    together, its_replies, cases = b"", [], []
    for line in lines_of("commands"):
        sent, replies = unquote_to_bytes(line["bytes"]), line["replies"].split("; ")
        if sent.endswith(b"\n"):
            together, its_replies = together + sent, its_replies + replies
        else:
            # The end of the input is what counts here.
            cases.append((sent, list(filter(None, replies))))
    assert len(cases) == 3
    for sent, right in [(together, its_replies), *cases]:
        assert heads(language.full, sent) == right
        # It does not know these commands.
        assert heads(language.tiny, sent) == ["?" + reply.split()[0][1:] for reply in right]


@each_language
def test_all_notation(language):
    """On the empty board every text is refused, as malformed or as illegal, or played."""
    lines = [line for line in lines_of("notation") if line["kind"] != "resign"]
    commands = ["set_game yodd", "boardsize 13"]
    for line in lines:
        commands += ["clear_board", f"play b {line['text']}"]
    for line, reply in zip(lines, ask(language, commands)[3::2], strict=True):
        assert reply.startswith("? syntax error") == (line["kind"] == "malformed"), (line, reply)
