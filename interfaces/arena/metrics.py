"""`/metrics`: what an arena does, for Prometheus.

Counters grow as long as the process runs; the other numbers are current.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
)
from prometheus_client.exposition import choose_encoder
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from oddly.arena.effects import Batch, Begun, EngineJoined, EngineRefused, Finished, TurnCounted
from oddly.arena.sessions import is_here

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from oddly.interfaces.arena.service import ArenaService
    from oddly.interfaces.serving.applications import Network

SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
"""The bounds of the histogram of write times."""
THINKING = (0.001, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 20.0, 60.0, 300.0)
"""The bounds of the histogram of engines' thinking times."""


class ArenaMetrics:
    """Counts events batch by batch, and reads everything else when asked."""

    def __init__(self, service: ArenaService) -> None:
        self.registry = CollectorRegistry()
        self._service = service
        self._of_turns: dict[str, tuple[Counter, Histogram, Counter]] = {}
        """The metrics of each pool's turns."""
        for collector in (ProcessCollector, PlatformCollector):
            collector(registry=self.registry)
        self._count_things()
        self._read_things()

    def _count_things(self) -> None:
        registry = self.registry
        self._begun = Counter("oddly_games_begun", "games that began", ["pool"], registry=registry)
        self._ended = Counter(
            "oddly_games_ended", "games that ended", ["pool", "termination"], registry=registry
        )
        self._turns = Counter("oddly_turns", "turns that counted", ["pool"], registry=registry)
        self._thinking = Histogram(
            "oddly_turn_seconds", "what turns took", ["pool"], registry=registry, buckets=THINKING
        )
        self._credit = Counter(
            "oddly_lag_credit_seconds", "lag that was not charged", ["pool"], registry=registry
        )
        self._joined = Counter("oddly_joins", "engines' sides that joined", registry=registry)
        self._refused = Counter(
            "oddly_refusals", "connections that were refused", ["code"], registry=registry
        )
        self._written = Histogram(
            "oddly_write_seconds", "until rows are on the disk", registry=registry, buckets=SECONDS
        )

    def _read_things(self) -> None:
        arena, registry = self._service.arena, self.registry
        for name, meaning, read in (
            ("engines_online", "engines that are connected", lambda: len(arena.sessions.online)),
            ("engines_free", "engines that want a game", lambda: len(arena.free())),
            ("connections", "connections of engines", lambda: len(arena.sessions.by_number)),
            ("engines_registered", "engines with a name", lambda: len(arena.registry.engines)),
            ("draining", "1 while no games begin", lambda: float(arena.is_draining)),
        ):
            Gauge(f"oddly_{name}", meaning, registry=registry).set_function(read)
        self._running = Gauge("oddly_games_running", "games now", ["pool"], registry=registry)

    def watch(self, batch: Batch) -> None:
        """Count the events of a batch that is on the disk."""
        if self._service.last_write is not None:
            self._written.observe(self._service.last_write)
        for news in batch.news:
            if isinstance(news, EngineJoined):
                self._joined.inc()
            elif isinstance(news, EngineRefused):
                self._refused.labels(news.code).inc()
        for row in batch.writes:
            if isinstance(row, Begun):
                self._begun.labels(row.plan.pool).inc()
            elif isinstance(row, TurnCounted):
                self._count_turn(row)
            elif isinstance(row, Finished):
                self._ended.labels(row.pool, row.record.outcome.termination.value).inc()

    def _count_turn(self, row: TurnCounted) -> None:
        pool = row.pool
        if pool not in self._of_turns:
            each = self._turns.labels(pool), self._thinking.labels(pool), self._credit.labels(pool)
            self._of_turns[pool] = each
        turns, thinking, credit = self._of_turns[pool]
        turns.inc()
        thinking.observe(row.turn.wait.taken)
        credit.inc(row.turn.credit)

    def text(self, accepted: str) -> tuple[bytes, str]:
        """Return all metrics as text, and its media type, as a request's header `Accept` asks."""
        arena = self._service.arena
        running = dict.fromkeys(arena.pools, 0)
        for game in [*arena.play.games.values()]:
            running[game.plan.pool] += 1
        for pool, games in running.items():
            self._running.labels(pool).set(games)
        encode, kind = choose_encoder(accepted)
        return encode(self.registry), kind


def metrics_route(service: ArenaService, readers: Sequence[Network]) -> Route:
    """Return the route for this machine and `readers`; nobody else can tell that it exists."""
    metrics = ArenaMetrics(service)
    service.watchers.append(metrics.watch)

    async def answer(request: Request) -> Response:
        host = request.client.host if request.client else ""
        if not (is_here(host) or _is_of(host, readers)):
            raise HTTPException(404)
        content, kind = metrics.text(request.headers.get("accept", ""))
        return Response(content, media_type=kind)

    return Route("/metrics", answer)


def _is_of(host: str, networks: Sequence[Network]) -> bool:
    """Return whether an address, or an IPv6 address's subnet, is in a network."""
    try:
        address = ip_address(host.partition("/")[0])
    except ValueError:
        return False
    return any(address in network for network in networks)
