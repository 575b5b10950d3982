"""What a browser sees of a game: plain values, all of them answers of the rules.

Spectators see games in one form, running or over, wherever they are played. Of a tournament they
see finished games as rows, and the reports of its format.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal

from oddly.games import (
    PASS,
    SWAP,
    Colour,
    Game,
    GroupCounts,
    Groups,
    Pass,
    Position,
    Swap,
    Turn,
    setting_text,
    touched,
)
from oddly.interfaces.human_play.game_in_progress import Click, GameInProgress
from oddly.interfaces.human_play.recording import record_of
from oddly.interfaces.human_play.sentences import (
    counts_sentence,
    owed,
    passed_sentence,
    result_sentence,
    total_text,
)
from oddly.interfaces.text.format_reports import bracket_lines, table_rows
from oddly.interfaces.viewer.viewer import (
    black_lead,
    first_colour,
    positions_of,
    recorded_game,
    stones_text,
    title,
)
from oddly.referee import GameRecord, Outcome, PlayedTurn, Termination
from oddly.tournaments import KnockoutReport

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oddly.tournaments import RecordedEvent
    from oddly.tournaments.ledger.archive import Archive, FoundGame


CLICKS = {
    Click.DROP: "d",
    Click.FLIP: "f",
    Click.TAKE_BACK: "t",
    Click.SELECT: "s",
    Click.PUT_BACK: "b",
    Click.MOVE: "m",
}
NO_CLICK = "-"

View = dict[str, Any]


def game_view(game: Game) -> View:
    """Return a game with its settings and its board."""
    settings = {name: setting_text(value) for name, value in game.settings.items()}
    board = game.board
    return {
        "name": game.name,
        "size": game.size,
        "settings": settings,
        "title": title(game),
        "shape": board.shape,
        "vertices": len(board),
    }


def colour_named(name: object) -> Colour | None:
    """Return the colour of a browser's word, None for anything else."""
    return next((colour for colour in Colour if str(colour) == name), None)


def as_sentence(error: Exception) -> str:
    """Return the message of an error as a sentence."""
    text = str(error)
    first = text.partition(" ")[0]
    # A vertex or a turn keeps its small letter.
    begun = text if any(map(str.isdigit, first)) else text[:1].upper() + text[1:]
    return begun.rstrip(".") + "."


def progress_view(current: GameInProgress) -> View:
    """Return the board, the counts and the possible actions."""
    partial = current.partial
    counts = partial.group_counts
    placed, left = current.last
    return {
        "stones": stones_text(partial.stones),
        "tentative": list(partial.tentative),
        "origin": partial.origin,
        "placed": sorted(placed),
        "left": sorted(left),
        "clicks": {str(colour): _clicks_text(current, colour) for colour in Colour},
        "groups": groups_view(current.game, partial.stones, counts),
        "black": counts.black,
        "white": counts.white,
        "lead": black_lead(current.game, counts),
        "sentence": counts_sentence(current),
        "total": total_text(current),
        "owed": owed(current),
        "to_move": str(current.to_move),
        "mover": current.mover,
        "turns": [str(turn) for turn in current.turns],
        "passed": passed_sentence(current),
        "over": result_sentence(current),
        "winner": _winner(current),
        "can": {
            "end": partial.can_end,
            "pass": current.can_play(PASS),
            "swap": current.can_play(SWAP),
            "undo": current.can_undo,
            "resign": not current.is_over,
        },
        "has_drops": current.has_drops,
        "has_pass": Pass in current.game.turn_kinds,
        "has_swap": Swap in current.game.turn_kinds,
        "counted": current.game.counted,
    }


def _clicks_text(current: GameInProgress, colour: Colour) -> str:
    """Return what a click does on each vertex while a colour is chosen, one character for each."""
    clicks = current.clicks_in(colour)
    return "".join(
        CLICKS[clicks[vertex]] if vertex in clicks else NO_CLICK
        for vertex in current.game.board.vertices
    )


def groups_view(game: Game, stones: Sequence[int], counts: GroupCounts) -> list[list[int]]:
    """Return the groups that count, as the indices of their stones, in the order of the board.

    Returns none if the game counts anything but connected stones of one colour.
    """
    found = [
        sorted(group)
        for group in Groups.of(game.board, stones).members.values()
        if len(group) >= game.smallest_counted
    ]
    black = sum(stones[group[0]] == Colour.BLACK for group in found)
    return sorted(found) if (black, len(found) - black) == tuple(counts) else []


def _winner(current: GameInProgress) -> int | None:
    """Return the player who has won; None before the end and for a draw."""
    if not current.is_over:
        return None
    return record_of(current, ("", ""), ("", ""), [0.0] * len(current.turns)).outcome.winner


def summary_view(current: GameInProgress, players: tuple[str, str], seats: tuple[str, str]) -> View:
    """Return what a list of games shows of a game."""
    outcome = record_of(current, players, ("", ""), [0.0] * len(current.turns)).outcome
    return {
        "title": title(current.game),
        "players": list(players),
        "people": list(seats),
        "turns": len(current.turns),
        "mover": current.mover,
        "first": str(first_colour(current.mover, current.to_move)),
        "over": result_sentence(current),
        "score": outcome.score if current.is_over else "",
        "winner": outcome.winner,
    }


def frames(start: Position, turns: Iterable[Turn]) -> Iterator[View]:
    """Yield the positions of a game from its start. Raises IllegalTurn."""
    position = start
    yield frame(position, None, 0)
    for number, turn in enumerate(turns, start=1):
        position = position.play(turn)
        yield frame(position, turn, number % 2)


def counted_frame(position: Position, turn: Turn | None, mover: int) -> View:
    """Return a `frame` with the groups that count."""
    groups = groups_view(position.game, position.stones, position.group_counts)
    return {**frame(position, turn, mover), "groups": groups}


def frame(position: Position, turn: Turn | None, mover: int) -> View:
    """Return a position after a turn, where the player `mover` is to move."""
    placed, left = touched(turn)
    counts = position.group_counts
    return {
        "turn": str(turn) if turn else "",
        "stones": stones_text(position.stones),
        "placed": sorted(placed),
        "left": sorted(left),
        "black": counts.black,
        "white": counts.white,
        "lead": black_lead(position.game, counts),
        "to_move": str(position.to_move),
        "first": str(first_colour(mover, position.to_move)),
    }


State = Literal["running", "over", "stopped"]
Clocks = tuple[float | None, float | None]

NO_CLOCKS: Clocks = (None, None)


@dataclass(frozen=True, slots=True)
class ShownGame:
    """A game at one moment, with its positions as far as its turns are legal."""

    id: str
    state: State
    """`stopped` if it is not over, and nobody plays it now."""
    record: GameRecord
    """What was played so far; void while it is not over."""
    positions: Sequence[Position]
    clocks: Clocks = NO_CLOCKS
    """The seconds that each player has, at the moment `at`; None if unknown or endless."""
    at: float | None = None
    """The moment of the last turn, in seconds since 1970."""
    number: int = 0
    """Its place in the schedule of its event; 0 for none."""
    note: str = ""
    """Anything else to know about it, in one sentence."""
    is_on_page: bool = False
    """Whether it is one of the games on the page, such as an exhibition."""

    @property
    def turns(self) -> Sequence[PlayedTurn]:
        """The turns that are legal."""
        return self.record.turns[: len(self.positions) - 1]

    @property
    def mover(self) -> int:
        """The player to move: 0 opened."""
        return len(self.turns) % 2

    def expected(self, turn: int) -> tuple[float | None, float | None]:
        """Return the chance that each player gave itself in its last evaluation by `turn`."""
        found: list[float | None] = [None, None]
        for number, played in enumerate(self.turns[:turn]):
            if played.evaluation is not None and played.black_win_rate is not None:
                # Black's chances are those that `recorded_game` gives to the script.
                black = round(played.black_win_rate, 3)
                is_black = played.black_win_rate == played.evaluation.win_rate
                found[number % 2] = black if is_black else round(1 - black, 3)
        return found[0], found[1]

    def as_json(self) -> dict[str, Any]:
        """Return what a browser shows of the game."""
        record = replace(self.record, turns=tuple(self.turns))
        counts = [position.group_counts for position in self.positions]
        return {
            "kind": "game",
            "id": self.id,
            "state": self.state,
            "is_on_page": self.is_on_page,
            "number": self.number,
            "note": self.note,
            "game": game_view(record.game),
            "start": stones_text(self.positions[0].stones),
            "counts": [list(each) for each in counts],
            "leads": [black_lead(record.game, each) for each in counts],
            "to_move": str(self.positions[-1].to_move),
            "clocks": list(self.clocks),
            "at": self.at,
            "expects": list(self.expected(len(self.turns))),
            **recorded_game(record),
        }


def picture_digest(record: GameRecord) -> str:
    """Return a digest that identifies the picture of the last position."""
    facts = (str(record.game), *(played.turn for played in record.turns))
    return sha256(repr(facts).encode()).hexdigest()[:16]


def shown(identity: str, state: State, record: GameRecord, **more: Any) -> ShownGame:  # noqa: ANN401
    """Return a game with its positions."""
    positions = positions_of(record.game, [played.turn for played in record.turns])
    return ShownGame(identity, state, record, positions, **more)


def unfinished(
    game: Game, players: tuple[str, str], turns: Iterable[PlayedTurn], opening: int
) -> GameRecord:
    """Return the record of a game so far, which is void."""
    played = tuple(turns)
    outcome = Outcome(None, None, "", Termination.VOID, "", len(played))
    return GameRecord(game, players, ("", ""), None, played, outcome, opening)


def recorded(archive: Archive, name: str) -> ShownGame | None:
    """Return a game of an archive; None if it has none of that id. Raises LedgerError."""
    record = archive.record(name)
    if record is None:
        return None
    note = ""
    if archive.is_annulled(name):
        note = "The arbiter has annulled this game: it does not count."
    elif record.outcome.is_void:
        note = "This game is void: it counts for nobody, and is played again."
    return shown(name, "over", record, note=note)


def game_row(found: FoundGame, record: GameRecord | None) -> View:
    """Return what a table shows of a finished game."""
    return {
        "id": found.id,
        "number": found.number,
        "title": title(found.game),
        "players": list(found.players),
        # The index has no score.
        "score": record.outcome.score if record else "",
        "termination": found.ending.value,
        "winner": found.winner,
        "turns": found.turns,
        "ended": found.finished[:10],
        "picture": picture_digest(record) if record else "",
    }


def event_reports(event: RecordedEvent) -> list[View]:
    """Return brackets as lines, and other reports as rows."""
    plan = event.plan()
    found: list[View] = []
    for name, report in (plan.reports() if plan else {}).items():
        if isinstance(report, KnockoutReport):
            found.append({"title": name, "bracket": bracket_lines(report.bracket)})
        elif report is not None and (table := report.table()) is not None:
            rows = table_rows(table)
            found.append({"title": name, "headers": list(table.headers), "rows": rows})
    return found
