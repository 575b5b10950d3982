"""Sessions: commands in a row, with the replies that follow from the rules in `games/`."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from oddly.games import (
    PASS,
    Colour,
    GameError,
    IllegalTurn,
    Status,
    create_game,
    random_turn,
    read_setting,
)
from oddly.protocol import NotationError, parse_analysis, parse_colour, parse_turn
from tools.vectors.by_hand import sessions_by_hand
from tools.vectors.facts import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oddly.games import Game, Position
    from tools.vectors.facts import Facts

BETWEEN = "; "
"""What stands between two commands, and between two replies."""
STONES = {".": 0, "B": Colour.BLACK, "W": Colour.WHITE}
TURNS = 12
"""Turns of a walk, or fewer if the game ends."""

GAMES = (
    ("yodd", 3, ""),
    ("xodd", 3, ""),
    ("xodd", 2, ""),
    ("odd", 3, "board hexhex min_group 2"),
    ("odd", 3, "board square min_group 3"),
    ("ayu", 5, "pie false"),
    ("ayu", 3, "pie true"),
)

ANALYSES = (
    "info turn Bc3 visits 812 win_rate 0.5312 variation Bc3 Wb3,Wc4",
    "info turn Bc3 visits 9 win_rate 0.5 lead -2 variation Bc3 info turn pass visits 7 win_rate 1",
    "info turn d4-d5 visits 0 win_rate 1 variation d4-d5 e1-e2",
    "info turn swap visits 7 win_rate 0 mood good prior 0.2 variation swap",
    "info turn pass visits 999999999999999999 win_rate 0.5 variation pass",
    "info turn pass visits 1000000000000000000 win_rate 0.5 variation pass",
    " ".join(
        f"info turn Ba{row} visits {row} win_rate 0.5 variation Ba{row}" for row in range(1, 13)
    ),
    "info turn pass visits 1 win_rate 1.5 variation pass",
    "info turn pass visits -1 win_rate 0.5 variation pass",
    "info turn pass win_rate 0.5 variation pass",
    "info turn pass visits 1 variation pass",
    "info turn resign visits 1 win_rate 0.5 variation resign",
    "info turn pass visits 1 win_rate 0.5 variation Ba1",
    "turn pass visits 1 win_rate 0.5 variation pass",
    "info turn pass visits 1 win_rate nan variation pass",
    "info turn pass win_rate 0.5 visits 1 variation pass",
    "info turn pass visits 1 win_rate 0.5 Mood good variation pass",
    "info turn pass visits 1  win_rate 0.5 variation pass",
    "info turn pass visits 1 win_rate 0.5 variation",
    "info turn pass visits 1 win_rate 5e-1 variation pass",
)


class RefusedError(Exception):
    """A command that fails; the message is how the failure begins."""


class ModelSession:
    """An engine's state, and the commands that it was sent with its replies."""

    def __init__(self) -> None:
        self.commands: list[str] = []
        self.replies: list[str] = []
        self.begin(create_game("yodd"))

    def begin(self, game: Game) -> None:
        """Come to the start of a game."""
        self.game = game
        self.past: list[Position] = []
        self.position = game.start()

    def __call__(self, *lines: str) -> None:
        """Take commands."""
        answers: dict[str, Callable[..., str | None]] = {
            "set_game": self.set_game,
            "boardsize": self.set_size,
            "clear_board": lambda: self.begin(self.game),
            "setup": self.set_up,
            "play": self.play,
            "undo": self.undo,
            "group_counts": lambda: words(self.position.group_counts),
            "final_score": self.score,
        }
        for line in lines:
            self.commands.append(line)
            name, *arguments = line.split()
            try:
                answer = answers[name](*arguments) or ""
                self.replies.append(f"= {answer}".rstrip())
            except RefusedError as refused:
                self.replies.append(f"? {refused}")

    def set_game(self, name: str, *settings: str) -> None:
        """Begin a game. Raises RefusedError."""
        pairs = zip(settings[::2], settings[1::2], strict=True)
        try:
            self.begin(create_game(name, None, {s: read_setting(name, s, v) for s, v in pairs}))
        except GameError as error:
            raise RefusedError("unknown game" if "unknown game" in str(error) else "") from None

    def set_size(self, size: str) -> None:
        """Begin on another board. Raises RefusedError."""
        try:
            self.begin(create_game(self.game.name, int(size), self.game.settings))
        except GameError:
            raise RefusedError("unacceptable size") from None

    def set_up(self, colour: str, stones: str, kind: str = "", number: str = "0") -> None:
        """Come to a position. Raises RefusedError."""
        status = Status(int(number), kind == "swap")
        if len(stones) != len(self.game.board) or status.passes > 1:
            raise RefusedError("illegal position")
        try:
            laid = [STONES[stone] for stone in stones]
            position = self.game.set_up(laid, parse_colour(colour), status)
        except GameError:
            raise RefusedError("illegal position") from None
        self.begin(self.game)
        self.position = position

    def play(self, colour: str, text: str) -> None:
        """Play a turn. Raises RefusedError."""
        try:
            turn = parse_turn(text)
        except NotationError:
            raise RefusedError("syntax error") from None
        try:
            if parse_colour(colour) is not self.position.to_move:
                raise RefusedError("illegal move")
            after = self.position.play(turn)
        except IllegalTurn:
            raise RefusedError("illegal move") from None
        self.past.append(self.position)
        self.position = after

    def undo(self) -> None:
        """Take a turn back. Raises RefusedError."""
        if not self.past:
            raise RefusedError("cannot undo")
        self.position = self.past.pop()

    def score(self) -> str:
        """Return the result. Raises RefusedError."""
        if self.position.result is None:
            raise RefusedError("game is not over")
        return str(self.position.result)

    def facts(self, about: str) -> Facts:
        """Return the session as a line."""
        return _facts(about, self.game.name, self.commands, self.replies)


def _facts(about: str, game: str, commands: list[str], replies: list[str]) -> Facts:
    return {
        "about": about,
        "game": game,
        "commands": BETWEEN.join(commands),
        "replies": BETWEEN.join(replies),
    }


def sessions() -> Iterator[Facts]:
    """Return sessions about undo, sequences, settings and commands that not all engines know."""
    for number, (name, size, settings) in enumerate(GAMES):
        yield _undoing(_begun(name, size, settings), Random(f"undo {number}"))
        yield _mixed(_begun(name, size, settings), Random(f"sequence {number}"))
        yield _setting(_begun(name, size, settings))
        if name != "ayu":
            yield _setting_up(_begun(name, size, settings), Random(f"setup {number}"))
    for about, name, commands, replies in sessions_by_hand():
        yield _facts(about, name, commands, replies)


def analyses() -> Iterator[Facts]:
    """Return lines of the reply to `analyze`, right and wrong ones."""
    for text in ANALYSES:
        facts: Facts = {"text": text, "malformed": False, "turns": "", "visits": ""}
        try:
            found = parse_analysis(text).turns
        except NotationError:
            facts["malformed"] = True
        else:
            facts["turns"] = words(each.turn for each in found)
            facts["visits"] = words(each.visits for each in found)
        yield facts


def _begun(name: str, size: int, settings: str) -> ModelSession:
    session = ModelSession()
    session(" ".join(filter(None, ("set_game", name, settings))), f"boardsize {size}")
    return session


def _turn(session: ModelSession, random: Random) -> str:
    """Return the command that plays a turn, a pass now and then."""
    position = session.position
    is_pass = random.random() < 0.3 and position.is_legal(PASS)
    return f"play {position.to_move} {PASS if is_pass else random_turn(position, random)}"


def _undoing(session: ModelSession, random: Random) -> Facts:
    """Forwards and backwards, past the end and past the start."""
    for _ in range(TURNS):
        if session.position.is_over:
            break
        session(_turn(session, random))
        if random.random() < 0.4:
            session("group_counts", "undo", "group_counts")
            session(_turn(session, random))
    session("final_score", *["undo"] * (len(session.past) // 2), "group_counts", "final_score")
    session(*["undo"] * (len(session.past) + 1), "group_counts")
    return session.facts("undo")


def _mixed(session: ModelSession, random: Random) -> Facts:
    """What is refused changes nothing of what comes later."""
    for _ in range(TURNS):
        position = session.position
        if position.is_over:
            break
        turn = _turn(session, random)
        wrong = turn.replace(f"play {position.to_move}", f"play {position.to_move.other}")
        session(wrong, f"play {position.to_move} resign", f"play {position.to_move} Bz26")
        session("final_score", turn, "group_counts")
    session("final_score", f"play {session.position.to_move} pass", "set_game nothing")
    session("boardsize 99", "group_counts")
    return session.facts("sequence")


def _setting(session: ModelSession) -> Facts:
    """Settings stick through boardsize and clear_board, and come back with set_game."""
    name, size = session.game.name, session.game.size
    random = Random(f"settings {session.game}")
    for again in ("clear_board", f"boardsize {size}", f"set_game {name}"):
        while not session.position.is_over and len(session.past) < TURNS:
            session(_turn(session, random))
        session("group_counts", "final_score", again, "group_counts", "undo")
    return session.facts("settings")


def _setting_up(session: ModelSession, random: Random) -> Facts:
    """Positions by their stones, and what is none."""
    position = session.game.start()
    for _ in range(TURNS):
        if position.is_over:
            break
        stones = "".join(".BW"[stone] for stone in position.stones)
        passes = f" passes {position.status.passes}" if position.status.passes else ""
        session(f"setup {position.to_move} {stones}{passes}", "undo", "group_counts")
        turn = random_turn(position, random)
        session(f"play {position.to_move} {turn}", "group_counts", "undo", "group_counts")
        position = position.play(turn)
    session("setup black B", f"setup black {'.' * len(position.stones)} passes 2", "clear_board")
    session("group_counts", "undo")
    return session.facts("setup")
