"""The commands of the protocol and what may stand behind each: the table that steps come from."""

from __future__ import annotations

from typing import NamedTuple


class Form(NamedTuple):
    """A command: its section, arguments with which it changes no game, and wrong ones."""

    section: str
    harmless: tuple[str, ...] = ()
    """Arguments with which it may be answered or refused; `MOVER` is the player to move."""
    wrong: tuple[str, ...] = ()
    """Arguments that are a syntax error."""
    refused: tuple[str, ...] = ()
    """Arguments that are refused for another reason; `OTHER`, `LEGAL` and `GAME` are filled in."""


COMMANDS = {
    "protocol_version": Form("5.1", ("",), ("2",)),
    "oddly_version": Form("5.1", ("",), ("1",)),
    "name": Form("5.1", ("",), ("x",)),
    "version": Form("5.1", ("",), ("1", "1 2")),
    "known_command": Form("5.1", ("name", "no_such_command"), ("", "a b")),
    "list_commands": Form("5.1", ("",), ("all",)),
    "quit": Form("5.1", (), ("now",)),
    "list_games": Form("5.2", ("",), ("yodd",)),
    "set_game": Form("5.2", refused=("no_such_game", "GAME no_such_setting 1")),
    "boardsize": Form("5.2", (), ("", "big", "3 3"), ("0", "99")),
    "clear_board": Form("5.2", (), ("now",)),
    "list_settings": Form("5.2", ("",), ("odd",)),
    "setup": Form("5.2", (), ("", "b"), ("b B",)),
    "play": Form(
        "5.3",
        (),
        ("", "b", "b pass pass", "green pass"),
        ("MOVER Bc", "MOVER z26-z25", "MOVER Bz26", "OTHER LEGAL", "OTHER pass"),
    ),
    "genmove": Form("5.3", (), ("", "b b", "green"), ("OTHER",)),
    "reg_genmove": Form("5.3", ("MOVER",), ("", "b b"), ("OTHER",)),
    "undo": Form("5.3", (), ("1",)),
    "legal_turns": Form("5.3", ("0", "1", "3"), ("many", "1 2")),
    "showboard": Form("5.4", ("",), ("1",)),
    "group_counts": Form("5.4", ("",), ("b",)),
    "final_score": Form("5.4", ("",), ("b",)),
    "solve": Form("5.4", ("0", "20"), ("x", "1 2")),
    "game_over": Form(
        "5.4", ("B+R resignation: x: resigned", "W+3", "void nobody knows", "0"), ("",)
    ),
    "evaluate": Form("5.4", ("", "DROP"), (), ("Bz26",)),
    "list_options": Form("5.5", ("",), ("x",)),
    "set_option": Form("5.5", ("OPTION",), ("",), ("no_such_option 1",)),
    "time_control": Form("5.6", ("300+2.5", "600+5x30", "0.2"), ("", "soon", "1 1")),
    "time_left": Form(
        "5.6", ("black 8.250 0", "white 7.500"), ("", "b", "green 10", "b soon", "b 1 0 0")
    ),
    "time_settings": Form("5.6", ("300 30 5",), ("", "1 2", "1 2 3 4")),
    "opponent": Form("5.6", ("none", "300+2.5 Deep Odd 1.2"), ("", "soon x")),
    "analyze": Form("5.7", ("0.05", "1"), ("", "soon", "1 2", "0", "0.009", "1000001")),
    "stop": Form("5.7", ("",), ("1",)),
    "ponder": Form("5.7", ("",), ("1",)),
    "last_evaluation": Form("5.7", ("",), ("b",)),
}


def wrong_lines() -> list[str]:
    """Return every command with every wrong number or kind of arguments."""
    return [
        f"{name} {words}".rstrip()
        for name, form in COMMANDS.items()
        if name != "quit"
        for words in form.wrong
    ]
