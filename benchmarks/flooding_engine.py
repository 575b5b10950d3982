"""An engine that floods the referee before its answers: `flooding_engine.py KIND SCRIPT`.

It plays the turns of SCRIPT, one a line, as `instant_engine.c` does.
"""

import os
import sys
from pathlib import Path

MEGABYTE = 1 << 20
COMMANDS = "protocol_version name version list_commands clear_board play genmove quit"


FLOODS = {
    "short lines in a reply": (1, [b"=%s " + b"a\n" * (MEGABYTE // 2)]),
    "empty lines": (1, [b"\n" * MEGABYTE]),
    "controls in a reply": (1, [b"=%s a" + b"\x01\n\x02b" * (MEGABYTE // 4)]),
    "replies to nothing": (1, [b"=\n\n" * (MEGABYTE // 3)]),
    "a long reply": (1, [b"=%s " + (b"x" * 60_000 + b"\n") * 17]),
    "newlines on standard error": (2, [b"\n" * MEGABYTE]),
    "bytes on standard error": (2, [bytes(range(256)) * (4 * MEGABYTE // 256)]),
    "single bytes": (1, [b"=%s ", *[b"x"] * 2_000]),
    "an answer in other words": (1, [b"=%s wK5,bK6 and more\n\n"]),
}
"""What is written before each answer, as fast as it is read, and where to."""


def flood(kind: str, number: str) -> None:
    """Write what `kind` says; `number` is the id of the question."""
    fd, pieces = FLOODS.get(kind, (1, []))
    for piece in pieces:
        write(fd, piece.replace(b"%s", number.encode(), 1))


def write(fd: int, data: bytes) -> None:
    """Write all of `data`."""
    while data:
        data = data[os.write(fd, data[:65_536]) :]


def main() -> None:
    """Answer commands until `quit`."""
    kind, script = sys.argv[1:]
    turns = Path(script).read_text(encoding="utf-8").split()
    played = 0
    for line in sys.stdin:
        number, name, *_ = line.split()
        text = ""
        if name == "list_commands":
            text = COMMANDS.replace(" ", "\n")
        elif name == "protocol_version":
            text = "2"
        elif name == "clear_board":
            played = 0
        elif name == "play":
            played += 1
        elif name == "genmove":
            flood(kind, number)
            text = turns[played]
            played += 1
        write(1, f"={number} {text}\n\n".encode())
        if name == "quit":
            return


if __name__ == "__main__":
    main()
