"""Sessions written by hand: commands that not all engines know, and what they refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SESSIONS = """
# setup
set_game xodd -> =
boardsize 2 -> =
setup black bw.. -> ? illegal position
setup black BWx. -> ? illegal position
setup black BW., -> ? illegal position
setup black BW. -> ? illegal position
setup black B.. -> ? illegal position
setup black B.... -> ? illegal position
setup red B... -> ? syntax error
setup black -> ? syntax error
setup black B... passes -> ? syntax error
setup black B... passes x -> ? syntax error
setup black B... swop -> ? syntax error
setup black B... swap -> ? illegal position
setup black B... passes 2 -> ? illegal position
setup black .... passes 1 -> ? illegal position
setup white .... -> ? illegal position
setup white BW.. passes 1 -> ? illegal position
group_counts -> = 0 0
setup white B... passes 1 -> =
group_counts -> = 1 0
play white pass -> =
final_score -> = W+1
undo -> =
final_score -> ? game is not over
undo -> ? cannot undo

# setup
set_game odd min_group 2 -> =
boardsize 2 -> =
setup black BW..... passes 1 -> ? illegal position
setup white BW..... -> ? illegal position
setup black BW..... -> =
setup white BBWWBWB -> =
final_score -> = W+
play white Bb1 -> ? illegal move
undo -> ? cannot undo
group_counts -> = 1 1
setup black BBWWBWB -> ? illegal position
setup white BBWWBWb -> ? illegal position
final_score -> = W+
clear_board -> =
group_counts -> = 0 0

# setup
set_game ayu -> =
boardsize 3 -> =
setup black .B.W.W.B. -> =
undo -> ? cannot undo
play black b1-b2 -> =
group_counts -> = 1 2
undo -> =
setup white .B.W.W.B. -> =
group_counts -> = 2 2
setup white ...WBW.B. -> =
play white swap -> ? illegal move
group_counts -> = 1 2
setup white ...WBW.B. swap -> ? illegal position
setup black .B.W.W.B. swap -> ? illegal position
setup black .B.W.W... -> ? illegal position
setup black BB.W.W.B. -> ? illegal position
setup black .B...W.B. -> ? illegal position
setup black ......... -> ? illegal position
setup black .B.B.W.B. -> ? illegal position
setup black .B.W.W.B. passes 1 -> ? illegal position
group_counts -> = 1 2
setup black .B..B.W.W -> =
final_score -> = B+
play black b1-a1 -> ? illegal move
setup white .B..B.W.W -> =
final_score -> ? game is not over
undo -> ? cannot undo

# setup
set_game ayu pie true -> =
boardsize 3 -> =
setup white ...WBW.B. swap -> =
play white swap -> =
play white a2-a1 -> =
undo -> =
undo -> =
undo -> ? cannot undo
setup white ...WBW.B. -> =
play white swap -> ? illegal move
setup black ...WBW.B. swap -> ? illegal position
setup white .B.W.W.B. swap -> ? illegal position
setup black .B.W.W.B. swap -> ? illegal position
setup white BB.W.W... swap -> ? illegal position
setup white .B..B.W.W swap -> ? illegal position
setup black .B.W.W.B. -> =
play black b1-b2 -> =
play white swap -> =
group_counts -> = 1 2

# game_over
set_game odd -> =
game_over -> ? syntax error
game_over W+ board full -> =
game_over B+12 double pass -> =
game_over 0 -> =
game_over void the referee was stopped -> =
game_over b+r -> =
game_over x y z -> =
play black Ba5 -> =
game_over B+R resignation -> =
play white Ba6 -> =
undo -> =
undo -> =
undo -> ? cannot undo

# evaluate
set_game ayu -> =
boardsize 3 -> =
evaluate Bb2 -> ? illegal move
evaluate Bb2,Wa1 -> ? illegal move
evaluate b1-b2 -> ? syntax error
evaluate pass -> ? syntax error
evaluate b -> ? syntax error
evaluate Bb2 Wa1 -> ? syntax error
play black b1-b2 -> =
group_counts -> = 1 2

# evaluate
set_game yodd -> =
boardsize 2 -> =
play black Bb2 -> =
evaluate Bb2 -> ? illegal move
evaluate Bb2,Wa2 -> ? illegal move
evaluate Wa2,Wa2 -> ? illegal move
evaluate Bz9 -> ? illegal move
evaluate Wa2,Bb1,Wc1 -> ? illegal move
evaluate end -> ? syntax error
evaluate pass -> ? syntax error
play white pass -> =
play black pass -> =
evaluate Wa2 -> ? the game is over

# evaluate
set_game odd -> =
boardsize 2 -> =
evaluate Bb2,Bb1 -> ? illegal move
play black Bb2 -> =
group_counts -> = 0 0

# analyze
set_game xodd -> =
boardsize 2 -> =
analyze -> ? syntax error
analyze 0 -> ? syntax error
analyze 0.009 -> ? syntax error
analyze -1 -> ? syntax error
analyze x -> ? syntax error
analyze 1e3 -> ? syntax error
analyze 1000000.1 -> ? syntax error
analyze 1000001 -> ? syntax error
analyze 99999999999 -> ? syntax error
analyze 1 2 -> ? syntax error
play black Ba1 -> =
play white pass -> =
play black pass -> =
analyze 0.01 -> ? the game is over
analyze 1 -> ? the game is over
analyze 1000000 -> ? the game is over
analyze 0 -> ? syntax error
analyze 1000001 -> ? syntax error
final_score -> = W+1
"""
"""After `# ABOUT`, commands and how their replies begin."""


def sessions_by_hand() -> Iterator[tuple[str, str, list[str], list[str]]]:
    """Return for each session what it is about, its game, its commands and its replies."""
    for block in SESSIONS.strip().split("\n\n"):
        about, *lines = block.split("\n")
        pairs = [line.split(" -> ") for line in lines]
        commands, replies = map(list, zip(*pairs, strict=True))
        yield about.removeprefix("# "), commands[0].split()[1], commands, replies
