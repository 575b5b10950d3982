"""Records as Abstract Play writes them, in JSON: one object a game, each on its own line."""

from __future__ import annotations

from copy import deepcopy
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from oddly.game_records.abstract_play_turns import (
    SITE,
    ends_there,
    game_by_names,
    read_site_turn,
    site_turn,
    title_and_variants,
)
from oddly.game_records.kept_game import KeptGame, colour_at_the_end, json_text
from oddly.games import SWAP, Turn
from oddly.games.wording import counted
from oddly.protocol import parse_turn
from oddly.referee import GameRecord, RecordError, Termination

if TYPE_CHECKING:
    from collections.abc import Sequence


LABEL = "abstract_play"
"""The label under which a game from the site keeps what only the site records."""
MAX_OBJECT = 1 << 20
"""The maximum characters of an object: ten times the longest game on the largest board."""
LAST_WORDS = {
    "resign": Termination.RESIGNATION,
    "timeout": Termination.TIME,
    "draw": Termination.AGREEMENT,
    "abandoned": Termination.VOID,
}
"""The words in place of a move where the rules do not end a game."""


def site_record(kept: KeptGame) -> str:
    """Return the line of one game.

    Raises RecordError if the site does not have such a game, for text that is not Unicode, and for
    a game that is too long to be read. A game that was read from one of their records gets its
    dates, ids and names again.
    """
    header = _header(kept)
    text = json_text({"header": header, "moves": _moves(kept)}, is_ascii=False)
    if len(text) > MAX_OBJECT:
        raise RecordError(f"its object is longer than {MAX_OBJECT >> 20} MiB")
    return text + "\n"


def rounds_of(texts: Sequence[str]) -> list[list[str]]:
    """Return turns in rounds of two, as the site writes them."""
    return [list(texts[n : n + 2]) for n in range(0, len(texts), 2)]


def site_texts(record: GameRecord) -> list[str]:
    """Return a game's turns as the site writes them, with what ended it if the rules did not.

    A swap and the passes after the board was full are left out. Raises RecordError for a game that
    could not be played there.
    """
    position, texts = record.game.start(), []
    ended = False
    for played in record.turns:
        turn: Turn = parse_turn(played.turn)
        ended = ended or ends_there(position)
        if turn != SWAP and not ended:
            texts.append(site_turn(record.game, turn))
        position = position.play(turn)
    outcome = record.outcome
    if outcome.termination is Termination.REPETITION:
        raise RecordError(
            f"a draw by repetition, where {SITE} gives the game to the player to move"
        )
    if ended or outcome.termination is Termination.REPETITION_WON or position.is_over:
        if ended and outcome.termination is not Termination.DOUBLE_PASS:
            # It went on after its end on the site, other than by passes.
            raise RecordError(f"on {SITE} the game is over when the board is full")
    else:
        texts.append(_last_word(record))
    return texts


def _last_word(record: GameRecord) -> str:
    """Return the word after the last turn; the only forfeit that the site knows is resignation."""
    termination = record.outcome.termination
    for word, meant in LAST_WORDS.items():
        if meant is termination:
            return word
    if record.outcome.is_void:
        return "abandoned"
    return "draw" if record.outcome.winner is None else "resign"


def _moves(kept: KeptGame) -> list[list[Any]]:
    """Return the rounds, as they were read if they still say the same."""
    record = kept.record
    texts = site_texts(record)
    label = kept.labels.get(LABEL)
    was = label.get("moves") if isinstance(label, dict) else None
    if not isinstance(was, list):
        return rounds_of(texts)
    try:
        is_same = _plain(record, texts_of(was)) == _plain(record, texts)
    except (RecordError, AttributeError, TypeError):
        is_same = False
    return was if is_same else rounds_of(texts)


def _plain(record: GameRecord, texts: Sequence[str]) -> list[str]:
    """Return the site's texts with the turns among them in our notation."""
    words = [text.strip().lower() for text in texts]
    game = record.game
    return [w if w in LAST_WORDS else str(read_site_turn(game, w)) for w in words]


def texts_of(moves: Sequence[Sequence[object]]) -> list[str]:
    """Return the turns of a record's rounds, one after the other. Raises RecordError."""
    texts: list[str] = []
    is_ended = False
    for number, round_ in enumerate(moves, start=1):
        if len(round_) > 2:
            raise RecordError(f"round {number} has {counted(len(round_), 'turn')}, for two players")
        for move in round_:
            text = move.get("move") if isinstance(move, dict) else move
            if text is None:
                is_ended = True
            elif is_ended or not isinstance(text, str):
                raise RecordError(f"round {number}: a turn is a text, or an object with 'move'")
            else:
                texts.append(text)
        is_ended = is_ended or len(round_) < 2
    return texts


def _header(kept: KeptGame) -> dict[str, Any]:
    """Return the header: who played what, when, and with which result."""
    record = kept.record
    header = _header_read(kept) or _new_header(kept)
    ordered = _by_seat(record)
    for seat, player in enumerate(ordered):
        facts = header["players"][seat]
        facts["name"], facts["result"] = record.players[player], _points(record, player)
    return header


def _header_read(kept: KeptGame) -> dict[str, Any] | None:
    """Return the header that the game was read with, if it still fits."""
    label = kept.labels.get(LABEL)
    try:
        header: dict[str, Any] = deepcopy(label["header"])  # type: ignore[index]
        game = game_by_names(header["game"]["name"], header["game"]["variants"], kept.record.game)
        same = (game.name, game.size) == (kept.record.game.name, kept.record.game.size)
        swapped = any(played.turn == "swap" for played in kept.record.turns)
        is_pied = any(header.get(key) for key in ("pie-invoked", "pied"))
        fits = same and swapped is is_pied and [type(p) for p in header["players"]] == [dict, dict]
    except (KeyError, TypeError, AttributeError, RecordError):
        return None
    return header if fits else None


def _new_header(kept: KeptGame) -> dict[str, Any]:
    record, labels = kept.record, kept.labels
    title, variants = title_and_variants(record.game)
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    site = {"name": "oddly"}
    if isinstance(name := labels.get("id"), str):
        site["gameid"] = name
    header: dict[str, Any] = {
        "game": {"name": title, "variants": variants},
        "site": site,
        "date-start": now,
        "date-end": now,
        "date-generated": now,
        "players": [
            {"is_ai": True} if record.engines[player] else {} for player in _by_seat(record)
        ],
    }
    event, round_ = labels.get("event"), labels.get("round")
    if isinstance(event, str) and isinstance(round_, int | str):
        header |= {"event": event, "round": str(round_)}
    if any(played.turn == "swap" for played in record.turns):
        header["pie-invoked"] = True
    return header


def _by_seat(record: GameRecord) -> list[int]:
    """Return the players in the order of their seats at the end: Black, then White."""
    return sorted((0, 1), key=lambda player: colour_at_the_end(record.turns, player))


def _points(record: GameRecord, player: int) -> int:
    outcome = record.outcome
    if outcome.winner is None:
        return 0 if outcome.is_void else 1
    return int(outcome.winner == player)
