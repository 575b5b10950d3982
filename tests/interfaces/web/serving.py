"""A server in a process of its own, and WebSockets spoken by hand, politely or not."""

import base64
import json
import os
import re
import shlex
import signal
import socket
import ssl
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import httpx2

from tests.patience import PATIENCE
from tests.programs import PYTHON

FAKES = Path(__file__).parents[2] / "fakes"
FAKE, THINKER = str(FAKES / "engine.py"), str(FAKES / "thinker.py")
HINTS = ("--engine", f"thinker={PYTHON} {shlex.quote(THINKER)}", "--hints", "thinker")
"""Words with which the server gives hints, always the same."""
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Without it, each request first reads all certificates of this machine."""
LINES = (
    "--engine",
    f"foreseer={PYTHON} {shlex.quote(str(FAKES / 'foreseer.py'))}",
    "--hints",
    "foreseer",
)
"""The same with the line that the engine expects."""


class Server:
    """`oddly serve` on a free port, in a folder of its own."""

    def __init__(self, folder, *words):
        self.folder = folder
        command = [sys.executable, "-m", "oddly", "serve", "--port", "0", "--no-warm"]
        command += map(str, words)
        with (folder / "stderr.txt").open("wb") as stderr:
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=stderr, text=True, cwd=folder
            )
        line = self.process.stdout.readline()
        found = re.match(r"https?://([^/:]+)(:\d+)?/", line)
        assert found, (line, self.stderr())
        self.url = line.strip()
        behind = re.search(r"listening on port (\d+)", self.stderr())
        self.port = int(behind[1] if behind else found[2][1:])
        self.host = f"127.0.0.1:{self.port}"
        self.origin = f"http://{self.host}"

    def stderr(self):
        return (self.folder / "stderr.txt").read_text()

    def stop(self):
        """End it as Ctrl-C does; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(PATIENCE)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            self.process.stdout.close()

    def get(self, path, **options):
        return httpx2.get(f"{self.origin}{path}", timeout=PATIENCE, verify=NO_TLS, **options)

    def post(self, path, value, **headers):
        return httpx2.post(
            f"{self.origin}{path}",
            content=value if isinstance(value, bytes) else json.dumps(value),
            headers={"origin": self.origin, "content-type": "application/json", **headers},
            timeout=PATIENCE,
            verify=NO_TLS,
        )

    def open_game(self, game="yodd", size=2, seats=("human", "human"), **more):
        """The name of a new game."""
        request = {"game": game, "size": size, "seats": seats, **more}
        answer = self.post("/api/games", request)
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]


@contextmanager
def serving(folder, *words):
    """A server that is seen out."""
    server = Server(folder, *words)
    try:
        yield server
    finally:
        code = server.stop()
    assert code == 0, server.stderr()


class Socket:
    """A WebSocket as bytes: it can keep to the protocol, or not."""

    def __init__(
        self, server, path, origin=None, host=None, receive_buffer=None, cookie="", more=""
    ):
        self.raw = socket.socket()
        if receive_buffer:
            self.raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.raw.settimeout(PATIENCE)
        self.raw.connect(("127.0.0.1", server.port))
        key = base64.b64encode(os.urandom(16)).decode()
        self.raw.sendall(
            (
                f"GET {path} HTTP/1.1\r\nHost: {host or server.host}\r\n"
                f"Origin: {origin or server.origin}\r\nConnection: Upgrade\r\n"
                f"Cookie: {cookie}\r\n{more}"
                "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                f"Sec-WebSocket-Key: {key}\r\n\r\n"
            ).encode()
        )
        self._file = self.raw.makefile("rb")
        self.status = int(self._file.readline().split(b" ", 2)[1])
        while self._file.readline().strip():
            continue

    def _bytes(self, number):
        found = self._file.read(number)
        if len(found) < number:
            raise ConnectionError
        return found

    def send(self, value, opcode=1, masked=True):
        """A frame with a text, bytes or a JSON object."""
        if not isinstance(value, bytes):
            value = (value if isinstance(value, str) else json.dumps(value)).encode()
        self.raw.sendall(frame(value, opcode, masked))

    def receive(self):
        """The next frame's opcode and payload."""
        first, length = self._bytes(2)
        if extended := {126: 2, 127: 8}.get(length & 127):
            return first & 15, self._bytes(int.from_bytes(self._bytes(extended)))
        return first & 15, self._bytes(length & 127)

    def hear(self, kind):
        """The next JSON object of that kind."""
        while True:
            opcode, payload = self.receive()
            if opcode == 8:
                raise ConnectionError(int.from_bytes(payload[:2]))
            if opcode == 1 and (value := json.loads(payload))["kind"] == kind:
                return value

    def closing_code(self):
        """The code with which the server closes, or None if it hangs up."""
        try:
            while True:
                opcode, payload = self.receive()
                if opcode == 8:
                    return int.from_bytes(payload[:2]) if payload else None
        except OSError:
            return None

    def close(self):
        self._file.close()
        self.raw.close()


def frame(payload, opcode=1, masked=True, final=True):
    """The bytes of a WebSocket frame."""
    first = bytes([(128 if final else 0) | opcode])
    flag = 128 if masked else 0
    if len(payload) < 126:
        head = first + bytes([flag | len(payload)])
    elif len(payload) < 65_536:
        head = first + bytes([flag | 126]) + len(payload).to_bytes(2)
    else:
        head = first + bytes([flag | 127]) + len(payload).to_bytes(8)
    return head + (bytes(4) if masked else b"") + payload


def wait_until(true, what="it"):
    """Wait until something is true."""
    until = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < until, f"{what} did not happen"
        time.sleep(0.05)


def closed(sockets):
    """Close many."""
    for each in sockets:
        each.close()
