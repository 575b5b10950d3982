"""The client in plain Python, which has nothing of oddly's, at a real arena."""

from __future__ import annotations

import subprocess
import sys
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import pytest
import trio

from oddly.arena import pairing
from oddly.arena.wire.proof import is_proof, prove, public_key
from oddly.tournaments import Ledger
from tests.arena.served import ServedArena, pool_of, stored
from tests.patience import PATIENCE

EXAMPLE = Path(__file__).parents[2] / "examples" / "python" / "join.py"


def test_it_is_as_short_as_the_docs_say():
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) <= 60


def test_its_signatures_are_those_of_ed25519(tmp_path):
    path = EXAMPLE.with_name("ed25519.py")
    names: dict = {}
    exec(path.read_text(encoding="utf-8"), names)  # noqa: S102
    for number, secret in enumerate((bytes(32), bytes(range(32)), b"\xff" * 32)):
        key = tmp_path / f"{number}.key"
        key.write_bytes(secret)
        texts = names["signed_by"](str(key), "oddly-arena.1\nab\na.example\nmine\n")
        assert texts == (public_key(secret), prove(secret, "ab", "a.example", "mine"))
        assert is_proof(*texts, "ab", "a.example", "mine")


def test_a_whole_number_may_have_a_point(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLE.parent)
    monkeypatch.setattr(sys, "argv", ["join.py", "ws://localhost/arena", "mine"])
    names: dict = {}
    exec(EXAMPLE.read_text(encoding="utf-8").partition("\nwhile True:")[0], names)  # noqa: S102
    said = {"type": "start", "id": "g", "size": 3.0, "turns": ["Ba1"], "seed": 7}
    assert names["answers"](said) == {"set": {}}
    said = {"type": "go", "id": "g", "number": 2.0, "last": ["Wc3"]}
    assert names["answers"](said)["turn"]["number"] == 2
    assert names["game"]["turns"][:2] == ["Ba1", "Wc3"]
    assert len(names["game"]["turns"]) == 3


@asynccontextmanager
async def running(folder, port, name):
    """The example as a process in a folder, until the block ends."""
    words = [sys.executable, str(EXAMPLE), f"ws://127.0.0.1:{port}/arena", name]
    said = folder / f"{name}.txt"
    with said.open("wb") as output:
        process = await trio.lowlevel.open_process(
            words, cwd=folder, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        yield process
        assert process.poll() is None, said.read_text(encoding="utf-8")
    finally:
        process.kill()
        await process.wait()


@pytest.mark.sampled
async def test_two_of_them_play_each_other_over_cuts(tmp_path, monkeypatch):
    # They meet again and again, since there is nobody else.
    monkeypatch.setattr(pairing, "PATIENCE", 0.3)
    pool = pool_of("odd", 2, "20+1")
    with stored(tmp_path, [pool]) as store, trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            served = ServedArena(store, [pool])
            nursery.start_soon(served.tick)
            listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
            numbers = count()

            async def serve(stream):
                if next(numbers) < 4:
                    nursery.start_soon(cut_soon, stream)
                await served.serve(stream)

            async def cut_soon(stream):
                await trio.sleep(0.3)
                await trio.aclose_forcefully(stream)

            nursery.start_soon(trio.serve_listeners, serve, listeners)
            port = listeners[0].socket.getsockname()[1]
            async with running(tmp_path, port, "ann") as ann, running(tmp_path, port, "bob") as bob:
                records = store.ledgers._ledgers[pool.name].records
                while len(records()) < 4 and ann.poll() is bob.poll() is None:
                    await trio.sleep(0.05)
            nursery.cancel_scope.cancel()
    with Ledger(tmp_path / f"{pool.name}.sqlite", read_only=True) as ledger:
        ends = {record.outcome.termination.value for record in ledger.records().values()}
    assert ends == {"board full"}
    assert served.connections >= 6
    assert (tmp_path / "ann.key").stat().st_mode & 0o777 == 0o600
