"""What an engine of this server thinks of a position, told while it thinks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import trio
from pydantic import Field

from oddly.engines.solver.solution import database_for, perfect_margin
from oddly.games import EMPTY, DropPosition
from oddly.interfaces.web.installed_engines import seat_for
from oddly.interfaces.web.practice import BoardRequest
from oddly.referee import EngineFault

if TYPE_CHECKING:
    from oddly.games import Colour, Game, Position, Turn
    from oddly.interfaces.web.installed_engines import InstalledEngine
    from oddly.interfaces.web.security import Bounds
    from oddly.protocol import Analysis, Evaluation

MAX_WAITING = 16
"""Requests that may wait for the engine."""
MAX_SECONDS = 30.0
MAX_TOLD = 8
"""Turns told of a position."""
INTERVAL = 0.3
"""Seconds between two looks at what the engine has found."""
SOLVED_EMPTY = 12
"""The solver is asked once no more cells are empty than these."""
SOLVED_SIDE = 5
"""The solver is asked in games of moves on boards of this side at most."""
SOLVED_NODES = 300_000

Thought = dict[str, Any]


class AnalysisRequest(BoardRequest):
    """A game so far, and for how long the engine may think of its last position."""

    seconds: Annotated[float, Field(gt=0, le=MAX_SECONDS)] = 3.0


class Analyst:
    """One engine that thinks of one position at a time, at its full strength."""

    def __init__(self, engine: InstalledEngine, nursery: trio.Nursery, bounds: Bounds) -> None:
        self.name = engine.id
        self._seat = seat_for(engine.configuration(max(bounds.seconds), bounds), nursery)
        self._patience = bounds.hint
        self._nursery = nursery
        self._lock = trio.Lock()
        self._game: Game | None = None
        self._running: set[trio.CancelScope] = set()

    def begin(self, request: AnalysisRequest) -> trio.MemoryReceiveChannel[Thought]:
        """Return a channel of what the engine finds; closing it ends the analysis.

        Raises PracticeError for a game that is none.
        """
        current = request.line()
        tell, hear = trio.open_memory_channel[Thought](1)
        if self._lock.statistics().tasks_waiting >= MAX_WAITING:
            tell.send_nowait(_problem("Too many positions are being analysed. Ask again later."))
            tell.close()
        else:
            task = _Analysis(current.position, current.played, request.seconds, tell)
            self._nursery.start_soon(self._run, task)
        return hear

    def close(self) -> None:
        """End every analysis."""
        for scope in self._running:
            scope.cancel()

    async def stop(self) -> None:
        """Stop the engine."""
        await self._seat.stop()

    async def _run(self, task: _Analysis) -> None:
        with trio.CancelScope() as scope:
            self._running.add(scope)
            try:
                async with task.tell:
                    await self._attend(task)
            except trio.BrokenResourceError:
                # Nobody listens any more.
                return
            finally:
                self._running.discard(scope)

    async def _attend(self, task: _Analysis) -> None:
        await task.tell.send({"kind": "begun", "engine": self.name})
        async with self._lock:
            try:
                await self._think(task)
            except EngineFault as fault:
                await task.tell.send(_problem(f"No analysis: {self.name}: {fault.reason}."))

    async def _think(self, task: _Analysis) -> None:
        """Tell what is proven and what the engine thinks. Raises EngineFault."""
        if task.position.is_over:
            return
        if self._game not in (None, task.position.game):
            # The tree of another board would still hold its memory.
            await self._seat.stop()
        self._game = task.position.game
        await self._seat.start()
        if _may_be_solved(task.position):
            await self._prove(task)
        if "analyze" in self._seat.commands:
            await self._stream(task)
        else:
            at = DropPosition(task.position)
            found = await self._seat.evaluate(at, task.played, self._patience)
            await task.tell.send(evaluation_thought(found))
        await task.tell.send({"kind": "done"})

    async def _stream(self, task: _Analysis) -> None:
        async with self._seat.analyze(task.position, task.played, INTERVAL) as stream:
            with trio.move_on_after(task.seconds):
                async for found in stream:
                    await task.tell.send(analysis_thought(found))

    async def _prove(self, task: _Analysis) -> None:
        """Tell who wins with perfect play, if the solver finds out quickly."""
        margin = await trio.to_thread.run_sync(perfect_margin, task.position)
        try:
            reply = await self._seat.solve(
                task.position.game, task.played, SOLVED_NODES, self._patience
            )
        except EngineFault:
            # It may have to compile first. The analysis goes on without a proof.
            await self._seat.start()
            return
        proof = proof_thought(reply, margin)
        if proof is not None:
            await task.tell.send(proof)


class _Analysis:
    """One position, for how long, and who hears of it."""

    def __init__(
        self,
        position: Position,
        played: list[tuple[Colour, Turn]],
        seconds: float,
        tell: trio.MemorySendChannel[Thought],
    ) -> None:
        self.position = position
        self.played = played
        self.seconds = seconds
        self.tell = tell


def analysis_thought(found: Analysis) -> Thought:
    """Return an analysis as plain values: whole turns, the best first."""
    turns = found.turns[:MAX_TOLD]
    return {
        "kind": "thought",
        "visits": sum(ranked.visits for ranked in found.turns),
        "win_rate": turns[0].win_rate if turns else None,
        "lead": turns[0].lead if turns else None,
        "turns": [
            {
                "turn": str(ranked.turn),
                "visits": ranked.visits,
                "win_rate": ranked.win_rate,
                "lead": ranked.lead,
                "variation": [str(turn) for turn in ranked.variation[:6]],
            }
            for ranked in turns
        ],
    }


def evaluation_thought(found: Evaluation) -> Thought:
    """Return the evaluation of an engine that knows no `analyze`: single actions of turns."""
    return {
        "kind": "thought",
        "visits": found.simulations,
        "win_rate": found.win_rate,
        "lead": None,
        "turns": [
            {
                "turn": str(candidate.action),
                "visits": round(candidate.share * found.simulations),
                "win_rate": candidate.win_rate,
                "lead": None,
                "variation": [],
            }
            for candidate in found.candidates[:MAX_TOLD]
        ],
    }


_PROOF = re.compile(r"([BW0])(?: (\S{1,16}))?")


def proof_thought(reply: str, margin: tuple[Colour, int] | None) -> Thought | None:
    """Return what a reply to `solve` proves, with the margin if it is known; None for nothing."""
    found = _PROOF.fullmatch(reply)
    if found is None:
        return None
    winner = {"B": "black", "W": "white", "0": "draw"}[found[1]]
    if winner == "draw":
        sentence = "Proven: a draw."
    else:
        by = f" by {margin[1]}" if margin is not None and str(margin[0]) == winner else ""
        sentence = f"Proven: {winner.capitalize()} wins{by}."
    return {"kind": "proof", "winner": winner, "sentence": sentence, "turn": found[2] or ""}


def _may_be_solved(position: Position) -> bool:
    """Whether a database has the position, or the solver is likely to prove it at once."""
    if database_for(position.game) is not None:
        return True
    if position.most_drops:
        return sum(stone == EMPTY for stone in position.stones) <= SOLVED_EMPTY
    return position.game.size <= SOLVED_SIDE


def _problem(sentence: str) -> Thought:
    return {"kind": "problem", "sentence": sentence}
