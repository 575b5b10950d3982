"""Registering a bot at the site, or telling the site anew which games it plays."""

from __future__ import annotations

import os
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from oddly.engines.levels import NAMES
from oddly.game_records.abstract_play_turns import GAMES_BY_ID, ids_of
from oddly.interfaces.bot.bot_file import BotSettings, Credentials, wrong_address
from oddly.interfaces.bot.site_client import SiteClient
from oddly.interfaces.bot.site_view import SiteViewError, read_metas

if TYPE_CHECKING:
    from pathlib import Path

    from oddly.interfaces.bot.journal import Journal
    from oddly.interfaces.bot.site_view import SiteReply

MAX_SECRET = 4096


class RegistrationError(Exception):
    """A registration that did not succeed. The message is one sentence."""


def supported(settings: BotSettings, metas: frozenset[str]) -> list[dict[str, Any]]:
    """Return the list of games for `update_bot`: each board that an engine plays there."""
    return [
        {"meta": meta, "variants": ids_of(game)[1]}
        for meta, boards in GAMES_BY_ID.items()
        if meta in metas
        for game in boards.values()
        if any(engine.plays(game) for engine in settings.engines)
    ]


def description(settings: BotSettings) -> str:
    """Return what the bot's profile says. Of its strength, it has the level alone."""
    levels = sorted({engine.level for engine in settings.engines if engine.level is not None})
    words = [f"level {level} of {len(NAMES)} ({NAMES[level - 1]})" for level in levels]
    return "An engine of oddly" + (f", at {' and '.join(words)}." if words else ".")


async def register(
    settings: BotSettings, endpoint: str, token: str, client_id: str, secrets: Path,
    journal: Journal,
) -> None:  # fmt: skip
    """Register a bot, or update the one that has the client id, if there is one.

    The new credentials are written to the file `secrets`, which only its owner can read. Raises
    RegistrationError, and OSError if that file cannot be written.
    """
    if said := wrong_address(endpoint):
        raise RegistrationError(f"--endpoint: {said}")
    journal.hide(token)
    name = settings.bot.name
    async with SiteClient(settings, Credentials("", ""), journal) as client:
        try:
            known = read_metas((await client.ask("meta_games")).value)
        except SiteViewError as error:
            raise RegistrationError(f"{settings.bot.query_address}: {error}") from None
        games = supported(settings, known)
        if not games:
            raise RegistrationError("the site has none of the games that the engines play")
        if not client_id:
            client_id = await _create(client, settings, token, endpoint, secrets)
            journal.say(f"{name} is registered; its credentials are in {secrets}")
        reply = await client.ask_as_owner(
            token, "update_bot", clientId=client_id, name=name, endpoint=endpoint,
            description=description(settings), supported=games,
        )  # fmt: skip
        if not reply.is_good:
            raise RegistrationError(f"update_bot: {_said(reply)}")
    metas = sorted({game["meta"] for game in games})
    journal.say(f"the site knows that {name} plays {', '.join(metas)}, on {len(games)} boards")


async def _create(
    client: SiteClient, settings: BotSettings, token: str, endpoint: str, secrets: Path
) -> str:
    """Register a new bot and write its credentials; return its client id.

    The file is there before the bot is: the site shows the secret only once.
    """
    bot = settings.bot
    file = os.open(secrets, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        reply = await client.ask_as_owner(token, "create_bot", name=bot.name, endpoint=endpoint)
        client_id, secret = _credentials(reply)
        lines = f"{bot.client_id_env}={client_id}\n{bot.client_secret_env}={secret}\n"
        os.write(file, lines.encode())
        os.fsync(file)
    except BaseException:
        if not os.fstat(file).st_size:
            secrets.unlink()
        raise
    finally:
        os.close(file)
    return client_id


def _credentials(reply: SiteReply) -> tuple[str, str]:
    """The id and the secret of a new bot. Raises RegistrationError if they are not there."""
    value = reply.value if reply.is_good and isinstance(reply.value, dict) else {}
    client_id, secret = value.get("clientId"), value.get("clientSecret")
    if _is_word(client_id) and _is_word(secret):
        return str(client_id), str(secret)
    hint = (
        ""
        if reply.has_words or not reply.was_sent
        else ("; look on the site whether the bot is there before you try again")
    )
    raise RegistrationError(f"create_bot: {_said(reply)}{hint}")


def _is_word(value: object) -> bool:
    return (
        isinstance(value, str)
        and len(value) <= MAX_SECRET
        and value.isascii()
        and value.isprintable()
        and len(value.split()) == 1
    )


def _said(reply: SiteReply) -> str:
    """What the site says, without what it may have repeated of a good reply."""
    if reply.status == HTTPStatus.UNAUTHORIZED:
        return "the site does not accept the owner's token, which lasts an hour"
    return reply.sentence
