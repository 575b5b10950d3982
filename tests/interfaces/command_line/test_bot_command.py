"""`oddly bot` as a process: it listens at once, answers the site, and ends when it is asked to."""

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

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from oddly.game_records.abstract_play_turns import game_by_ids
from oddly.interfaces.bot.outbox import TurnOutbox
from oddly.interfaces.bot.outbox_file import open_outbox
from oddly.interfaces.bot.site_view import TurnRequest
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


@pytest.fixture
def path(tmp_path):
    """The file of a bot."""
    key = base64.b64encode(KEY.public_key().public_bytes_raw()).decode()
    (tmp_path / "BOT.toml").write_text(TOML.format(key=key), encoding="utf-8")
    return tmp_path / "BOT.toml"


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


def test_a_bot_as_a_process(path):
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


def test_the_games_of_a_bot_are_shown(path, facts, output, refusal):
    assert "there is no outbox; the bot makes it when it starts" in refusal("bot", "status", path)
    request = TurnRequest("game-1", "yodd", game_by_ids("yodd", ["hex-6"]), ())
    with open_outbox(path.with_suffix(".outbox")) as file:
        TurnOutbox(file.keep).ask(request, time.time())
    assert "1 turn to think about, 0 not yet taken" in output("bot", "status", path)
    assert facts("bot", "status", path)["games"][0]["id"] == "game-1"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["register"], "register needs --endpoint"),
        (["register", "--endpoint", "https://x.example"], "the environment has no AP_OWNER_TOKEN"),
        (["abstract-play", "--json"], "--json goes with status"),
        (["status", "--endpoint", "https://x.example"], "--endpoint goes with register"),
        (["status", "--dry-run"], "--dry-run goes with abstract-play"),
        (["statu"], "did you mean 'status'?"),
        (["abstract-play"], "the environment has no TEST_CLIENT_ID and no TEST_CLIENT_SECRET"),
        (["abstract-pay"], "unknown site 'abstract-pay'"),
        (["abstract-play", "--game", "yodd"], "--game and --size go with --dry-run"),
        (["abstract-play", "--dry-run", "--size", "12"], "plays that; it has yodd 6, yodd 7"),
        (["abstract-play", "--port", "99999"], "a port from 0 to 65535 is expected"),
    ],
)
def test_words_that_do_not_fit_are_told(path, refusal, monkeypatch, words, said):
    for name in ("AP_OWNER_TOKEN", "TEST_CLIENT_ID", "TEST_CLIENT_SECRET"):
        monkeypatch.delenv(name, raising=False)
    assert said in refusal("bot", words[0], path, *words[1:])


def test_a_bot_needs_a_file_that_is_there(path, refusal):
    assert "required: BOT.toml" in refusal("bot abstract-play")
    assert "there is no file" in refusal("bot abstract-play", path.with_suffix(".tml"))


def test_one_outbox_serves_one_bot(path, refusal, monkeypatch):
    monkeypatch.setenv("TEST_CLIENT_ID", "me")
    monkeypatch.setenv("TEST_CLIENT_SECRET", SECRET)
    with open_outbox(path.with_suffix(".outbox")):
        said = refusal("bot", "abstract-play", path, "--port", "0")
    assert "another run is writing to this outbox now" in said
