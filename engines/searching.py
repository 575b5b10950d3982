"""Searching from a program: positions go in, ranked turns come out.

`search` answers one position, `search_all` many of them in several threads. Both use the searchers
of our engines that search, with the same settings. A searcher is kept when its search is over,
since making one takes longer than a short search, and forgets everything before the next.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import inf
from threading import Event, Lock
from typing import TYPE_CHECKING

from oddly.engines.engine import (
    ENGINES,
    SEED,
    KnownTime,
    OptionError,
    OptionValue,
    UnknownEngineError,
    create_engine,
    engine_class,
    option_text,
)
from oddly.engines.rave_engine import LEVEL, SOLVER
from oddly.engines.search.analysing import analysis_of, new_searcher
from oddly.engines.search.thinking_time import fixed
from oddly.engines.search_engine import SearchEngine
from oddly.engines.search_options import (
    INFO,
    PLAIN,
    PONDER,
    RESIGN_OPTION,
    SIMULATIONS,
    THREADS,
    WHILE_COMPILING,
    default_megabytes,
)
from oddly.games import DropPosition, Game, Position, did_you_mean
from oddly.protocol import Analysis, RankedTurn, TimeControl, TimeKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from oddly.engines.search.analysing import AnySearcher
    from oddly.engines.search.settings import Finding, Settings

    Texts = tuple[tuple[str, str], ...]
    Kind = tuple[Game, str, int, Texts]
    """The game, engine, threads and options of a searcher, which serves all wishes for the same."""

AT_LEAST_ONE = replace(SIMULATIONS, minimum=1)
ARGUMENTS = (SEED, SIMULATIONS, THREADS)
OF_PLAY = (RESIGN_OPTION, INFO, PONDER, WHILE_COMPILING, SOLVER, LEVEL)
"""Options of the engines that change how they play, not what a search finds."""

MEGABYTES = 256
"""For the tree, unless an option says otherwise; fixed, so that searches can be repeated."""

KEPT = max(4, os.cpu_count() or 1)
"""The most searchers that are kept."""


@dataclass(frozen=True, slots=True)
class SearchedTurn(RankedTurn):
    """A turn that a search has tried: `turn`, `visits`, `share`, `win_rate` and `variation`.

    If it has two drops, visits, share and win rate are those of the first one; the second is the
    one tried most often after it, unless a proof speaks for another.
    """

    share: float = 0.0
    """Of all visits, 0 to 1."""


@dataclass(frozen=True, slots=True)
class SearchResult(Analysis):
    """What a search has found: the turns that it has tried, the best first."""

    turns: tuple[SearchedTurn, ...]
    win_rate: float
    """Of the side to move, 0 to 1, if it plays the best turn."""
    simulations: int
    """The number made: fewer than asked for if the result is proven first."""
    is_proven: bool
    """Whether the win rate, 1 or 0, is proven."""

    @property
    def best(self) -> SearchedTurn:
        """The turn that the search would play."""
        return self.turns[0]


def search(
    position: Position,
    *,
    simulations: int | None = None,
    seconds: float | None = None,
    engine: str = "rave",
    seed: int = 0,
    threads: int = 1,
    **options: OptionValue,
) -> SearchResult:
    """Return what a search of `position` finds with some simulations, or in some seconds.

    `engine` is the name of one of our engines that search, `threads` the number of threads that
    share its tree, and `options` are options of the engine, such as `exploration` or `memory`. With
    one thread, equal simulations, seeds and options give equal results. Compiling a kernel, which
    the first search of a game on a machine does, does not count as seconds. Without Numba the
    search is slower, and otherwise the same.

    Raises ValueError if the game is over, inside a turn, or unless there is either a number of
    simulations or a number of seconds above 0; UnknownEngineError for an engine that does not
    search; and OptionError for an option that no search by the engine has, or a value that it does
    not take.

    >>> import oddly
    >>> position = oddly.create_game("odd", 2).start()
    >>> result = oddly.search(position, simulations=400, seed=1)
    >>> result.best.turn in position.legal_turns(), result.best.variation[0] == result.best.turn
    (True, True)
    >>> result == oddly.search(position, simulations=400, seed=1)
    True
    """
    wish = _Wish.of(simulations, seconds, engine, seed, threads, options)
    return wish.search(position)


def search_all(
    positions: Iterable[Position],
    *,
    simulations: int | None = None,
    seconds: float | None = None,
    engine: str = "rave",
    seed: int = 0,
    threads: int | None = None,
    **options: OptionValue,
) -> list[SearchResult]:
    """Return what searches of the positions find, in their order.

    `threads` is how many positions are searched at a time; None for as many as the machine has
    cores. Each search is that of `search` with one thread, with the same seed. The positions may be
    of different games. Raises ValueError, UnknownEngineError and OptionError for what `search` does
    not take, before any search begins.

    >>> import oddly
    >>> from oddly.engines import search_all
    >>> start = oddly.create_game("odd", 2).start()
    >>> positions = [start, start.play("Bb1")]
    >>> results = search_all(positions, simulations=100, threads=2)
    >>> results == [oddly.search(position, simulations=100) for position in positions]
    True
    """
    wish = _Wish.of(simulations, seconds, engine, seed, 1, options)
    asked = list(positions)
    for number, position in enumerate(asked):
        if (reason := _refusal(position)) is not None:
            raise ValueError(f"position {number}: {reason}")
    if threads is not None:
        THREADS.read(str(threads))
    is_given_up = Event()
    with ThreadPoolExecutor(threads or os.cpu_count(), thread_name_prefix="search") as pool:
        running = [pool.submit(wish.search, position, is_given_up.is_set) for position in asked]
        try:
            return [each.result() for each in running]
        except BaseException:
            is_given_up.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _refusal(position: Position | DropPosition) -> str | None:
    """Return why a position cannot be searched, or None."""
    if isinstance(position, DropPosition):
        return "a search begins at the start of a turn, such as position.start, not inside it"
    return "the game is over" if position.is_over else None


@dataclass(frozen=True, slots=True)
class _Wish:
    """How to search, checked already."""

    simulations: int
    """0 if the seconds decide."""
    seconds: float
    engine: str
    seed: int
    threads: int
    options: Texts

    @classmethod
    def of(
        cls,
        simulations: int | None,
        seconds: float | None,
        engine: str,
        seed: int,
        threads: int,
        options: dict[str, OptionValue],
    ) -> _Wish:
        """Return the wish. Raises ValueError for one that cannot be met."""
        if (simulations is None) == (seconds is None):
            given = "neither" if seconds is None else "both"
            raise ValueError(f"a search takes either simulations or seconds, not {given}")
        is_time = isinstance(seconds, int | float) and 0 < seconds < inf
        if seconds is not None and not is_time:
            raise ValueError(f"seconds are a number above 0, not {seconds!r}")
        texts = tuple(sorted((name, option_text(value)) for name, value in options.items()))
        _engine_with(engine, texts)
        return cls(
            0 if simulations is None else int(AT_LEAST_ONE.read(str(simulations))),
            0.0 if seconds is None else float(seconds),
            engine,
            int(SEED.read(str(seed))),
            int(THREADS.read(str(threads))),
            texts,
        )

    def search(
        self, position: Position, is_stopped: Callable[[], bool] = lambda: False
    ) -> SearchResult:
        """Return what the search finds. Raises ValueError for a position that has no search."""
        if (reason := _refusal(position)) is not None:
            raise ValueError(reason)
        kind = (position.game, self.engine, self.threads, self.options)
        kept = _taken(kind) or _Kept.made(*kind)
        result = kept.search(position, self, is_stopped)
        _keep(kind, kept)
        return result


@dataclass(frozen=True, slots=True)
class _Kept:
    """A searcher, and the engine that knows its settings."""

    engine: SearchEngine
    searcher: AnySearcher

    @classmethod
    def made(cls, game: Game, engine: str, threads: int, options: Texts) -> _Kept:
        """Return a new searcher with its engine, once what it needs is compiled."""
        configured = _engine_with(engine, options)
        with _compiling:
            configured.compile(game)
        searcher = new_searcher(
            game,
            threads=threads,
            megabytes=configured.megabytes or min(MEGABYTES, default_megabytes()),
            plain=bool(configured.values[PLAIN.name]),
        )
        return cls(configured, searcher)

    def search(
        self, position: Position, wish: _Wish, is_stopped: Callable[[], bool]
    ) -> SearchResult:
        """Return the result of a search that knows nothing of earlier ones."""
        searcher, at = self.searcher, DropPosition(position)
        settings = self._settings(position.game, wish)
        searcher.forget(wish.seed)
        searcher.load(at)
        found = searcher.think(
            settings,
            time=None if wish.simulations else fixed(wish.seconds),
            simulations=wish.simulations,
            is_stopped=is_stopped,
        )
        after = at.act(searcher.action_of(found.action))
        if after.drops and len(searcher.variation(found.action)) == 1:
            # A search this short has not tried any second drop yet.
            searcher.load(after)
            searcher.think(settings, simulations=1)
            searcher.load(at)
        return _result(searcher, position, found)

    def _settings(self, game: Game, wish: _Wish) -> Settings:
        """Return the engine's settings, which depend on how long it thinks."""
        self.engine.set_option(SIMULATIONS.name, str(wish.simulations))
        self.engine.time = KnownTime(TimeControl(TimeKind.FIXED, wish.seconds))
        return self.engine.settings(game)


def _result(searcher: AnySearcher, position: Position, found: Finding) -> SearchResult:
    """Return what `searcher` has `found` in `position`."""
    visits = sum(vote.visits for vote in searcher.votes().values())
    ranked = analysis_of(searcher, position, most=None).turns
    turns = tuple(
        SearchedTurn(
            each.turn, each.visits, each.win_rate, each.lead, each.variation,
            share=each.visits / visits,
        )
        for each in ranked
    )  # fmt: skip
    return SearchResult(turns, found.win_rate, found.simulations, found.is_proven)


def _engine_with(name: str, options: Texts) -> SearchEngine:
    """Return an engine that searches, with its options. Raises UnknownEngineError, OptionError."""
    engine = create_engine(name)
    if not isinstance(engine, SearchEngine):
        able = [each for each in ENGINES if issubclass(engine_class(each), SearchEngine)]
        raise UnknownEngineError(f"engine {name!r} does not search: expected {' or '.join(able)}")
    others = {option.name for option in (*OF_PLAY, *ARGUMENTS)}
    known = [option.name for option in engine.options if option.name not in others]
    for option, text in options:
        if option not in known:
            raise OptionError(
                f"unknown option {option!r} of a search: expected one of {', '.join(known)}"
                + did_you_mean(option, known)
            )
        engine.set_option(option, text)
    if SOLVER.name in engine.values:
        engine.set_option(SOLVER.name, "false")  # nothing to compile for it
    return engine


_idle: list[tuple[Kind, _Kept]] = []
"""The searchers that nobody uses, the latest last."""
_choosing, _compiling = Lock(), Lock()


def _taken(kind: Kind) -> _Kept | None:
    """Return a kept searcher of that kind, for the caller alone; None if none is kept."""
    with _choosing:
        for place, (each, kept) in enumerate(_idle):
            if each == kind:
                del _idle[place]
                return kept
    return None


def _keep(kind: Kind, kept: _Kept) -> None:
    """Keep a searcher for the next search; beyond KEPT, drop the one used longest ago."""
    with _choosing:
        _idle.append((kind, kept))
        del _idle[:-KEPT]
