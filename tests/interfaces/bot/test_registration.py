"""Registering a bot with the double of the site's queries for owners."""

import json
import resource
import stat
from types import SimpleNamespace

import httpx2
import pytest
import trio
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from oddly.interfaces.bot.bot_file import load_bot
from oddly.interfaces.bot.site_client import (
    RegistrationError,
    SiteClient,
    description,
    register,
    supported,
)
from oddly.interfaces.text.line_writer import Journal
from tests.interfaces.bot.test_service import bot_toml

TOKEN, SECRET = "the.owners.token", "n3w+s3cret"
AYU = frozenset({"ayu"})


@pytest.fixture
def site(monkeypatch):
    """What the site answers, wrapped as its gateway does, and what it was asked."""
    found = SimpleNamespace(asked=[], replies={}, base="http://127.0.0.1:9")
    found.replies["create_bot"] = (200, {"clientId": "new-id", "clientSecret": SECRET})
    found.replies["update_bot"] = (200, {"message": "Bot updated successfully"})

    async def own(request):
        facts = await request.json()
        found.asked.append((facts["query"], facts["pars"], request.headers["authorization"]))
        status, value = found.replies[facts["query"]]
        return JSONResponse({"statusCode": status, "body": json.dumps(value)})

    async def query(request):
        return JSONResponse({"ayu": {}, "zendo": {}})

    doors = [
        Route("/authQuery", own, methods=["POST"]), Route("/query", query, methods=["POST"]),
    ]  # fmt: skip
    transport = httpx2.ASGITransport(app=Starlette(routes=doors))
    begin = SiteClient.__init__

    def through_the_double(self, *arguments):
        begin(self, *arguments)
        self._http = httpx2.AsyncClient(transport=transport)

    monkeypatch.setattr(SiteClient, "__init__", through_the_double)
    return found


@pytest.fixture
def settings(tmp_path, site):
    site.public_key = "A" * 43 + "="
    path = tmp_path / "BOT.toml"
    path.write_text(bot_toml(site, ["true"], ["ayu 9", "yodd"]))
    return load_bot(path)


async def run(settings, secrets, client_id=""):
    log = []
    with trio.fail_after(60):
        endpoint = "https://bot.example.org/"
        await register(settings, endpoint, TOKEN, client_id, secrets, Journal(log.append))
    assert not any(TOKEN in line or SECRET in line for line in log)
    return log


async def test_a_bot_is_registered_with_the_games_that_the_site_has(settings, site, tmp_path):
    secrets = tmp_path / "bot.env"
    log = await run(settings, secrets)
    (_, created, token), (_, updated, _) = site.asked
    assert token == f"Bearer {TOKEN}"
    assert created == {"name": "test", "endpoint": "https://bot.example.org/"}
    assert updated == {
        **created, "clientId": "new-id", "description": "An engine of oddly.",
        "supported": [{"meta": "ayu", "variants": ["size-9"]}],
    }  # fmt: skip
    assert secrets.read_text() == f"CLIENT_ID=new-id\nCLIENT_SECRET={SECRET}\n"
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o600
    assert "plays ayu, on 1 boards" in log[-1]


async def test_a_bot_that_is_there_is_only_updated(settings, site, tmp_path):
    await run(settings, tmp_path / "bot.env", "old-id")
    assert [(query, pars["clientId"]) for query, pars, _ in site.asked] == [
        ("update_bot", "old-id")
    ]
    assert not (tmp_path / "bot.env").exists()
    site.replies["update_bot"] = (403, {"message": "old-id is another's"})
    with pytest.raises(RegistrationError, match=r"403: \[secret\] is another's"):
        await run(settings, tmp_path / "bot.env", "old-id")


@pytest.mark.parametrize(
    ("query", "reply", "words"),
    [
        ("create_bot", (409, {"message": "the name is taken"}), "create_bot: 409: the name is"),
        ("create_bot", (401, {"message": TOKEN}), "does not accept the owner's token"),
        ("create_bot", (502, {}), "look on the site whether the bot is there"),
        ("create_bot", (200, {"clientId": "x"}), "look on the site whether the bot is there"),
        ("update_bot", (403, {"message": "You are not the owner"}), "update_bot: 403: You are not"),
    ],
)
async def test_what_the_site_refuses_is_told(settings, site, tmp_path, query, reply, words):
    site.replies[query] = reply
    secrets = tmp_path / "bot.env"
    with pytest.raises(RegistrationError, match=words):
        await run(settings, secrets)
    # What the site has given is kept, and nothing else.
    assert secrets.exists() is (query == "update_bot")


async def test_no_file_with_secrets_is_overwritten(settings, site, tmp_path):
    secrets = tmp_path / "bot.env"
    secrets.write_text("OTHER=1\n")
    with pytest.raises(FileExistsError):
        await run(settings, secrets)
    assert secrets.read_text() == "OTHER=1\n"
    assert site.asked == []


@pytest.fixture
def limit():
    """A function that bounds the bytes of each file: beyond, it cannot be written."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda most: resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_no_bot_is_made_whose_secret_has_no_room(settings, site, tmp_path, limit):
    """The bug: on a full disk the file was made, but the secret was lost when it came."""
    secrets = tmp_path / "bot.env"
    limit(100)
    with pytest.raises(OSError, match="File too large"):
        await run(settings, secrets)
    assert site.asked == []
    assert not secrets.exists()


async def test_a_bot_whose_secret_is_lost_is_told(settings, site, tmp_path, limit, monkeypatch):
    ask, secrets = SiteClient.ask_as_owner, tmp_path / "bot.env"

    async def and_then_fill_the_disk(*words, **pars):
        reply = await ask(*words, **pars)
        limit(0)
        return reply

    monkeypatch.setattr(SiteClient, "ask_as_owner", and_then_fill_the_disk)
    with pytest.raises(RegistrationError) as told:
        await run(settings, secrets)
    assert str(told.value) == (
        f"the site has the bot test now, but {secrets} cannot be written: File too large; "
        "delete the bot there, and the file, before you try again"
    )


def test_only_a_level_says_how_strong_it_is(tmp_path, site):
    site.public_key = "A" * 43 + "="
    path = tmp_path / "BOT.toml"
    text = bot_toml(site, ["true"], ["ayu"])
    path.write_text(text.replace('command = ["true"]', "level = 3"))
    settings = load_bot(path)
    assert settings.engines[0].configuration.options == {"level": "3"}
    assert description(settings) == "An engine of oddly, at level 3 of 10 (learner)."
    assert len(supported(settings, AYU)) == 6
    assert supported(settings, frozenset({"yodd"})) == []
