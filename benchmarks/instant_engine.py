"""The instant engine for machines without a C compiler: `instant_engine.py SCRIPT`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

COMMANDS = (
    "protocol_version name version list_commands set_game boardsize clear_board "
    "play genmove time_left time_control quit"
)
ANSWERS = {
    "protocol_version": "2",
    "name": "instant",
    "list_commands": COMMANDS.replace(" ", "\n"),
}


def main() -> None:
    """Answer from the script until `quit`."""
    turns = Path(sys.argv[1]).read_text(encoding="utf-8").split()
    played, held = 0, ""
    while data := os.read(0, 65_536):
        *lines, held = (held + data.decode()).split("\n")
        output = ""
        for line in lines:
            identity, name = line.split(" ")[:2]
            answer = ANSWERS.get(name, "")
            if name in ("boardsize", "clear_board"):
                played = 0
            elif name in ("play", "genmove"):
                answer = turns[played] if name == "genmove" else ""
                played += 1
            output += f"={identity} {answer}\n\n"
            if name == "quit":
                os.write(1, output.encode())
                return
        os.write(1, output.encode())


if __name__ == "__main__":
    main()
