"""Every session in the docs is true: a live engine answers so over pipes."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from oddly.engines.dispatcher import Dispatcher
from oddly.engines.engine import create_engine
from oddly.engines.kernels.jit import NOTICE
from oddly.games.catalogue import create_game
from tools.transcript import RecordedExchange, Transcript, find_transcripts

DOCS = Path(__file__).parents[2] / "docs"

TRANSCRIPTS = [
    pytest.param(transcript, id=f"{page.name}:{transcript.line}")
    for page in sorted(DOCS.rglob("*.md"))
    for transcript in find_transcripts(page.read_text(encoding="utf-8"))
]


def replies(output: str) -> list[str]:
    """Whole replies, each without its closing empty line."""
    assert output.endswith("\n\n")
    return output.removesuffix("\n\n").split("\n\n")


def check(transcript: Transcript, output: str) -> None:
    got = replies(output)
    assert len(got) == len(transcript.exchanges)
    for exchange, reply in zip(transcript.exchanges, got, strict=True):
        assert exchange.matches(reply), f"line {exchange.line}: {exchange.sent!r} gave {reply!r}"


def sent(transcript: Transcript) -> bytes:
    return "".join(exchange.sent + "\n" for exchange in transcript.exchanges).encode()


@pytest.mark.parametrize("transcript", TRANSCRIPTS)
def test_against_a_live_engine(transcript):
    settings = {"game": "yodd", "size": "3", **transcript.settings}
    words = [sys.executable, "-m", "oddly", "engine", "random"]
    words += [word for name, value in settings.items() for word in (f"--{name}", value)]
    done = subprocess.run(words, input=sent(transcript), capture_output=True)
    assert done.returncode == 0
    # The solver may have to be compiled first.
    assert done.stderr in (b"", f"oddly: {NOTICE}\n".encode())
    check(transcript, done.stdout.decode())


def test_the_spec_shows_every_command_at_work():
    spec = (DOCS / "reference" / "protocol.md").read_text(encoding="utf-8")
    shown = {
        word
        for transcript in find_transcripts(spec)
        for exchange in transcript.exchanges
        for word in exchange.sent.split()[:2]
    }
    known = set(Dispatcher(create_engine("random"), create_game("yodd", 2)).handlers)
    assert known - shown == set()
    assert [name for name in known if f"| `{name}` |" not in spec] == []


def test_a_block_becomes_exchanges_with_their_lines():
    text = "a\n```transcript game=odd size=3\n> 1 name\n=1 random\n\n> x\n? y\n...\n```\n"
    (transcript,) = find_transcripts(text)
    assert (transcript.line, transcript.settings) == (2, {"game": "odd", "size": "3"})
    first, second = transcript.exchanges
    assert (first.line, first.sent, first.expected) == (3, "1 name", ("=1 random",))
    assert first.matches("=1 random")
    assert not first.matches("=1 random\nmore")
    assert second.matches("? y\nand\nso on")
    assert not second.matches("? z")


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.name)
def test_no_block_that_is_meant_as_a_session_is_overlooked(page):
    text = page.read_text(encoding="utf-8")
    meant = re.findall(r"^[ \t]*(?:```+|~~~+)[ \t]*transcript", text, re.MULTILINE | re.IGNORECASE)
    transcripts = find_transcripts(text)
    assert len(transcripts) == len(meant)
    for transcript in transcripts:
        assert transcript.exchanges
        assert all(exchange.expected for exchange in transcript.exchanges)


@pytest.mark.parametrize(
    ("expected", "reply", "matches"),
    [
        (("...",), "= anything\nat all", True),
        (("= a", "..."), "= a", True),
        (("= a", "..."), "= a\nb", True),
        (("= a", "..."), "= ab", False),
        (("= a", "b"), "= a\nb", True),
        (("= a", "b"), "= a", False),
        (("=",), "=", True),
        (("=",), "= ", False),
        (("=", "a"), "= \na", True),
        (("=", "a"), "= \n a", False),
    ],
)
def test_dots_stand_for_the_rest_of_a_reply_and_all_else_is_verbatim(expected, reply, matches):
    assert RecordedExchange(1, "x", expected).matches(reply) is matches


def test_other_blocks_are_no_sessions():
    assert find_transcripts("```sh\n> x\n```\n\n> quoted\n") == []


def test_a_line_that_belongs_to_no_command_is_refused():
    with pytest.raises(ValueError, match="line 2: 'hello'"):
        find_transcripts("```transcript\nhello\n```\n")
