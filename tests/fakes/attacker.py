"""An engine that attacks: `python attacker.py ATTACK ARGUMENT`, at its second genmove.

Apart from that it is `composed.py`. `kill` and `quit` go for every process whose command line has
the argument in it, `parent` for its own parent, `write` for a file, `connect` for a port of this
machine, `message` for a socket in the file system.
"""

from __future__ import annotations

import os
import runpy
import signal
import socket
import sys
from pathlib import Path

ATTACK, ARGUMENT = sys.argv[1:]


def rivals() -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        # The walls that stand around the attacker have its command line as well, and its pipes.
        if ARGUMENT in words and __file__ not in words:
            found.append(int(path.name))
    return found


def attack() -> None:
    match ATTACK:
        case "kill":
            for pid in rivals():
                os.kill(pid, signal.SIGKILL)
        case "quit":
            for pid in rivals():
                fd = os.open(f"/proc/{pid}/fd/0", os.O_WRONLY)
                os.write(fd, b"quit\n")
        case "parent":
            for _ in range(2):
                os.kill(os.getppid(), signal.SIGTERM)
        case "write":
            Path(ARGUMENT).write_text("attacked")
        case "connect":
            socket.create_connection(("127.0.0.1", int(ARGUMENT)), 1).sendall(b"attacked")
        case "message":
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(ARGUMENT)
                client.sendall(b"attacked")


def carefully() -> None:
    try:
        attack()
    except OSError as error:
        sys.stderr.write(f"{error}\n")


COMPOSED = Path(__file__).with_name("composed.py")
sys.argv = [str(COMPOSED), "[]"]
module = runpy.run_path(str(COMPOSED), run_name="composed")
module["CALLS"]["attack"] = carefully
module["Engine"]([["ask2", ["attack"]]]).serve()
