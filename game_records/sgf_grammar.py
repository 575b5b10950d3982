"""The grammar of SGF, which is sgfmill's.

Python 3.12 and later warn of a backslash in one of its docstrings when compiling it, which pip does
unseen and other installers leave to the first import.
"""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from sgfmill.sgf_grammar import (
        Coarse_game_tree,
        escape_text,
        main_sequence_iter,
        parse_sgf_game,
        serialise_game_tree,
        text_value,
        tokenise,
    )

__all__ = [
    "Coarse_game_tree", "escape_text", "main_sequence_iter", "parse_sgf_game",
    "serialise_game_tree", "text_value", "tokenise",
]  # fmt: skip
