"""What an engine of this server thinks of a position, reported while it thinks, line by line."""

from __future__ import annotations

import json
import math
import re
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Annotated, Any

import trio
from pydantic import Field, ValidationError
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from oddly.engines.solver.perfect_margin import perfect_margin
from oddly.engines.solver.solution import database_for
from oddly.games import EMPTY, Colour, DropPosition, Game, Position, Turn
from oddly.interfaces.serving.applications import address_of
from oddly.interfaces.web.bounds import Slices, gives_way
from oddly.interfaces.web.game_request import InstalledEngine, seat_for
from oddly.interfaces.web.practice import BoardRequest, PracticeError, refusal
from oddly.interfaces.web.websockets import Outbox
from oddly.referee import EngineFault

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable

    from starlette.requests import Request

    from oddly.interfaces.web.bounds import Bounds
    from oddly.protocol import Analysis, Evaluation

MAX_WAITING = 16
"""Analyses at once."""
MAX_SECONDS = 30.0
MAX_TOLD = 8
"""Turns reported for a position."""
MAX_VARIATION = 12
"""Turns reported of the line that the engine expects."""
INTERVAL = 0.3
"""Seconds between two looks at what the engine has found."""
MAX_SLICE, MIN_SLICE, CYCLE = 1.0, 0.2, 1.0
"""Seconds of thinking about one position before the next, at most and at least, and of a cycle, in
which up to four positions that wait each have their turn."""
SECONDS_OF_A_PROOF = 5.0
"""The solver's time, which may include compiling."""
BETWEEN_PROOFS = 60.0
"""Seconds without proofs after one that took too long and cost the engine a restart."""
SOLVED_EMPTY = 12
"""The most empty cells with which the solver is asked."""
SOLVED_SIDE = 5
"""The largest board side with which the solver is asked in games of moves."""
SOLVED_NODES = 100_000

Thought = dict[str, Any]


class AnalysisRequest(BoardRequest):
    """A game so far, and how long the engine may think about its last position."""

    seconds: Annotated[float, Field(gt=0, le=MAX_SECONDS)] = 3.0


class Analyst:
    """One engine at full strength, which thinks about all positions in turn, a slice at a time."""

    def __init__(self, engine: InstalledEngine, nursery: trio.Nursery, bounds: Bounds) -> None:
        self.name = engine.id
        self._seat = seat_for(engine.configuration(max(bounds.seconds), bounds), nursery)
        self._patience = bounds.hint
        self._nursery = nursery
        self._slices: Slices[Thinking] = Slices(MAX_SLICE, MIN_SLICE, CYCLE)
        self._is_busy = False
        self._is_stopped = False
        self._proves_from = -math.inf

    def begin(self, request: AnalysisRequest, address: str = "") -> Thinking:
        """Begin an analysis for a visitor and return it; closing it ends it.

        Raises PracticeError if the game makes no sense.
        """
        current = request.line()
        task = Thinking(current.position, current.played, request.seconds, self._forget)
        if len(self._slices) >= MAX_WAITING:
            other = gives_way(self._slices.taken, address)
            if other is None:
                task.end(_problem("Too many positions are being analysed. Ask again later."))
                return task
            other.end(_problem("Others wait for the engine. Ask again later."))
        task.tell({"kind": "begun", "engine": self.name})
        self._slices.add(task, address)
        self.prepare()
        return task

    def prepare(self, game: Game | None = None) -> None:
        """Start the engine, have it load what `game` needs, and think about what waits."""
        if not self._is_busy and not self._is_stopped:
            self._is_busy = True
            self._nursery.start_soon(self._work, game)

    def close(self) -> None:
        """End every analysis."""
        for task in list(self._slices.taken):
            task.end()

    async def stop(self) -> None:
        """Stop the engine for good."""
        self._is_stopped = True
        await self._seat.stop()

    def _forget(self, task: Thinking) -> None:
        self._slices.remove(task)

    async def _work(self, game: Game | None) -> None:
        """Think about one position after another, until nobody waits."""
        try:
            if game is not None and not self._is_stopped:
                with suppress(EngineFault):
                    await self._seat.follow(game)
            while not self._is_stopped and (task := self._slices.next()) is not None:
                address, since = self._slices.taken[task], trio.current_time()
                await self._attend(task)
                self._slices.used(task, address, trio.current_time() - since)
        finally:
            self._is_busy = False

    async def _attend(self, task: Thinking) -> None:
        """Give an analysis one slice, and end it if that was the last."""
        try:
            await self._think(task)
        except EngineFault as fault:
            task.end(_problem(f"No analysis: {self.name}: {fault.reason}."))

    async def _think(self, task: Thinking) -> None:
        """Report what the engine thinks, then what is proved. Raises EngineFault."""
        if task.position.is_over:
            task.end({"kind": "done"})
            return
        await self._seat.start()
        if "analyze" not in self._seat.commands:
            at = DropPosition(task.position)
            found = await self._seat.evaluate(at, task.played, self._patience)
            task.end(evaluation_thought(found), {"kind": "done"})
            return
        if task.wants_proof and task.has_begun:
            task.wants_proof = False
            if trio.current_time() >= self._proves_from:
                await self._prove(task)
        elif task.left > 0:
            await self._stream(task)
            task.has_begun = True
        else:
            task.end({"kind": "done"})

    async def _stream(self, task: Thinking) -> None:
        """Report what the engine finds, until the slice is over and something else waits.

        The first slice ends with the first thought.
        """
        until = trio.current_time() + (self._slices.length if task.has_begun else 0)
        interval = min(INTERVAL, self._slices.length / 2)
        async with self._seat.analyze(task.position, task.played, interval) as stream:
            since = trio.current_time()
            # Cancelled at any other moment, the engine would have to start again.
            with trio.move_on_after(0 if task.is_over else task.left) as task.scope:
                async for found in stream:
                    task.tell(analysis_thought(found))
                    is_wanted = len(self._slices) > 1 or task.wants_proof
                    if trio.current_time() >= until and is_wanted:
                        break
            task.left -= trio.current_time() - since

    async def _prove(self, task: Thinking) -> None:
        """Report who wins with perfect play, if the solver finds out quickly."""
        margin = await trio.to_thread.run_sync(perfect_margin, task.position)
        try:
            reply = await self._seat.solve(
                task.position.game, task.played, SOLVED_NODES, SECONDS_OF_A_PROOF
            )
        except EngineFault:
            # The analysis goes on without a proof.
            self._proves_from = trio.current_time() + BETWEEN_PROOFS
            return
        proof = proof_thought(reply, margin)
        if proof is not None:
            task.tell(proof)


class Thinking:
    """The analysis of one position, and its reports. Closing it frees the engine at once."""

    def __init__(
        self,
        position: Position,
        played: list[tuple[Colour, Turn]],
        seconds: float,
        forget: Callable[[Thinking], None],
    ) -> None:
        self.position = position
        self.played = played
        self.left = seconds
        """The seconds of thinking that remain."""
        self.wants_proof = _may_be_solved(position)
        self.has_begun = False
        self.is_over = False
        self.scope = trio.CancelScope()
        """The scope in which the engine's findings are read."""
        self._forget = forget
        self._outbox = Outbox()
        self._visits = -1

    def tell(self, thought: Thought) -> None:
        """Report a thought, unless more was known before: a slice may restart the search."""
        if thought["kind"] == "thought":
            if thought["visits"] < self._visits:
                return
            self._visits = thought["visits"]
        self._outbox.put(thought["kind"], json.dumps(thought))

    def end(self, *last: Thought) -> None:
        """Report the last thoughts, and end the analysis."""
        for thought in last:
            self.tell(thought)
        self._outbox.close()
        self.is_over = True
        self._forget(self)
        self.scope.cancel()

    async def lines(self) -> AsyncGenerator[str, None]:
        """Yield each thought as a line of JSON; if several wait, only the newest."""
        try:
            while texts := await self._outbox.get():
                for text in texts:
                    yield text + "\n"
        finally:
            self.end()


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
                "variation": [str(turn) for turn in ranked.variation[:MAX_VARIATION]],
            }
            for ranked in turns
        ],
    }


def evaluation_thought(found: Evaluation) -> Thought:
    """Return the evaluation of an engine without `analyze`: single actions of turns."""
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
    """Return what a reply to `solve` proves, with the margin if it is known; None if nothing."""
    found = _PROOF.fullmatch(reply)
    if found is None:
        return None
    winner = {"B": "black", "W": "white", "0": "draw"}[found[1]]
    if winner == "draw":
        sentence = "Proven: a draw."
    else:
        is_known = margin is not None and str(margin[0]) == winner
        by = f" by {_groups(margin[1])}" if margin is not None and is_known else ""
        sentence = f"Proven: {winner.capitalize()} wins{by}."
    return {"kind": "proof", "winner": winner, "sentence": sentence, "turn": found[2] or ""}


def _groups(number: int) -> str:
    return "one group" if number == 1 else f"{number} groups"


def _may_be_solved(position: Position) -> bool:
    """Return whether a database has the position, or the solver is likely to prove it at once."""
    if database_for(position.game) is not None:
        return True
    if position.most_drops:
        return sum(stone == EMPTY for stone in position.stones) <= SOLVED_EMPTY
    return position.game.size <= SOLVED_SIDE


def _problem(sentence: str) -> Thought:
    return {"kind": "problem", "sentence": sentence}


def analysis_route(analyst: Analyst) -> Route:
    """Return the route whose answers are sent line by line, and so never compressed."""

    async def analyse(request: Request) -> Response:
        """Send what the engine finds, a line of JSON at a time, until it is done."""
        try:
            asked = AnalysisRequest.model_validate_json(await request.body())
            thinking = analyst.begin(asked, address_of(request))
        except (ValidationError, PracticeError) as error:
            return refusal(error)
        # A proxy that collects the lines would show nothing until the end.
        headers = {"x-accel-buffering": "no", "cache-control": "no-store"}
        return StreamingResponse(_lines(thinking), media_type="application/jsonl", headers=headers)

    return Route("/api/analysis", analyse, methods=["POST"])


async def _lines(thinking: Thinking) -> AsyncIterator[str]:
    async with aclosing(thinking.lines()) as lines:
        async for line in lines:
            yield line
