"""A bare ping-pong with trio's streams: what an unjudged turn costs."""

from __future__ import annotations

import subprocess

import trio


async def open_bare(command: tuple[str, ...]) -> trio.Process:
    """A process with trio's own streams for pipes, and a session of its own, as engines have.

    Linux may share out its processors by sessions, so engines in ours would be another matter.
    """
    return await trio.lowlevel.open_process(
        list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )


async def bare_game(processes: list[trio.Process], turns: list[str]) -> None:
    """Play a ping-pong that only counts replies."""
    for process in processes:
        await exchange(process, b"1 clear_board\n", 1)
    await exchange(processes[0], b"2 genmove b\n", 1)
    for number, turn in enumerate(turns[:-1], start=1):
        mover = processes[number % 2]
        side, other = ("w", "b") if number % 2 else ("b", "w")
        data = f"{2 * number} play {other} {turn}\n{2 * number + 1} genmove {side}\n"
        await exchange(mover, data.encode(), 2)


async def exchange(process: trio.Process, data: bytes, replies: int) -> None:
    """Send `data`, and wait for `replies` replies."""
    assert process.stdin is not None  # noqa: S101 - both are pipes
    assert process.stdout is not None  # noqa: S101
    await process.stdin.send_all(data)
    received = b""
    while received.count(b"\n\n") < replies:
        received += await process.stdout.receive_some()
