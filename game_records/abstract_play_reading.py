"""Records of Abstract Play, judged by our rules, and by theirs where those differ.

A file has one record, a list of records, or records one after the other. Whatever a record holds
besides the game is kept in a label, so that the record can be written again as it was.
"""

from __future__ import annotations

import codecs
import json
from collections import Counter
from typing import IO, TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from oddly.game_records.abstract_play_turns import (
    SITE,
    ForeignGameError,
    ends_there,
    follow,
    game_by_names,
)
from oddly.game_records.abstract_play_writing import (
    LABEL,
    LAST_WORDS,
    MAX_OBJECT,
    rounds_of,
    site_texts,
    texts_of,
)
from oddly.game_records.kept_game import AGREED, KeptGame, colour_at_the_end, first_problem
from oddly.games import PASS, SWAP, Colour, Ending, Game, Position, Turn, create_game, one_line
from oddly.referee import (
    GameRecord,
    Outcome,
    PlayedTurn,
    RecordError,
    Termination,
    replay,
    score_without_count,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oddly.game_records.kept_game import Notice


FULL = f"both players passed (added here: {SITE} ends a game when the board is full)"
REPEATED = f"the position occurred before, which on {SITE} wins for the player to move"
MAX_NAMES = 5


class _RecordPart(BaseModel):
    model_config = ConfigDict(strict=True, populate_by_name=True)


class _Game(_RecordPart):
    name: str
    variants: list[str] = []


class _Player(_RecordPart):
    name: str
    result: float = Field(allow_inf_nan=False)


class _NamingHeader(_RecordPart):
    game: _Game


class _NamingRecord(_RecordPart):
    """A record of any game, which has other players and moves than ours."""

    header: _NamingHeader


class _Header(_NamingHeader):
    """The part of the header that a game needs; other keys are kept as they are."""

    site: dict[str, Any] = {}
    players: list[_Player] = Field(min_length=2, max_length=2)
    event: str | None = None
    round: str | None = None
    pie_invoked: bool = Field(default=False, alias="pie-invoked")
    pied: bool = False


class _Record(_RecordPart):
    model_config = ConfigDict(extra="forbid")

    header: _Header
    moves: list[list[str | dict[str, Any] | None]]


def read_abstract_play(
    stream: IO[bytes], game: Game | None = None, notice: Notice | None = None
) -> Iterator[KeptGame]:
    """Return the games of a file; `game` is that of records that do not name their board.

    `notice` is called with a sentence for each game that ended by a rule of the site's, and for
    games that are not ours, which are left out. Raises RecordError with the game's number and line,
    also if no game is ours.
    """
    tell = notice or (lambda _: None)
    foreign, refusal, number, found = Counter[str](), "", 0, False
    for number, (line, value) in enumerate(json_objects(stream), start=1):
        try:
            kept, notices = _read_game(value, game)
        except ForeignGameError as error:
            foreign[error.title] += 1
            refusal = refusal or f"game {number}, line {line}: {error}"
            continue
        except RecordError as error:
            raise RecordError(f"game {number}, line {line}: {error}") from None
        for sentence in notices:
            tell(f"game {number}: {sentence}")
        found = True
        yield kept
    if refusal and not found:
        raise RecordError(refusal)
    if foreign:
        names = [one_line(name[:40]) for name, _ in foreign.most_common(MAX_NAMES)]
        more = ["..."] * (len(foreign) > MAX_NAMES)
        tell(
            f"{foreign.total()} of {number} games are left out, since oddly does not have them: "
            f"{', '.join([*names, *more])}"
        )


def _read_game(value: dict[str, Any], named: Game | None) -> tuple[KeptGame, list[str]]:
    """Return the game of a record, and the notices about it."""
    try:
        naming = _NamingRecord.model_validate(value).header.game
        game = game_by_names(naming.name, naming.variants, named)
        header = _Record.model_validate(value).header
    except ValidationError as error:
        raise RecordError(f"not a record of {SITE}: {first_problem(error)}") from None
    is_pied = header.pie_invoked or header.pied
    if is_pied:
        if game.name != "ayu":
            raise RecordError(f"the header says that {game.title} had a pie rule")
        game = create_game("ayu", game.size, {"pie": True})
    texts = texts_of(value["moves"])
    word = texts[-1].strip().lower() if texts else ""
    notices: list[str] = []
    turns, position = _turns(game, texts[:-1] if word in LAST_WORDS else texts, is_pied)
    if ends_there(position) and not position.is_over:
        while not position.is_over:
            turns.append(PlayedTurn(position.to_move, str(PASS), 0.0))
            position = position.play(PASS)
        notices.append(f"{SITE} ended it when the board was full; both passes are added")
    outcome = _outcome(position, turns, header, LAST_WORDS.get(word))
    if outcome.termination is Termination.REPETITION_WON:
        notices.append(f"won by repetition, as on {SITE}; by our rules a draw")
    kept = _kept(game, turns, outcome, header, value)
    if kept.labels[LABEL].get("moves") and _name_a_cell_twice(texts):
        notices.append("a turn that names one cell twice is read as one stone")
    return kept, notices


def _name_a_cell_twice(texts: Sequence[str]) -> bool:
    pairs = ("".join(text.lower().split()).split(",") for text in texts)
    return any(len(pair) == 2 and pair[0][1:] == pair[1][1:] for pair in pairs)


def _turns(game: Game, texts: Sequence[str], is_pied: bool) -> tuple[list[PlayedTurn], Position]:
    """Return the turns, with the swap that the moves do not show, and the position after them."""
    position = game.start()
    played: list[PlayedTurn] = []

    def play(turn: Turn, after: Position) -> Position:
        played.append(PlayedTurn(position.to_move, str(turn), 0.0))
        return after

    for turn, after in follow(position, texts[:1]):
        position = play(turn, after)
    if is_pied:
        if not played:
            raise RecordError("the pie rule was invoked, but nothing was played")
        position = play(SWAP, position.play(SWAP))
    for turn, after in follow(position, texts[1:], number=2):
        position = play(turn, after)
    return played, position


def _outcome(
    position: Position, turns: Sequence[PlayedTurn], header: _Header, word: Termination | None
) -> Outcome:
    """Return how the game ended: by the rules, or as the last word and the results say."""
    winner = _winner(header)
    names = _names(header)
    result, reason = position.result, ""
    if result is not None:
        if word is not None:
            raise RecordError("the game was over before its last word")
        colour, score, how = result.winner, str(result), Termination[result.ending.name]
        reason = (
            FULL if turns[-1].turn == "pass" and 0 not in position.stones else result.ending.value
        )
        if result.ending is Ending.REPETITION:
            colour, how, reason = position.to_move, Termination.REPETITION_WON, REPEATED
            score = f"{colour.letter}+"
        if winner is not colour:
            raise RecordError(f"the header says that {_who(winner)} won, the rules {score}")
    elif word is Termination.VOID:
        colour, score, how, reason = None, "void", word, f"abandoned on {SITE}"
    elif word is Termination.AGREEMENT:
        colour, score, how, reason = None, "0", word, AGREED
    elif word is None or winner is None:
        expected = ", ".join(LAST_WORDS)
        raise RecordError(
            f"the game is not over after its moves, and nothing says why {_who(winner)} won: "
            f"expected one of {expected} after the last"
        )
    else:
        colour, score, how = winner, score_without_count(winner, word), word
        did = "resigned" if word is Termination.RESIGNATION else "lost on time"
        reason = f"{names[winner.other]}: {did}"
    player = None
    if colour is not None:
        player = [colour_at_the_end(turns, seat) for seat in (0, 1)].index(colour)
    return Outcome(player, colour, score, how, reason, len(turns))


def _names(header: _Header) -> dict[Colour, str]:
    """Return the players by the colours of their seats: seat 1 is Black."""
    return dict(zip(Colour, (player.name for player in header.players), strict=True))


def _winner(header: _Header) -> Colour | None:
    """Return who won by the results: seat 1 is Black."""
    first, second = (player.result for player in header.players)
    if first == second:
        return None
    return Colour.BLACK if first > second else Colour.WHITE


def _who(colour: Colour | None) -> str:
    return "nobody" if colour is None else str(colour).capitalize()


def _kept(
    game: Game,
    turns: Sequence[PlayedTurn],
    outcome: Outcome,
    header: _Header,
    value: dict[str, Any],
) -> KeptGame:
    """Return the record, with what else the site's record has."""
    names = _names(header)
    first, second = (names[colour_at_the_end(turns, player)] for player in (0, 1))
    record = GameRecord(game, (first, second), ("", ""), None, tuple(turns), outcome)
    replay(record)
    label: dict[str, Any] = {"header": value["header"]}
    if rounds_of(site_texts(record)) != value["moves"]:
        label["moves"] = value["moves"]
    gameid = header.site.get("gameid")
    facts = {"id": gameid if isinstance(gameid, str) else None, "event": header.event, LABEL: label}
    return KeptGame(record, {name: fact for name, fact in facts.items() if fact is not None})


_BETWEEN = " \t\r\n,[]"


def json_objects(stream: IO[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Return each object with the number of its first line.

    No more than two objects of the maximum length are in memory. Raises RecordError with the line
    for text that is no object, or too long.
    """
    decode = codecs.getincrementaldecoder("utf-8-sig")()
    text, line, ended = "", 1, False
    while True:
        rest = text.lstrip(_BETWEEN)
        line += text.count("\n", 0, len(text) - len(rest))
        text = rest
        while not ended and len(text) <= MAX_OBJECT:
            data = stream.read(MAX_OBJECT)
            ended = not data
            try:
                text += decode.decode(data, final=ended)
            except UnicodeDecodeError:
                raise RecordError(f"line {line} or later is not UTF-8 text") from None
        if not text.strip(_BETWEEN):
            if ended:
                return
            continue
        if text[0] in _BETWEEN:
            continue
        value, length = _first(text, line)
        yield line, value
        line += text.count("\n", 0, length)
        text = text[length:]


def _first(text: str, line: int) -> tuple[dict[str, Any], int]:
    """Return the object that a text begins with, and its length. Raises RecordError."""
    try:
        value, length = json.JSONDecoder().raw_decode(text)
    except json.JSONDecodeError as error:
        if len(text) > MAX_OBJECT:
            raise RecordError(
                f"line {line}: not JSON from here on, or longer than {MAX_OBJECT >> 20} MiB"
            ) from None
        place = f"line {line + error.lineno - 1}, column {error.colno}"
        raise RecordError(f"{place}: not JSON: {error.msg[:1].lower()}{error.msg[1:]}") from None
    except (ValueError, RecursionError):
        raise RecordError(f"line {line}: a number is too large, or the nesting too deep") from None
    if not isinstance(value, dict):
        raise RecordError(f"line {line}: a game is a JSON object")
    return value, length
