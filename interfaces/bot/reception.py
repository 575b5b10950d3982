"""The address that the site calls: it checks that a webhook comes from the site, and answers it.

The check uses the site's key, the signature and the age of the webhook.
"""

from __future__ import annotations

import base64
import binascii
import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import trio
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key, load_pem_public_key
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.routing import Route

from oddly.interfaces.bot.site_view import Challenge, TurnRequest, WebhookError, read_webhook

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response

    from oddly.interfaces.bot.journal import Journal

    Receive = Callable[[list[tuple[str, str]], bytes, float], "Answer"]


WINDOW = 300
"""Seconds by which a webhook's clock may differ from ours, either way."""
MAX_NONCE_LENGTH = 200
MAX_NONCES = 100_000
TIMESTAMP, NONCE, SIGNATURE = "x-signature-timestamp", "x-signature-nonce", "x-signature"
_HEADERS = (TIMESTAMP, NONCE, SIGNATURE)


class SignatureError(Exception):
    """A webhook that is refused. The message is one sentence."""


class SignatureCheck:
    """Checks webhooks against the site's key, and remembers their nonces.

    A nonce is forgotten once the time window refuses its webhook anyway. Only the nonces of
    webhooks that the site has signed are remembered.
    """

    def __init__(self, key: Ed25519PublicKey) -> None:
        self._key = key
        self._nonces: dict[str, float] = {}
        """Each nonce with the Unix second until which it is remembered."""

    def check(self, headers: Sequence[tuple[str, str]], body: bytes, now: float) -> None:
        """Check that a webhook with these headers and raw body is new and the site's own.

        `headers` has names in lower case; `now` is in Unix seconds. Raises SignatureError.
        """
        timestamp, nonce, signature = (_only(headers, name) for name in _HEADERS)
        seconds = _seconds(timestamp)
        if abs(int(now) - seconds) > WINDOW:
            raise SignatureError(f"the timestamp is more than {WINDOW} s off")
        if len(nonce) > MAX_NONCE_LENGTH:
            raise SignatureError("the nonce is too long")
        try:
            raw = base64.b64decode(signature, validate=True)
            signed = f"{timestamp}.{nonce}.".encode("latin-1") + body
            self._key.verify(raw, signed)
        except (InvalidSignature, binascii.Error, ValueError):
            raise SignatureError("the signature is not right") from None
        self._remember(nonce, seconds, now)

    def _remember(self, nonce: str, seconds: int, now: float) -> None:
        """Remember a nonce. Raises SignatureError if it is known."""
        if self._nonces.get(nonce, -1.0) >= now:
            raise SignatureError("the nonce was used before")
        if len(self._nonces) >= MAX_NONCES:
            self._nonces = {n: until for n, until in self._nonces.items() if until >= now}
        if len(self._nonces) >= MAX_NONCES:
            raise SignatureError("too many webhooks at once")
        self._nonces[nonce] = max(seconds, now) + WINDOW + 1


def _only(headers: Sequence[tuple[str, str]], name: str) -> str:
    """Return the value of a header that must come once. Raises SignatureError."""
    values = [value for key, value in headers if key == name]
    if len(values) != 1 or not values[0]:
        raise SignatureError(f"the header {name} is expected once")
    return values[0]


def _seconds(text: str) -> int:
    """Return a time in Unix seconds. Raises SignatureError."""
    if not (text.isascii() and text.isdigit() and len(text) <= 12):
        raise SignatureError("the timestamp is not a number of seconds")
    return int(text)


LARGEST_KEY_FILE = 16_384
_RAW = 32
_OPENSSH = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20"
"""The bytes before the raw key in OpenSSH's form."""


class PublicKeyError(ValueError):
    """A text that is no public key. The message is one sentence."""


def read_public_key(text: str, folder: Path) -> Ed25519PublicKey:
    """Return the Ed25519 key in a text, or in a file of that name in `folder`.

    It reads PEM, base64 of the raw key, of DER or of OpenSSH's form, and lines as in
    `ssh-ed25519 AAAA...` and SSH2's key files. Raises PublicKeyError.
    """
    if (found := _key_in(text)) is not None:
        return found
    if "\n" in text or "\0" in text or len(text) >= 1024:
        raise PublicKeyError(
            "an Ed25519 public key is expected: PEM, base64, or the name of a file"
        )
    reason = "but a file without one"
    try:
        with (folder / text).open("rb") as file:
            found = _key_in(file.read(LARGEST_KEY_FILE).decode("utf-8", "replace"))
    except OSError as error:
        reason = f"and there is no such file: {error.strerror}"
    if found is None:
        raise PublicKeyError(f"{text[:60]!r} is not an Ed25519 public key, {reason}")
    return found


def _key_in(text: str) -> Ed25519PublicKey | None:
    if "-----BEGIN" in text:
        try:
            key = load_pem_public_key(text.strip().encode())
        except (ValueError, UnsupportedAlgorithm):
            return None
        return key if isinstance(key, Ed25519PublicKey) else None
    lines = [line.strip() for line in text.strip().strip("\"'").splitlines()]
    body = [
        line for line in lines if line and not line.startswith(("#", "----")) and ":" not in line
    ]
    words = " ".join(body).split()
    if words[:1] == ["ssh-ed25519"]:
        words = words[1:2]
    try:
        data = base64.b64decode("".join(words), validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(data) == _RAW:
        return Ed25519PublicKey.from_public_bytes(data)
    if data.startswith(_OPENSSH) and len(data) == len(_OPENSSH) + _RAW:
        return Ed25519PublicKey.from_public_bytes(data[-_RAW:])
    try:
        key = load_der_public_key(data)
    except (ValueError, UnsupportedAlgorithm):
        # Base64 of a PEM or of a line of OpenSSH, as environment variables hold it.
        inner = data.decode("ascii", "replace")
        return _key_in(inner) if "ssh-ed25519 " in inner or "-----BEGIN" in inner else None
    return key if isinstance(key, Ed25519PublicKey) else None


@dataclass(frozen=True, slots=True)
class Answer:
    """The HTTP status, a sentence for the log, and the turn to think about, if any."""

    status: HTTPStatus
    sentence: str
    request: TurnRequest | None = None
    challenge: Challenge | None = None
    """The challenge that was accepted."""


class Reception:
    """Answers webhooks.

    `objection` returns why a challenge is declined or a turn cannot be thought about, or None;
    `take` notes a turn at a Unix second and returns whether it is news.
    """

    def __init__(
        self,
        check: SignatureCheck,
        objection: Callable[[Challenge | TurnRequest, float], str | None],
        take: Callable[[TurnRequest, float], bool],
    ) -> None:
        self._check = check
        self._objection = objection
        self._take = take

    def answer(
        self, headers: Sequence[tuple[str, str]], body: bytes, now: float, *, is_full: bool = False
    ) -> Answer:
        """Return the answer to a POST with these headers, names in lower case, and raw body.

        `now` is in Unix seconds; `is_full` says that no more turns can wait.
        """
        try:
            self._check.check(headers, body, now)
        except SignatureError as error:
            return Answer(HTTPStatus.UNAUTHORIZED, f"refused: {error}")
        try:
            asked = read_webhook(body)
        except WebhookError as error:
            return Answer(HTTPStatus.BAD_REQUEST, f"refused: {error}")
        if objection := self._objection(asked, now):
            return Answer(HTTPStatus.BAD_REQUEST, f"refused: {objection}")
        if isinstance(asked, Challenge):
            said = f"a challenge to {asked.game}: accepted"
            return Answer(HTTPStatus.OK, said, challenge=asked)
        where = asked.where
        if is_full:
            return Answer(HTTPStatus.SERVICE_UNAVAILABLE, f"{where}: too many turns wait")
        if not self._take(asked, now):
            return Answer(HTTPStatus.ACCEPTED, f"{where}: answered before")
        return Answer(HTTPStatus.ACCEPTED, f"{where}: our turn at {asked.game}", asked)


LARGEST_BODY = 131_072
"""Bytes of a webhook: many times the longest game."""
BODY_PATIENCE = 3.0
"""Seconds in which a body must arrive; the site is answered within five."""
CLOSE = {"connection": "close"}


class _BodyError(Exception):
    """A body that is not read to its end."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def application(
    receive: Receive, journal: Journal, name: str, health: Callable[[], dict[str, Any]]
) -> Starlette:
    """Return the application. `receive` answers headers, body and the time in Unix seconds.

    Its sentence is written to the log; the site gets it only with a refusal. `/healthz` answers
    what `health` returns, with 503 unless `ok` is true.
    """

    async def healthz(_: Request) -> Response:
        facts = health()
        return JSONResponse(facts, HTTPStatus.OK if facts["ok"] else HTTPStatus.SERVICE_UNAVAILABLE)

    async def ping(_: Request) -> Response:
        return JSONResponse({"operational": True, "name": name})

    async def webhook(request: Request) -> Response:
        try:
            body = await _body(request)
        except _BodyError as error:
            journal.say(f"refused: {error}")
            return JSONResponse({"message": str(error)}, error.status, CLOSE)
        headers = [(k.decode("latin-1"), v.decode("latin-1")) for k, v in request.headers.raw]
        answer = receive(headers, body, time.time())
        journal.say(answer.sentence)
        is_accepted = answer.status < HTTPStatus.BAD_REQUEST
        facts = {"accepted": True} if is_accepted else {"message": answer.sentence}
        return JSONResponse(facts, answer.status)

    return Starlette(
        routes=[
            Route("/", ping, methods=["GET"]),
            Route("/", webhook, methods=["POST"]),
            Route("/healthz", healthz, methods=["GET"]),
        ]
    )


async def _body(request: Request) -> bytes:
    """Return the raw body. Raises _BodyError if it is too large or too slow."""
    too_large = _BodyError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {LARGEST_BODY} bytes are read"
    )
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and (len(announced) > 9 or int(announced) > LARGEST_BODY):
        raise too_large
    body = bytearray()
    with trio.move_on_after(BODY_PATIENCE) as scope:
        try:
            async for chunk in request.stream():
                body += chunk
                if len(body) > LARGEST_BODY:
                    raise too_large
        except ClientDisconnect:
            raise _BodyError(HTTPStatus.BAD_REQUEST, "the body broke off") from None
    if scope.cancelled_caught:
        raise _BodyError(
            HTTPStatus.REQUEST_TIMEOUT, f"the body did not come within {BODY_PATIENCE:g} s"
        )
    return bytes(body)
