"""The command streams in tests/data/gogui, read as commands with their replies."""

import gzip
import re
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).parents[2] / "data" / "gogui"

_SENT = re.compile(r" *(?:\d+\.\d+ )?> (.*)")
_REPLY = re.compile(r" +< ([=?]) ?(.*)")


@dataclass
class Recorded:
    """A command and the reply it got then."""

    sent: str
    ok: bool = True
    text: str = ""


def read_stream(name: str) -> list[Recorded]:
    """The exchanges of a stream, in order; lines that begin with # are remarks."""
    path = DATA / name
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    exchanges: list[Recorded] = []
    for line in data.decode().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if found := _SENT.fullmatch(line):
            exchanges.append(Recorded(found[1]))
        elif found := _REPLY.fullmatch(line):
            exchanges[-1].ok, exchanges[-1].text = found[1] == "=", found[2]
        else:
            exchanges[-1].text += "\n" + line.strip()
    return exchanges
