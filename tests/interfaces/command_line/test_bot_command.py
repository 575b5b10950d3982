"""`oddly bot` as a process: it listens at once, answers the site, and ends when it is asked to."""

from __future__ import annotations

import base64
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.interfaces.bot.site_double import SECRET, challenge
from tests.patience import PATIENCE

KEY = Ed25519PrivateKey.generate()
TOML = """\
[bot]
token_url = "http://127.0.0.1:9/token"
query_url = "http://127.0.0.1:9/botQuery"
scope = "test/communicate"
public_key = "{key}"
client_id_env = "TEST_CLIENT_ID"
client_secret_env = "TEST_CLIENT_SECRET"
[[engine]]
command = ["oddly", "engine", "random"]
games = ["yodd"]
"""


def status(address, facts):
    body, stamp, nonce = json.dumps(facts).encode(), str(int(time.time())), secrets.token_hex(8)
    signature = base64.b64encode(KEY.sign(f"{stamp}.{nonce}.".encode() + body)).decode()
    headers = {"X-Signature-Timestamp": stamp, "X-Signature-Nonce": nonce, "X-Signature": signature}
    try:
        with urlopen(Request(address, body, headers), timeout=PATIENCE) as reply:  # noqa: S310
            return reply.status
    except HTTPError as error:
        with error:
            return error.code


def test_a_bot_as_a_process(tmp_path):
    path = tmp_path / "BOT.toml"
    key = base64.b64encode(KEY.public_key().public_bytes_raw()).decode()
    path.write_text(TOML.format(key=key), encoding="utf-8")
    words = [sys.executable, "-m", "oddly", "bot", "abstract-play", str(path), "--port", "0"]
    environment = {**os.environ, "TEST_CLIENT_ID": "me", "TEST_CLIENT_SECRET": SECRET}
    with subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as bot:
        try:
            address = bot.stdout.readline().strip()
            with urlopen(address, timeout=PATIENCE) as reply:  # noqa: S310
                assert json.load(reply)["operational"] is True
            assert status(address, challenge()) == 200
            assert status(address, challenge("ayu", ("size-9",))) == 400
            assert status(address, challenge(variants=("yopp",))) == 400
        finally:
            bot.send_signal(signal.SIGTERM)
        _, log = bot.communicate(timeout=PATIENCE)
    assert bot.returncode == 0
    assert "a challenge to yodd 6: accepted" in log
    assert "no engine here plays ayu 9" in log
    assert log.endswith("oddly: stopped\n")
    assert SECRET not in log
