"""How soon spectators see a turn, how soon a browser has drawn it, and what that costs.

`python -m benchmarks.spectators` serves an arena in this process. A second process holds the
connections of the spectators, each of whom watches one of the running games; Chromium shows one of
them. A turn begins as the arena reads it; then it is judged, written to the disk and sent.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
import socket
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import trio

from benchmarks.standing import standing
from oddly.interfaces.serving.http_server import keep_serving, server_config
from oddly.interfaces.serving.listening import allow_many_connections
from tests.interfaces.web.tabs import tab_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.connection import Connection

    from benchmarks.standing import Standing

POOL = "yodd-8"
TIME = "3600+1"
"""The time control: no game is lost while the spectators come."""
NEVER = 3600
"""Seconds until the server ends a silent connection: the spectators here do not come again."""
WATCH = """(() => { window.redrawn = []; const place = document.querySelector("[data-game]");
new MutationObserver(() => redrawn.push([Number(place.dataset.turn), Date.now() / 1000]))
.observe(place, { attributes: true, attributeFilter: ["data-turn"] }); })()"""


def look_on(port: int, games: Sequence[str], spectators: int, pipe: Connection) -> None:
    """Hold the connections of spectators, and send when each heard of which turn."""
    heard: list[tuple[str, int, float]] = []
    allow_many_connections()

    async def spectator(game: str, connected: trio.Event) -> None:
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            request = f"GET /live?games={game} HTTP/1.1\r\nHost: arena\r\n\r\n"
            await stream.send_all(request.encode())
            async for data in stream:
                now = time.time()
                connected.set()
                heard.extend((game, int(turn), now) for turn in re.findall(rb'"turn":(\d+)', data))

    async def run() -> None:
        async with trio.open_nursery() as nursery:
            for number in range(spectators):
                connected = trio.Event()
                nursery.start_soon(spectator, games[number % len(games)], connected)
                await connected.wait()
            pipe.send("ready")
            await trio.to_thread.run_sync(pipe.recv)
            nursery.cancel_scope.cancel()

    trio.run(run)
    pipe.send(heard)


async def measure(
    folder: Path, spectators: int, games: int, seconds: float
) -> dict[str, float | int]:
    """Return the figures."""
    names = [f"engine {number:03}x" for number in range(2 * games)]
    async with (
        standing(folder, names, 0, [POOL], time=TIME) as stand,
        trio.open_nursery() as nursery,
    ):
        for number in range(2, 2 * games, 2):
            stand.begin(POOL, *names[number : number + 2])
        await stand.write()
        running = [*stand.arena.play.games]
        with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
            port = listener.getsockname()[1]
            nursery.start_soon(
                keep_serving, stand.app, listener, server_config(NEVER), trio.Event()
            )
            ours, theirs = multiprocessing.Pipe()
            looking = multiprocessing.get_context("spawn").Process(
                target=look_on, args=(port, running, spectators, theirs), daemon=True
            )
            looking.start()
            await trio.to_thread.run_sync(ours.recv)
            async with tab_of("chromium", folder) as tab:
                await tab.go(f"http://127.0.0.1:{port}/games/{stand.running.id}")
                await tab.value(WATCH)
                before, begun = time.process_time(), trio.current_time()
                played = await play(stand, running, seconds)
                share = (time.process_time() - before) / (trio.current_time() - begun)
                await trio.sleep(2)
                redrawn = json.loads(await tab.value("JSON.stringify(redrawn)"))
            ours.send("stop")
            heard = await trio.to_thread.run_sync(ours.recv)
            looking.join()
        nursery.cancel_scope.cancel()
    sent = [now - played[key] for *key_, now in heard if (key := tuple(key_)) in played]
    own = stand.running.id
    drawn = [now - played[own, turn] for turn, now in redrawn if (own, turn) in played]
    return {
        "spectators": spectators,
        "turns": len(played),
        "messages": len(sent),
        "share of one core": round(share, 3),
        **{f"heard after, {name}, ms": each for name, each in quantiles(sent).items()},
        **{f"redrawn after, {name}, ms": each for name, each in quantiles(drawn).items()},
    }


async def play(
    stand: Standing, running: Sequence[str], seconds: float
) -> dict[tuple[str, int], float]:
    """Let each game have a turn a second; when the arena read each."""
    played: dict[tuple[str, int], float] = {}
    until, number = trio.current_time() + seconds, 0
    while trio.current_time() < until:
        game = stand.arena.play.games.get(running[number % len(running)])
        if game is not None:
            begun = time.time()
            stand.turn(game)
            played[game.id, len(game.turns)] = begun
            await stand.write()
        number += 1
        await trio.sleep(1 / len(running))
    return played


def quantiles(delays: Sequence[float]) -> dict[str, int]:
    """Return the median and the 95th percentile in milliseconds."""
    parts = statistics.quantiles(delays, n=20)
    return {"median": round(1000 * parts[9]), "p95": round(1000 * parts[18])}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Measure what spectators see, and its cost.")
    parser.add_argument("--spectators", type=int, default=2000)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=30.0)
    options = parser.parse_args()
    allow_many_connections()
    with TemporaryDirectory() as folder:
        words = Path(folder), options.spectators, options.games, options.seconds
        for name, figure in trio.run(measure, *words).items():
            print(f"{figure:10}  {name}")


if __name__ == "__main__":
    main()
