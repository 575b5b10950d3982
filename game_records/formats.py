"""The file formats of games by name and file ending, whole files of games, and losses.

A format's losses are found by reading back what it wrote.
"""

from __future__ import annotations

import io
import re
from codecs import BOM_UTF8
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

from oddly.game_records.abstract_play_reading import read_abstract_play
from oddly.game_records.abstract_play_writing import site_record
from oddly.game_records.kept_game import KeptGame, colour_at_the_end, game_without_outcome
from oddly.game_records.line_formats import (
    TurnListWriter,
    json_line,
    read_json_lines,
    read_turn_list,
)
from oddly.game_records.sgf_reading import read_sgf
from oddly.game_records.sgf_writing import sgf_game, sgf_of_taps
from oddly.games.untrusted_text import file_name
from oddly.games.wording import listed
from oddly.protocol import parse_turn
from oddly.referee import GameRecord, RecordError
from oddly.safe_files import new_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from oddly.game_records.kept_game import Notice
    from oddly.games import Game


class ReadGames(Protocol):
    """A reader of the games of a file, each judged by the rules. Raises RecordError."""

    def __call__(
        self, stream: IO[bytes], game: Game | None = None, notice: Notice | None = None, /
    ) -> Iterator[KeptGame]:
        """Return the games; `game` is their game if the file does not name it.

        `notice` is called with what the user should know, a sentence at a time.
        """


@dataclass(frozen=True)
class FileFormat:
    """How games are read from a file, and how each is written; both may raise RecordError.

    `writer` gives a function from games to their text, for one file.
    """

    suffixes: tuple[str, ...]
    read: ReadGames
    writer: Callable[[], Callable[[KeptGame], str]]


FORMATS = {
    "sgf": FileFormat((".sgf",), read_sgf, lambda: sgf_game),
    "jsonl": FileFormat((".jsonl", ".json", ".ndjson"), read_json_lines, lambda: json_line),
    "turns": FileFormat((".turns", ".txt"), read_turn_list, TurnListWriter),
    "abstract-play": FileFormat((".json",), read_abstract_play, lambda: site_record),
}
"""The formats of files of games by their names."""
SGF_OF_TAPS = FileFormat((".sgf",), read_sgf, lambda: sgf_of_taps)
"""SGF as GoGui writes it, each move a tap. It is read as any SGF is."""
MAX_NAME_LENGTH = 120
"""Characters of a game's file name before its ending."""
SNIFFED = 1 << 16
"""Bytes at the start of a file that show its format."""
_SITE_RECORD = re.compile(rb"(?:%s)?" % BOM_UTF8 + rb'[\s\[]*\{\s*"(?:header|moves)"')


def format_of(path: Path) -> str | None:
    """Return the format of a file of that name, or None."""
    for name, format_ in FORMATS.items():
        if path.suffix.lower() in format_.suffixes:
            return name
    return None


def format_of_file(path: Path) -> str | None:
    """Return the format of a file to read, by its name and its beginning, or None."""
    name = format_of(path)
    if name == "jsonl" and path.is_file():
        try:
            with path.open("rb") as file:
                return _json_format(file.read(SNIFFED))
        except OSError:
            return name
    return name


def format_of_text(text: bytes) -> str:
    """Return the format of a text without a name, by its beginning."""
    begins = text.removeprefix(BOM_UTF8).lstrip()[:1]
    if begins in (b"(", b";"):
        return "sgf"
    return _json_format(text) if begins in (b"{", b"[") else "turns"


def _json_format(begins: bytes) -> str:
    return "abstract-play" if _SITE_RECORD.match(begins) else "jsonl"


def game_file_name(number: int, record: GameRecord, suffix: str) -> str:
    """Return the name of one file among many, `00001-yodd-8-a-b.sgf`, in safe characters."""
    words = f"{number:05} {record.game.name} {record.game.size} {' '.join(record.players)}"
    return file_name(words, MAX_NAME_LENGTH) + suffix


def read_games(
    path: str | Path, game: Game | None = None, notice: Notice | None = None
) -> list[KeptGame]:
    """Return the games of a file, each judged by the rules.

    `game` is the game of a file that does not name it. `notice` is called with what the user
    should know, a sentence at a time: where another site's rules differ from ours.

    Raises RecordError for a file of no known format and for a game that the rules contradict, and
    OSError.

    >>> import oddly
    >>> game = oddly.create_game("odd", 2)
    >>> record = oddly.play_game("oddly engine greedy", "oddly engine random", game)
    >>> oddly.write_games([record], "match.sgf")
    1
    >>> [kept] = oddly.read_games("match.sgf")
    >>> print(kept.record.players, kept.record.outcome.score == record.outcome.score)
    ('greedy', 'random') True
    """
    format_ = _known(Path(path), format_of_file(Path(path)))
    with Path(path).open("rb") as file:
        return list(format_.read(file, game, notice))


def write_games(
    games: Iterable[KeptGame | GameRecord], path: str | Path, format_: FileFormat | None = None
) -> int:
    """Write games to a new file and return how many there are.

    The end of its name says the format, unless `format_` does. Raises RecordError for a file of no
    known format and for a game that cannot be written in it, and FileExistsError; no file is left
    then.

    >>> import oddly
    >>> game = oddly.create_game("odd", 2)
    >>> record = oddly.play_game("oddly engine greedy", "oddly engine random", game)
    >>> oddly.write_games([record], "game.sgf")
    1
    """
    write = (format_ or _known(Path(path), format_of(Path(path)))).writer()
    with new_file(Path(path)) as file:
        return sum(file.write(write(_writable(game))) > 0 for game in games)


def _writable(game: KeptGame | GameRecord) -> KeptGame:
    """Return a game that can be read back. Raises RecordError for any other."""
    kept = game if isinstance(game, KeptGame) else KeptGame(game)
    kept.check_seconds()
    return kept


def _known(path: Path, name: str | None) -> FileFormat:
    if name is None:
        endings = dict.fromkeys(s for format_ in FORMATS.values() for s in format_.suffixes)
        raise RecordError(f"the name {path.name!r} ends with none of {', '.join(endings)}")
    return FORMATS[name]


def shortened(kept: KeptGame, most: int) -> KeptGame:
    """Return the first `most` turns of a game, without a result unless it was over by then."""
    record = kept.record
    if len(record.turns) <= most:
        return kept
    turns = record.turns[:most]
    position = record.game.start()
    for played in turns:
        position = position.play(parse_turn(played.turn))
    names = {colour_at_the_end(turns, player): record.players[player] for player in (0, 1)}
    return game_without_outcome(record.game, position, turns, names)


PARTS: dict[str, tuple[str, Callable[[GameRecord], Any]]] = {
    "options": ("the options of the game", lambda record: str(record.game)),
    "turns": ("some turns", lambda record: [(each.colour, each.turn) for each in record.turns]),
    "players": ("the players' names", lambda record: record.players),
    "engines": ("the names of the engines' programs", lambda record: record.engines),
    "seconds": (
        "the seconds that turns took", lambda record: [round(t.seconds, 6) for t in record.turns]
    ),
    "evaluations": (
        "what the players expected", lambda record: [turn.evaluation for turn in record.turns]
    ),
    "seed": ("the seed", lambda record: record.seed),
    "opening": ("which turns were an opening", lambda record: record.opening),
    "winner": ("who won", lambda record: record.outcome.winner),
    "score": ("the score", lambda record: record.outcome.score),
    "ending": ("how it ended, in words", lambda r: (r.outcome.termination, r.outcome.reason)),
    "evidence": ("the evidence of a fault", lambda r: (r.outcome.evidence, r.outcome.diagram)),
    "lag": ("how late the referee was", lambda record: record.outcome.lag),
    "circumstances": (
        "the machine and the deaths of engines",
        lambda r: (r.host, r.deaths, r.abandoned, r.timing and r.timing.as_json()),
    ),
}  # fmt: skip
"""The parts of a record: words for the loss of each in a sentence, and what it is."""

WORDS = {
    "game": "games without turns",
    **{name: words for name, (words, _) in PARTS.items()},
    "labels": "labels such as the event and the round",
}
"""The words for all losses."""


def losses(kept: KeptGame, format_: FileFormat) -> list[str]:
    """Return the parts of a game that are lost when `format_` writes it and reads it back.

    They are keys of WORDS. Raises RecordError if the game cannot be written at all, or not so that
    it can be read.
    """
    data = format_.writer()(kept).encode()
    try:
        found = [*format_.read(io.BytesIO(data), kept.record.game)]
    except ValueError as error:
        raise RecordError(f"it could not be read back: {error}") from None
    if not found:
        return ["game"]
    if len(found) > 1:
        raise RecordError(f"it could not be read back: it became {len(found)} games")
    [after] = found
    lost = [
        name
        for name, (_, part) in PARTS.items()
        if (before := part(kept.record)) != part(after.record) and not _is_empty(before)
    ]
    if any(label not in after.labels or after.labels[label] != kept.labels[label]
           for label in kept.labels):  # fmt: skip
        lost.append("labels")
    return lost


class LossCount:
    """Counts the losses of games on their way into a format."""

    def __init__(self, format_: FileFormat) -> None:
        self._format = format_
        self._games = 0
        self._lossy = 0
        self._lost: Counter[str] = Counter()

    def watch(self, games: Iterable[KeptGame]) -> Iterator[KeptGame]:
        """Yield the games unchanged. Raises RecordError for one that cannot be written."""
        for kept in games:
            lost = losses(kept, self._format)
            self._games += 1
            self._lossy += bool(lost)
            self._lost.update(lost)
            yield kept

    def sentence(self) -> str:
        """Return what was lost, in a sentence; empty if nothing was."""
        if not self._lost:
            return ""
        lost = listed([words for name, words in WORDS.items() if name in self._lost])
        where = "" if self._lossy == self._games else f" of {self._lossy} of {self._games} games"
        return f"this format does not keep {lost}{where}"


def _is_empty(value: object) -> bool:
    """Return whether a value holds nothing that could be lost."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_empty, value))
    return value is None or value == "" or (isinstance(value, float) and value == 0)
