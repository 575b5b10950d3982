"""The codec: GTP 2's framing to the letter, any bytes in any pieces, bounded memory."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.protocol.codec import (
    MAX_LINE,
    CommandDecoder,
    ReplyDecoder,
    encode_command,
    encode_reply,
)
from oddly.protocol.messages import (
    Command,
    LocalProtocolError,
    MalformedCommand,
    RemoteProtocolError,
    Reply,
)

# Bytes that mean something to the protocol are drawn far more often than the rest.
BYTES = st.lists(
    st.one_of(
        st.sampled_from(
            [b"\n", b" ", b"=", b"?", b"#", b"\t", b"\r", b"\0", b"\xff", b"1", b"name"]
        ),
        st.binary(max_size=4),
    ),
    max_size=60,
).map(b"".join)


def commands(data: bytes, cuts: list[int], **limits: int) -> list[object]:
    decoder = CommandDecoder(**limits)
    events: list[object] = []
    for piece in pieces(data, cuts):
        decoder.feed(piece)
        while (event := decoder.next_event()) is not None:
            events.append(event)
    return events


def replies(data: bytes, cuts: list[int], **limits: int) -> list[object]:
    decoder = ReplyDecoder(**limits)
    events: list[object] = []
    for piece in pieces(data, cuts):
        decoder.feed(piece)
        try:
            while (reply := decoder.next_reply()) is not None:
                events.append(reply)
        except RemoteProtocolError as error:
            events.append((error.reason, error.evidence))
            return events
    return events


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    ends = sorted({min(cut, len(data)) for cut in cuts} | {len(data)})
    return [data[a:b] for a, b in zip([0, *ends], ends, strict=False)]


@given(BYTES, st.lists(st.integers(0, 200)), st.integers(1, 40))
@settings(deadline=None)
def test_commands_do_not_depend_on_how_the_bytes_were_cut(data, cuts, max_line):
    whole = commands(data, [], max_line=max_line)
    assert commands(data, cuts, max_line=max_line) == whole
    assert commands(data, list(range(len(data))), max_line=max_line) == whole


@given(BYTES, st.lists(st.integers(0, 200)), st.integers(1, 40), st.integers(1, 80))
@settings(deadline=None)
def test_replies_do_not_depend_on_how_the_bytes_were_cut(data, cuts, max_line, max_reply):
    limits = {"max_line": max_line, "max_reply": max_reply}
    whole = replies(data, [], **limits)
    assert replies(data, cuts, **limits) == whole
    assert replies(data, list(range(len(data))), **limits) == whole


@given(st.lists(st.binary(min_size=1, max_size=300), max_size=40))
@settings(deadline=None)
def test_a_decoder_keeps_no_more_than_a_line_and_a_reply(chunks):
    commands_decoder, replies_decoder = CommandDecoder(50), ReplyDecoder(50, 200)
    for chunk in chunks:
        commands_decoder.feed(chunk)
        while commands_decoder.next_event() is not None:
            pass
        replies_decoder.feed(b"=" + chunk)
        try:
            while replies_decoder.next_reply() is not None:
                pass
        except RemoteProtocolError:
            pass
        assert len(commands_decoder._lines._rest) <= 50
        assert len(replies_decoder._lines._rest) <= 50
        assert len(replies_decoder._open) <= 200


WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters=" #\\"),
    min_size=1,
    max_size=12,
)


@given(WORDS.filter(lambda name: not name.isdigit()), st.lists(WORDS), st.integers(0, 2**31 - 1))
@settings(deadline=None)
def test_a_command_arrives_as_it_was_sent(name, arguments, number):
    for identity in (number, None):
        command = Command(name, tuple(arguments), identity)
        assert commands(encode_command(command), []) == [command]


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=20)


@given(st.booleans(), st.lists(TEXT, max_size=4), st.one_of(st.none(), st.integers(0, 2**31 - 1)))
@settings(deadline=None)
def test_a_reply_arrives_as_it_was_sent(ok, lines, number):
    (reply,) = replies(encode_reply(Reply(ok, "\n".join(lines), number)), [])
    assert (reply.ok, reply.id) == (ok, number)
    first, *rest = reply.text.split("\n")
    sent_first, *sent_rest = "\n".join(lines).split("\n")
    assert first == sent_first.strip(" ")
    assert rest == [line or " " for line in sent_rest]


@pytest.mark.parametrize(
    ("line", "event"),
    [
        (b"name\n", Command("name")),
        (b"1 name\r\n", Command("name", (), 1)),
        (b"  007\tplay \t b  Bk5  # a comment\n", Command("play", ("b", "Bk5"), 7)),
        (b"na\x00m\x7fe\n", Command("name")),
        (b"2147483647 name\n", Command("name", (), 2**31 - 1)),
        (b"12abc x\n", Command("12abc", ("x",))),
        (b"play b \xff\n", Command("play", ("b", "\\xff"))),
    ],
)
def test_a_line_is_read_as_gtp_says(line, event):
    assert commands(line, []) == [event]


@pytest.mark.parametrize(
    ("line", "number", "reason"),
    [
        (b"12\n", 12, "a command's name at character 3"),
        (b"2147483648 name\n", None, "expected an id from 0 to 2147483647 at character 1"),
        (b"00000000007 name\n", None, "expected an id of at most 10 digits at character 1"),
        (b"9" * 5000 + b" name\n", None, "expected an id of at most 10 digits at character 1"),
    ],
)
def test_a_line_that_is_no_command_says_why_and_keeps_a_readable_id(line, number, reason):
    (event,) = commands(line, [])
    assert isinstance(event, MalformedCommand)
    assert event.id == number
    assert reason in event.reason
    assert len(event.text) <= 200


def test_a_line_that_is_too_long_is_one_event_and_the_next_is_read():
    long, after = commands(b"x" * 100 + b"\nname\n", [], max_line=50)
    assert isinstance(long, MalformedCommand)
    assert "longer than 50 bytes" in long.reason
    assert after == Command("name")


def test_empty_lines_between_replies_mean_nothing():
    data = b"\n\n=0000000001 a\nb\n \nc\n\n\n\n? no\n\n"
    assert replies(data, []) == [Reply(True, "a\nb\n \nc", 1), Reply(False, "no")]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"hello\n", "output that is not a reply"),
        (b" = 1\n", "output that is not a reply"),
        (b"=1x\n\n", "a reply whose first line is not"),
        (b"=00000000007 x\n\n", "a reply whose first line is not"),
        (b"=99999999999 x\n\n", "a reply whose first line is not"),
    ],
)
def test_what_is_no_reply_is_the_peers_fault_ever_after(data, reason):
    decoder = ReplyDecoder()
    decoder.feed(b"= fine\n\n" + data)
    assert decoder.next_reply() == Reply(True, "fine")
    for _ in range(2):
        with pytest.raises(RemoteProtocolError, match=reason) as caught:
            decoder.next_reply()
        assert caught.value.evidence == data.split(b"\n")[0]
        decoder.feed(b"= again\n\n")


@pytest.mark.parametrize("word", ["", "a b", "a\nb", "a#b", "a\tb", "\x00"])
def test_a_word_that_would_not_arrive_is_our_own_fault(word):
    with pytest.raises(LocalProtocolError):
        encode_command(Command("name", (word,)))
    with pytest.raises(LocalProtocolError):
        encode_command(Command(word))


def test_an_id_out_of_range_is_our_own_fault():
    with pytest.raises(LocalProtocolError):
        encode_command(Command("name", (), 2**31))


def test_a_name_that_would_be_read_as_an_id_needs_an_id():
    with pytest.raises(LocalProtocolError, match="would be read as an id"):
        encode_command(Command("12", ("x",)))
    assert commands(encode_command(Command("12", ("x",), 3)), []) == [Command("12", ("x",), 3)]


def test_a_line_that_no_engine_need_read_is_not_sent():
    longest = Command("a" * (MAX_LINE - 1))
    line = encode_command(longest)
    assert (len(line), commands(line, [])) == (MAX_LINE, [longest])
    with pytest.raises(LocalProtocolError, match="65536 is the most"):
        encode_command(Command("a" * MAX_LINE))


def test_characters_outside_unicode_are_not_sent_in_a_command_and_escaped_in_a_reply():
    with pytest.raises(LocalProtocolError, match="UTF-8"):
        encode_command(Command("play", ("b", "\udc80")))
    assert encode_reply(Reply(True, "\udc80")) == b"= \\udc80\n\n"


def test_the_refusal_of_a_reply_that_is_too_long_quotes_its_first_line():
    for data in (b"= 0123456789\n", b"= 012\n345\n678\n"):
        decoder = ReplyDecoder(max_line=100, max_reply=10)
        decoder.feed(data)
        with pytest.raises(RemoteProtocolError, match="a reply longer than 10 bytes") as caught:
            decoder.next_reply()
        assert caught.value.evidence == data.split(b"\n")[0]


def test_a_line_that_is_too_long_is_refused_before_it_ends():
    commands_decoder, replies_decoder = CommandDecoder(10), ReplyDecoder(10)
    commands_decoder.feed(b"x" * 9)
    replies_decoder.feed(b"=" + b"x" * 8)
    assert (commands_decoder.next_event(), replies_decoder.next_reply()) == (None, None)
    # With its line feed, each line has 11 bytes.
    commands_decoder.feed(b"x")
    replies_decoder.feed(b"x")
    assert isinstance(commands_decoder.next_event(), MalformedCommand)
    with pytest.raises(RemoteProtocolError, match="a line longer than 10 bytes"):
        replies_decoder.next_reply()


@pytest.mark.parametrize(
    ("start", "number"),
    [
        (b"7 play b ", 7),
        (b"\r  007\tplay ", 7),
        (b"play 7 ", None),
        (b"0000000007 play ", 7),
        (b"00000000007 play ", None),
        (b"12345678901 play ", None),
        (b"", None),
    ],
)
def test_the_refusal_of_a_line_that_is_too_long_has_its_id(start, number):
    (event,) = commands(start + b"1" * 100 + b"\n", [], max_line=50)
    assert isinstance(event, MalformedCommand)
    assert event.id == number


@given(BYTES)
@settings(deadline=None)
def test_replies_that_any_commands_get_can_be_read(data):
    """Whatever a controller sends, a text made of it travels back as one reply."""
    for event in commands(data, []):
        text = repr(event) if isinstance(event, Command) else f"{event.text} {event.reason}"
        (reply,) = replies(encode_reply(Reply(False, text, event.id)), [])
        assert (reply.ok, reply.id) == (False, event.id)


def test_gogui_finds_the_text_of_a_reply_after_its_first_space():
    assert encode_reply(Reply(True, "\n. X\n. .")) == b"= \n. X\n. .\n\n"
    assert encode_reply(Reply(True, "\n. X", 7)) == b"=7 \n. X\n\n"
    assert encode_reply(Reply(True, "")) == b"=\n\n"


@pytest.mark.parametrize("between", [b"", b"\n\n", b"\r", b"\t\r\n"])
def test_a_stream_without_part_of_a_reply_is_idle(between):
    decoder = ReplyDecoder()
    decoder.feed(between + b"=1 a\n\n")
    assert not decoder.is_idle
    assert decoder.next_reply() == Reply(True, "a", 1)
    decoder.feed(between)
    assert decoder.is_idle


@pytest.mark.parametrize("begun", [b"=", b"?1 a", b"=1 a\n", b"=1 a\n\n", b"nonsense\n", b"\t=\r"])
def test_a_stream_within_a_reply_or_broken_is_not_idle(begun):
    decoder = ReplyDecoder()
    decoder.feed(begun)
    assert not decoder.is_idle
