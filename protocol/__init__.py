"""The protocol between referee and engines: GTP 2 framing, our turns, clocks and options.

No module here does input or output, and none imports trio. What is named here is what other
programs may build on; each name is imported when it is used.
"""

from typing import TYPE_CHECKING

from games.exports import importer

if TYPE_CHECKING:
    from protocol.analysis import Analysis, RankedTurn, parse_analysis
    from protocol.codec import CommandDecoder, ReplyDecoder, encode_command, encode_reply
    from protocol.errors import (
        LocalProtocolError,
        NotationError,
        ProtocolError,
        RemoteProtocolError,
    )
    from protocol.messages import Command, MalformedCommand, Reply, Resign
    from protocol.notation import parse_answer, parse_colour, parse_turn, parse_vertex
    from protocol.time_control import NO_CLOCK, TimeControl, TimeKind, parse_time_control

__all__ = [
    "NO_CLOCK",
    "Analysis",
    "Command",
    "CommandDecoder",
    "LocalProtocolError",
    "MalformedCommand",
    "NotationError",
    "ProtocolError",
    "RankedTurn",
    "RemoteProtocolError",
    "Reply",
    "ReplyDecoder",
    "Resign",
    "TimeControl",
    "TimeKind",
    "encode_command",
    "encode_reply",
    "parse_analysis",
    "parse_answer",
    "parse_colour",
    "parse_time_control",
    "parse_turn",
    "parse_vertex",
]

_HOMES = {
    "NO_CLOCK": "protocol.time_control",
    "Analysis": "protocol.analysis",
    "Command": "protocol.messages",
    "CommandDecoder": "protocol.codec",
    "LocalProtocolError": "protocol.errors",
    "MalformedCommand": "protocol.messages",
    "NotationError": "protocol.errors",
    "ProtocolError": "protocol.errors",
    "RankedTurn": "protocol.analysis",
    "RemoteProtocolError": "protocol.errors",
    "Reply": "protocol.messages",
    "ReplyDecoder": "protocol.codec",
    "Resign": "protocol.messages",
    "TimeControl": "protocol.time_control",
    "TimeKind": "protocol.time_control",
    "encode_command": "protocol.codec",
    "encode_reply": "protocol.codec",
    "parse_analysis": "protocol.analysis",
    "parse_answer": "protocol.notation",
    "parse_colour": "protocol.notation",
    "parse_time_control": "protocol.time_control",
    "parse_turn": "protocol.notation",
    "parse_vertex": "protocol.notation",
}

__getattr__ = importer(globals(), _HOMES)
