"""The contents of a file for which a record has no place, named in one sentence."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from oddly.game_records import sgf_grammar
from oddly.game_records.sgf_values import PRIVATE, Node
from oddly.game_records.sgf_writing import EMPTIED, STONES, sgf_nodes
from oddly.games import Colour
from oddly.games.wording import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from oddly.game_records.kept_game import KeptGame

    Notice = Callable[[str], None]

COMMENTS, VARIATIONS, MARKS = "comments", "variations", "marks"
UNNAMED = "properties without a capital letter"
"""Only capitals count in the names of properties."""
TAPS = "taps that make no whole turn"
_READ = {*STONES.values(), EMPTIED, PRIVATE, *(colour.letter for colour in Colour)} | {
    "AP", "CA", "FF", "GM", "GN", "PL", "RE", "ST", "SZ",
}  # fmt: skip
"""Properties that are understood, or say nothing about the game."""
_WORDS = {
    "": UNNAMED,
    **dict.fromkeys(("C", "GC", "N"), COMMENTS),
    **dict.fromkeys(
        ("AR", "CR", "DD", "LB", "LN", "MA", "SL", "SQ", "TB", "TR", "TW", "VW"), MARKS
    ),
}
_PARTS = (COMMENTS, MARKS, VARIATIONS, TAPS, UNNAMED)
_KNOWN_ENDS = {"", "F", "FORFEIT", "R", "RESIGN", "T", "TIME"}
_NO_RESULT = {"", "?", "VOID"}


class LeftOut:
    """Collects what the games of a file lose when they are read."""

    def __init__(self) -> None:
        self._games = 0
        self._lossy = 0
        self._words: Counter[str] = Counter()

    def add(self, words: Iterable[str]) -> None:
        """Note the losses of a game, each in words or as the name of a property."""
        lost = set(words)
        self._games += 1
        self._lossy += bool(lost)
        self._words.update(lost)

    def tell(self, notice: Notice) -> None:
        """Call `notice` with a sentence on what was lost, if anything."""
        if not self._words:
            return
        names = sorted(word for word in self._words if word.isupper())
        parts = [word for word in _PARTS if word in self._words]
        if names:
            parts.append(f"the propert{'ies' if len(names) > 1 else 'y'} {listed(names)}")
        are = "is" if len(names) == 1 and len(parts) == 1 else "are"
        where = "" if self._lossy == self._games else f", in {self._lossy} of {self._games} games"
        notice(f"of what this file holds, {listed(parts)} {are} left out{where}")


def sgf_left_out(nodes: Iterable[Node], kept: KeptGame, encoding: str | None) -> Iterator[str]:
    """Yield what the nodes hold that our own SGF of the game does not."""
    held = {
        (name, _text(value, "utf-8"))
        for node in sgf_nodes(kept)
        for name in node
        for value in node[name]
    }
    for node in nodes:
        for name, values in node.items():
            if name == "RE":
                claimed = _text(values[0], encoding)
                if not is_result_kept(claimed, kept):
                    yield name
            elif name not in _READ and any(
                text and (name, text) not in held
                for text in (_text(value, encoding) for value in values)
            ):
                yield _WORDS.get(name, name)


def is_result_kept(claimed: str, kept: KeptGame) -> bool:
    """Return whether a game was read with the result that its file claims.

    If the rules end the game, a file that says otherwise is not read at all.
    """
    words = claimed.strip().upper()
    outcome = kept.record.outcome
    if words in _NO_RESULT or outcome.score.upper() == words:
        return True
    winner, plus, how = words.partition("+")
    if not plus:
        return outcome.winning_colour is None and not outcome.is_void
    if outcome.winning_colour is None or outcome.winning_colour.letter != winner:
        return False
    return how in _KNOWN_ENDS or not outcome.score.endswith("F")


def _text(value: bytes, encoding: str | None) -> str:
    raw: bytes = sgf_grammar.text_value(value)
    try:
        return raw.decode(encoding or "utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
