#!/usr/bin/env python3
"""An engine that joins an arena by itself and plays Odd at random: docs/reference/arena-wire.md.

pip install websockets
python3 join.py ws://localhost:8800/arena "my first" ann
"""

import base64
import json
import os
import random
import sys
import time
from hashlib import sha512
from pathlib import Path
from urllib.parse import urlsplit

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

URL, NAME, OWNER = sys.argv[1:4]
PORT = {"ws": ":80", "wss": ":443"}[urlsplit(URL).scheme]
HOST = urlsplit(URL).netloc.lower().removesuffix(PORT)
answers: dict[tuple[str, int], tuple[str, float]] = {}
"""What was answered to `go`: the same question gets the same answer."""
games: dict[str, tuple[int, set[str]]] = {}
"""The size of each game's board and the cells with stones."""

# The key, and its signatures: Ed25519 as in RFC 8032, without tables and tricks.
P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
Y = 4 * pow(5, -1, P) % P
X = 15112221349535400772501151409588531511454012693041857206046113283949847762202


def times(number: int, x: int = X, y: int = Y) -> bytes:
    """Return a multiple of a point of the curve, by doubling and adding."""
    a, b = 0, 1
    while number:
        if number & 1:
            a, b = plus(a, b, x, y)
        x, y = plus(x, y, x, y)
        number >>= 1
    return (b | (a & 1) << 255).to_bytes(32, "little")


def plus(a: int, b: int, x: int, y: int) -> tuple[int, int]:
    """Return the sum of two points of the curve."""
    t = D * a * b * x * y
    return (a * y + b * x) * pow(1 + t, -1, P) % P, (b * y + a * x) * pow(1 - t, -1, P) % P


def hashed(*parts: bytes) -> int:
    """Return SHA-512 as a number."""
    return int.from_bytes(sha512(b"".join(parts)).digest(), "little")


def sign(secret: bytes, message: bytes) -> tuple[bytes, bytes]:
    """Return the public key, and the signature of a message."""
    scalar = (hashed(secret) & ((1 << 254) - 8)) | 1 << 254
    key, r = times(scalar), hashed(sha512(secret).digest()[32:], message) % ORDER
    first = times(r)
    return key, first + ((r + hashed(first, key, message) * scalar) % ORDER).to_bytes(32, "little")


def own_secret() -> bytes:
    """Return the secret key, which is made when it is missing."""
    path = Path(f"{OWNER}.key")
    if not path.exists():
        path.touch(0o600, exist_ok=False)
        path.write_bytes(os.urandom(32))
    return path.read_bytes()


def join(hello: dict) -> dict:
    """Return the answer to `hello`, with the pools of Odd on hexhex boards."""
    text = f"oddly-arena.1\n{hello['nonce']}\n{HOST}\n{NAME}\n"
    key, proof = (base64.urlsafe_b64encode(part).decode().rstrip("=")
                  for part in sign(own_secret(), text.encode()))  # fmt: skip
    odd = [pool for pool in hello["pools"] if pool["game"] == "odd"]
    pools = [pool["pool"] for pool in odd if pool["settings"].get("board", "hexhex") == "hexhex"]
    return {"type": "join", "name": NAME, "family": NAME.split()[0], "owner": OWNER, "key": key,
            "proof": proof, "program": "join.py 1", "pools": pools}  # fmt: skip


def choose(game: str) -> str:
    """Return a stone of any colour on any empty cell: that is legal in Odd."""
    size, stones = games[game]
    inside = range(1 - size, size)
    cells = {f"{chr(ord('a') + q + size - 1)}{r + size}"
             for q in inside for r in inside if abs(q + r) < size}  # fmt: skip
    return random.choice("BW") + random.choice(sorted(cells - stones))


def answer(said: dict) -> list[dict]:
    """Return what to say to a message of the arena."""
    game = said.get("id", "")
    match said["type"]:
        case "hello":
            return [join(said)]
        case "ping":
            return [{"type": "pong", "id": game}]
        case "welcome":
            print(said["page"], flush=True)
            return [] if said.get("game") else [{"type": "ready"}]
        case "start":
            games[game] = said["size"], {turn[1:] for turn in said["turns"]}
            return [{"type": "set", "id": game}]
        case "go" if game in games:
            games[game][1].update(turn[1:] for turn in said["last"])
            key, began = (game, said["number"]), time.monotonic()
            if key not in answers:
                answers[key] = choose(game), time.monotonic() - began
            turn, took = answers[key]
            games[game][1].add(turn[1:])
            return [{"type": "turn", "id": game, "number": key[1], "turn": turn, "took": took}]
        case "end":
            print(game, said["score"], said["reason"], flush=True)
            return [{"type": "ended", "id": game}, {"type": "ready"}]
        case "refused" if said["again"] is None:
            sys.exit(said["reason"])
        case "note":
            print(said["text"], flush=True)
    return []


pause = 0.2
while True:
    try:
        with connect(URL, subprotocols=["oddly-arena.1"], compression=None) as socket:
            for text in socket:
                said = json.loads(text)
                if said["type"] == "welcome":
                    pause = 0.2
                for message in answer(said):
                    socket.send(json.dumps(message))
    except (OSError, WebSocketException) as error:
        print(error, file=sys.stderr)
    time.sleep(pause * random.uniform(0.5, 1.5))
    pause = min(60, 2 * pause)
