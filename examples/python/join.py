"""Joins an arena and plays Odd at random: python3 join.py ws://localhost:8770/arena "my first"."""

import json
import random
import sys
import time
from contextlib import suppress
from urllib.parse import urlsplit

from ed25519 import signed_by
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

URL, NAME = sys.argv[1:]
HOST = urlsplit(URL).netloc.lower().removesuffix(":80" if URL.startswith("ws:") else ":443")
OPTIONS = {"subprotocols": ["oddly-arena.1"], "compression": None}
game = {}  # the start of the game that runs, with all its turns


def join(hello):
    key, proof = signed_by(f"{NAME}.key", f"oddly-arena.1\n{hello['nonce']}\n{HOST}\n{NAME}\n")
    odd = [pool["pool"] for pool in hello["pools"] if pool["settings"].get("board") == "hexhex"]
    return {"name": NAME, "family": NAME, "owner": "", "key": key, "proof": proof, "pools": odd}


def turn(number, last):
    began, size, turns = time.monotonic(), int(game["size"]), game["turns"]
    turns[number - len(last) :] = last  # the last is turn `number`, and the first may be known
    rows = range(1 - size, size)
    cells = [f"{chr(96 + size + q)}{size + r}" for q in rows for r in rows if abs(q + r) < size]
    free = [cell for cell in cells if cell not in {stone[1:] for stone in turns}]
    draw = random.Random(f"{game['seed']} {number}")  # the same question gets the same answer
    turns.append(draw.choice("BW") + draw.choice(free))
    return {"number": number, "turn": turns[-1], "took": time.monotonic() - began}


def answers(said):
    match said["type"]:
        case "hello":
            return {"join": join(said)}
        case "ping":
            return {"pong": {}}
        case "welcome" if said.get("game") is None:
            return {"ready": {}}
        case "start":
            return game.update(said) or {"set": {}}
        case "go" if said["id"] == game.get("id"):
            return {"turn": turn(int(said["number"]), said["last"])}
        case "end":
            return {"ended": {}, "ready": {}}
        case "refused":
            sys.exit(said["reason"])


while True:
    with suppress(OSError, WebSocketException), connect(URL, **OPTIONS) as socket:
        for said in map(json.loads, socket):
            for kind, members in (answers(said) or {}).items():
                socket.send(json.dumps({"type": kind, "id": said.get("id"), **members}))
    time.sleep(random.uniform(0.5, 1.5))
