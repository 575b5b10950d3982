"""What a bot lets in: webhooks that the site has signed, and challenges that it accepts.

Challenges are accepted by their games, their number, their clocks, and the time. Opening hours such
as `Mon-Fri 18:00-08:00, Sat-Sun`, in local time, say when engines may think. A webhook is the
site's by the site's key, the signature and the time; the key is in BOT.toml, or in a file that
BOT.toml names.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key, load_pem_public_key

from oddly.games import Game, did_you_mean
from oddly.games.wording import counted
from oddly.interfaces.bot.site_view import Challenge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from oddly.interfaces.bot.site_view import ListedGame, TurnRequest


DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY, WEEK = 24 * 60, 7 * 24 * 60
"""Minutes."""
_PART = re.compile(r"(?:(?P<days>[A-Za-z-]+)\s*)?(?P<times>\d{1,2}:\d\d\s*-\s*\d{1,2}:\d\d)?")
_TIME = re.compile(r"(\d{1,2}):(\d\d)")


class OpeningHoursError(ValueError):
    """A text that gives no opening hours. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class OpeningHours:
    """The minutes of the week in which engines may think, from Monday 00:00."""

    minutes: frozenset[int]

    def is_open(self, moment: datetime) -> bool:
        """Return whether the machine is open at a moment in local time."""
        return _minute(moment) in self.minutes

    def next_opening(self, moment: datetime) -> datetime:
        """Return when the machine opens: the moment itself if it is open."""
        if self.is_open(moment):
            return moment
        start = moment.replace(second=0, microsecond=0)
        first = _minute(start)
        waiting = next(n for n in range(1, WEEK + 1) if (first + n) % WEEK in self.minutes)
        return start + timedelta(minutes=waiting)

    @property
    def longest_closure(self) -> float:
        """The longest time for which the machine stays closed, in hours."""
        longest = current = 0
        for minute in range(2 * WEEK):
            current = 0 if minute % WEEK in self.minutes else current + 1
            longest = max(longest, current)
        return longest / 60


def read_opening_hours(text: str) -> OpeningHours:
    """Return the opening hours in a text. Raises OpeningHoursError.

    Its parts, with commas between them, are days, hours, or both. Hours that end before they begin
    end on the next day.
    """
    minutes: set[int] = set()
    for part in text.split(","):
        found = _PART.fullmatch(part.strip())
        if found is None or not part.strip():
            raise OpeningHoursError(
                f"{part.strip()!r} is not a part of opening hours: expected one such as "
                "'Mon-Fri 18:00-08:00', '9:00-17:00' or 'Sat-Sun'"
            )
        begin, end = _times(found["times"] or "0:00-24:00")
        for day in _days(found["days"] or "Mon-Sun"):
            minutes |= {(day * DAY + minute) % WEEK for minute in range(begin, end)}
    return OpeningHours(frozenset(minutes))


def _minute(moment: datetime) -> int:
    return moment.weekday() * DAY + moment.hour * 60 + moment.minute


def _days(text: str) -> list[int]:
    numbers = [_day(word) for word in text.split("-")]
    if len(numbers) > 2:
        raise OpeningHoursError(f"{text!r} is not a range of days: expected one such as 'Mon-Fri'")
    first, last = numbers[0], numbers[-1]
    return [(first + n) % 7 for n in range((last - first) % 7 + 1)]


def _day(word: str) -> int:
    if word.lower()[:3] not in DAYS or len(word) > 9:
        raise OpeningHoursError(
            f"{word!r} is not a day: expected Mon, Tue, Wed, Thu, Fri, Sat or Sun"
            f"{did_you_mean(word.lower(), DAYS)}"
        )
    return DAYS.index(word.lower()[:3])


def _times(text: str) -> tuple[int, int]:
    """Return the minutes from midnight to the beginning and to the end of hours."""
    times = [(int(hour), int(minute)) for hour, minute in _TIME.findall(text)]
    begin, end = (60 * hour + minute for hour, minute in times)
    if max(begin, end) > DAY or begin == end or any(minute > 59 for _, minute in times):
        raise OpeningHoursError(f"{text!r} are no hours: expected some such as '18:00-08:00'")
    return begin, end if end > begin else end + DAY


UNLISTED = 3600.0
"""Seconds for which an accepted challenge counts as a game, unless the site lists its game."""
ENOUGH = 60.0
"""Seconds after which an accepted challenge is among the games that the site lists."""


@dataclass
class Admission:
    """Decides about challenges. `games` are ours, as the site listed them last."""

    plays: Callable[[Game], bool]
    per_opponent: int | None = None
    in_all: int | None = None
    hours: OpeningHours | None = None
    games: tuple[ListedGame, ...] = ()
    _accepted: list[tuple[float, tuple[str, ...]]] = field(default_factory=list)

    def objection(self, asked: Challenge | TurnRequest, now: float) -> str | None:
        """Return why a challenge is declined, or a turn cannot be thought about; None if neither.

        `now` is in Unix seconds.
        """
        if not self.plays(asked.game):
            return f"no engine here plays {asked.game}"
        if not isinstance(asked, Challenge):
            return None
        self._accepted = [each for each in self._accepted if each[0] > now - UNLISTED]
        running = len(self.games) + len(self._accepted)
        if self.in_all is not None and running >= self.in_all:
            return f"{counted(running, 'game')} {'is' if running == 1 else 'are'} enough"
        if self.per_opponent is not None:
            for opponent in asked.challengers:
                count = sum(opponent in others for others in self._opponents())
                if count >= self.per_opponent:
                    are = "is" if count == 1 else "are"
                    return f"{counted(count, 'game')} with one opponent {are} enough"
        if self.hours is not None and asked.hours is not None:
            closure = self.hours.longest_closure
            if asked.hours < closure:
                return f"a clock of {asked.hours:g} h: engines rest for up to {closure:g} h"
        return None

    def accept(self, challenge: Challenge, now: float) -> None:
        """Count a game that the site does not list yet."""
        self._accepted.append((now, challenge.challengers))

    def learn(self, games: Iterable[ListedGame], asked: float) -> None:
        """Learn which games the site lists. `asked` is when it was asked, in Unix seconds."""
        self.games = tuple(games)
        self._accepted = [each for each in self._accepted if each[0] > asked - ENOUGH]

    def has_gone_on(self, request: TurnRequest) -> bool:
        """Return whether the site listed the game with more turns than a late message has."""
        return any(
            game.gameid == request.gameid and game.plies > request.plies for game in self.games
        )

    def _opponents(self) -> Iterable[tuple[str, ...]]:
        yield from (game.opponents for game in self.games)
        yield from (challengers for _, challengers in self._accepted)


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
