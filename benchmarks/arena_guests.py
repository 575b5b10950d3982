"""Many engines' sides in one process, which replay a recorded game: `arena.py` runs this."""

from __future__ import annotations

import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import trio
from trio_websocket import open_websocket_url

from oddly.arena import SUBPROTOCOL
from oddly.arena.wire.proof import prove, public_key


class InstantGuest:
    """An engine's side that knows each turn before it is asked."""

    def __init__(
        self, url: str, number: int, turns: list[str], thinks: float, *, is_idle: bool
    ) -> None:
        self.name = f"guest {number}x"
        self._url, self._turns, self._thinks, self._is_idle = url, turns, thinks, is_idle
        self._secret = sha256(self.name.encode()).digest()

    async def play(self) -> None:
        """Play for ever."""
        async with open_websocket_url(self._url, subprotocols=[SUBPROTOCOL]) as socket:
            while True:
                said = json.loads(await socket.get_message())
                for answer in await self._answers(said):
                    await socket.send_message(json.dumps(answer))

    async def _answers(self, said: dict[str, Any]) -> list[dict[str, Any]]:
        identity = said.get("id")
        match said["type"]:
            case "hello":
                return [self._join(said["nonce"])]
            case "welcome" if not self._is_idle:
                return [{"type": "ready"}]
            case "ping":
                return [{"type": "pong", "id": identity}]
            case "start":
                return [{"type": "set", "id": identity}]
            case "go":
                await trio.sleep(self._thinks)
                number = said["number"]
                return [{"type": "turn", "id": identity, "number": number,
                         "turn": self._turns[number], "took": self._thinks}]  # fmt: skip
            case "end":
                return [{"type": "ended", "id": identity}, {"type": "ready"}]
        return []

    def _join(self, nonce: str) -> dict[str, Any]:
        host = urlsplit(self._url).netloc
        return {"type": "join", "name": self.name, "family": self.name, "owner": "",
                "key": public_key(self._secret),
                "proof": prove(self._secret, nonce, host, self.name)}  # fmt: skip


async def play_all(url: str, script: Path, players: int, idle: int, thinks: float) -> None:
    """Let all of them play."""
    turns = script.read_text(encoding="utf-8").split("\n")
    async with trio.open_nursery() as nursery:
        for number in range(players + idle):
            guest = InstantGuest(url, number, turns, thinks, is_idle=number >= players)
            nursery.start_soon(guest.play)
            await trio.sleep(0.01)


if __name__ == "__main__":
    URL, SCRIPT, PLAYERS, IDLE, THINKS = sys.argv[1:]
    trio.run(play_all, URL, Path(SCRIPT), int(PLAYERS), int(IDLE), float(THINKS))
