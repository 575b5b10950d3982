"""The options that the search engines share."""

from __future__ import annotations

from oddly.engines.options import Option
from oddly.engines.search.memory import LEAST_MEGABYTES, MAX_MEGABYTES

HOPELESS = 0.02

SIMULATIONS = Option(
    "simulations", "integer", 0, 0, 10**9,
    summary="simulations a drop or move, regardless of the clock; 0: as many as the clock "
    "allows, or 10000 without a clock (500 in a game without a kernel)",
)  # fmt: skip
THREADS = Option("threads", "integer", 1, 1, 256, summary="number of threads, which share one tree")
MEMORY = Option(
    "memory", "integer", 0, 0, 65_536,
    summary=f"megabytes for the tree; 0: a quarter of the free memory, {LEAST_MEGABYTES} to "
    f"{MAX_MEGABYTES}",
)  # fmt: skip
RESIGN_OPTION = Option(
    "resign", "boolean", False, summary=f"resign when winning less than {HOPELESS:.0%} of games"
)
INFO = Option("info", "boolean", False, summary="report the search on standard error")
PONDER = Option("ponder", "boolean", False, summary="think in the opponent's time")
WAIT, BY_PLAIN_RULES = "wait", "plain"
WHILE_COMPILING = Option(
    "while_compiling", "choice", WAIT, choices=(WAIT, BY_PLAIN_RULES),
    summary="what a search does that is asked for before the kernels are compiled; plain: answer "
    "within a second by the plain rules, unless `simulations` is set",
)  # fmt: skip
EXPLORATION = Option(
    "exploration", "number", -1, -1, 10, summary="weight of rarely tried actions; -1: tuned value"
)
EXPANSION = Option(
    "expansion", "integer", -1, -1, 1000,
    summary="visits before a position gets a node; -1: the tuned value",
)  # fmt: skip
PLAIN = Option(
    "plain", "boolean", False,
    summary="search by the plain rules: far slower, but nothing is compiled, and nothing solved",
)  # fmt: skip
