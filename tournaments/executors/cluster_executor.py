"""An executor on the workers of a Dask cluster, either an existing one or one started for the run.

The rules, learnt the hard way by people who ran such clusters:

- Delivery is at least once: if a worker is lost after its game, the game is played again. The
  ledger keeps the first record of an id.
- All clients of a scheduler share the tasks of a name. A task's name contains a random token of the
  run, so that no other run gets its games.
- A future is released when its result arrives; otherwise the result would stay on a worker.
- When a worker dies, Dask gives its task to another, `allowed-failures` times. After that the
  game is void: the next run of the tournament plays it, and no engine is blamed.

A worker runs `play_order` outside its main thread, so nothing there may touch signal handlers.
Workers may play the same game twice; the executor sorts that out.
"""

from __future__ import annotations

import itertools
import logging
import platform
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import dask
import trio
from distributed import Client, KilledWorker, LocalCluster, Security, get_worker
from distributed.protocol import pickle

from oddly.games import VERSION
from oddly.referee import GameRecord, Outcome, Termination
from oddly.referee.justice.outcome import failure_text
from oddly.tournaments.executors.cluster_address import Certificates, ClusterAddress, ClusterError
from oddly.tournaments.executors.conditions import Conditions, FaultCount, cores, say_nothing
from oddly.tournaments.executors.executor import local_executor, log_path, unplayed
from oddly.tournaments.results.schedule import ScheduledGame, scheduled_facts, scheduled_from

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence

    from distributed import Future

    from oddly.referee import EngineConfiguration
    from oddly.tournaments.executors.executor import Ended


class ClusterExecutor:
    """The workers of a cluster; `slots` is how many games they play at once."""

    def __init__(
        self,
        client: Client,
        configurations: Mapping[str, EngineConfiguration],
        conditions: Conditions,
        slots: int,
    ) -> None:
        self.slots = slots
        self.failure: str | None = None
        self._client = client
        self._configurations = configurations
        self._conditions = conditions
        self._faults = FaultCount(conditions)
        self._token = uuid4().hex
        self._attempts = itertools.count(1)

    async def play(self, scheduled: ScheduledGame, ended: Ended | None = None) -> GameRecord:
        """Play the game on one of the workers.

        Raises ClusterError if the scheduler is gone, or if the worker has another version of oddly.
        """
        record = await self._play(scheduled)
        if ended is not None:
            ended(record)
        return record

    async def _play(self, scheduled: ScheduledGame) -> GameRecord:
        players = self._configurations[scheduled.first], self._configurations[scheduled.second]
        future = self._client.submit(
            play_order,
            self._order(scheduled, players),
            key=f"oddly-{self._token}-{scheduled.id}-{next(self._attempts)}",
            pure=False,
            resources=dict.fromkeys(players[0].requires + players[1].requires, 1),
        )
        try:
            delivery = await _result(future)
        except KilledWorker as killed:
            reason = f"every worker that played it died: {killed}"
            return unplayed(scheduled, Outcome(None, None, "void", Termination.VOID, reason, 0))
        finally:
            future.release()
        record = GameRecord.from_json(delivery.record)
        self._keep_log(scheduled, delivery)
        self._faults.count(record)
        return record

    def _order(
        self, scheduled: ScheduledGame, players: tuple[EngineConfiguration, EngineConfiguration]
    ) -> Order:
        faults = self._faults.of(player.name for player in players)
        conditions = replace(
            self._conditions, log_directory=None, on_turn=None, say=say_nothing, faults=faults
        )
        wants_log = self._conditions.log_directory is not None
        game = GameToPlay(scheduled_facts(scheduled), players, conditions, wants_log)
        return Order(our_version(), pickle.dumps(game))

    def _keep_log(self, scheduled: ScheduledGame, delivery: Delivery) -> None:
        directory = self._conditions.log_directory
        if directory is None or delivery.log is None or self.failure is not None:
            return
        try:
            log_path(directory, scheduled).write_bytes(delivery.log)
        except OSError as error:
            self.failure = f"cannot write logs to {directory}: {error.strerror}"


async def _result(future: Future) -> Delivery:
    """Wait for a result without using a thread. Raises what the task raised."""
    done, token = trio.Event(), trio.lowlevel.current_trio_token()

    def tell(_: Future) -> None:
        try:
            token.run_sync_soon(done.set)
        except trio.RunFinishedError:
            # The waiting task is gone.
            return

    future.add_done_callback(tell)
    try:
        await done.wait()
    except trio.Cancelled:
        future.cancel()
        raise
    if future.status in ("finished", "error"):
        result: Delivery = await trio.to_thread.run_sync(future.result)
        return result
    raise ClusterError("the cluster's scheduler is gone")


@dataclass(frozen=True, slots=True)
class Order:
    """What a worker gets: it reads the game only if it has the same version of oddly."""

    version: str
    """The version of oddly that its sender has."""
    game: bytes
    """The pickled GameToPlay."""


@dataclass(frozen=True, slots=True)
class GameToPlay:
    """A game to play on another machine."""

    scheduled: dict[str, Any]
    """The value of `scheduled_facts`."""
    players: tuple[EngineConfiguration, EngineConfiguration]
    conditions: Conditions = field(default_factory=Conditions)
    wants_log: bool = False


@dataclass(frozen=True, slots=True)
class Delivery:
    """A played game: its record as values for JSON, and its wire log if that was wanted."""

    record: dict[str, Any]
    log: bytes | None


def our_version() -> str:
    """Return the version of oddly that is installed on this machine."""
    return VERSION


def play_order(order: Order) -> Delivery:
    """Play the game here with newly started engines, and return its result.

    Raises ClusterError if this worker, which may have joined late, has another version of oddly, or
    if something fails here that is no fault of an engine, such as a full disk.
    """
    if order.version != our_version():
        raise _other_version(get_worker().address, our_version(), order.version)
    try:
        return _played(pickle.loads(order.game))
    except Exception as error:
        worker = get_worker().address
        raise ClusterError(f"worker {worker} failed: {failure_text(error)}") from None


def _played(game: GameToPlay) -> Delivery:
    with TemporaryDirectory(prefix="oddly-") as place:
        directory = Path(place) if game.wants_log else None
        conditions = replace(game.conditions, concurrency=1, log_directory=directory)
        record = trio.run(_play, game, conditions)
        log = next((file.read_bytes() for file in Path(place).iterdir()), None)
    return Delivery(replace(record, host=platform.node()).as_json(), log)


async def _play(game: GameToPlay, conditions: Conditions) -> GameRecord:
    configurations = {player.name: player for player in game.players}
    async with local_executor(configurations, conditions) as executor:
        return await executor.play(scheduled_from(game.scheduled))


PATIENCE = 30.0
"""Seconds to wait for the scheduler, and then for its first worker."""

OUR_SCHEDULER = {
    # After this time without a message a worker counts as dead.
    "distributed.scheduler.worker-ttl": "30s",
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}
"""Settings of a cluster on this machine, which serves no pages."""


def _be_quiet() -> None:
    """Silence Dask's logs, which are meant for the cluster's operators."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("asyncio", "distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL)


@asynccontextmanager
async def cluster_executor(
    address: ClusterAddress,
    configurations: Mapping[str, EngineConfiguration],
    conditions: Conditions,
    pairs: Collection[tuple[str, str]],
) -> AsyncIterator[ClusterExecutor]:
    """Open an executor with a slot for each thread of the cluster's workers.

    `pairs` are the engines that meet. Raises ClusterError if the cluster cannot be used.
    """
    _be_quiet()
    stack = ExitStack()
    try:
        opening = _cluster(address, conditions)
        client, url = await trio.to_thread.run_sync(stack.enter_context, opening)
        if not client.ncores():
            conditions.say(f"waiting for a worker at {url}")
        workers = await trio.to_thread.run_sync(_workers, client, url, abandon_on_cancel=True)
        _check_resources(workers, configurations, pairs)
        threads = sum(worker["nthreads"] for worker in workers.values())
        yield ClusterExecutor(client, configurations, conditions, conditions.concurrency or threads)
    finally:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(stack.close)


@contextmanager
def _cluster(address: ClusterAddress, conditions: Conditions) -> Iterator[tuple[Client, str]]:
    """Open a client and yield it with a description of the scheduler's address."""
    if address.url is None:
        with _local_cluster(conditions) as cluster, closing(Client(cluster)) as client:
            yield client, "this machine"
        return
    try:
        client = Client(address.url, security=_security(address.certificates), timeout=PATIENCE)
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterError(f"there is no scheduler at {address.url}: {_reason(error)}") from None
    with closing(client):
        yield client, address.url


@contextmanager
def _local_cluster(conditions: Conditions) -> Iterator[LocalCluster]:
    """Start a worker for each core, a process with one thread that only this machine can reach."""
    with dask.config.set(OUR_SCHEDULER):
        cluster = LocalCluster(
            n_workers=conditions.concurrency or cores(),
            threads_per_worker=1,
            host="127.0.0.1",
            # None means port 8787 on all interfaces.
            dashboard_address="127.0.0.1:0",
            preload=["oddly.tournaments.executors.cluster_session"],
            silence_logs=50,
        )
    with closing(cluster):
        yield cluster


def _security(certificates: Certificates | None) -> Security | None:
    if certificates is None:
        return None
    return Security(
        tls_ca_file=str(certificates.authority),
        tls_client_cert=str(certificates.certificate),
        tls_client_key=str(certificates.key),
        require_encryption=True,
    )


def _workers(client: Client, url: str) -> dict[str, dict[str, Any]]:
    """Return the workers by address.

    Raises ClusterError if there is none, or if one does not have our version of oddly.
    """
    if not client.ncores():
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise ClusterError(
                f"no worker joined {url} within {PATIENCE:.0f} s: start one with "
                f"`dask worker {url} --nthreads 1`"
            ) from None
    try:
        versions = client.run(our_version)
    except Exception as error:
        # A machine without oddly may raise anything when it reads our function.
        raise ClusterError(
            f"a worker at {url} cannot run oddly ({type(error).__name__}: {error}): install "
            f"oddly {our_version()} with the extra 'cluster' on all of them"
        ) from None
    for worker, version in versions.items():
        if version != our_version():
            raise _other_version(worker, version, our_version())
    workers: dict[str, dict[str, Any]] = client.scheduler_info(n_workers=-1)["workers"]
    return workers


def _other_version(worker: str, there: str, here: str) -> ClusterError:
    return ClusterError(f"worker {worker} has oddly {there}, and here is {here}: all need the same")


def _check_resources(
    workers: Mapping[str, Mapping[str, Any]],
    configurations: Mapping[str, EngineConfiguration],
    pairs: Collection[tuple[str, str]],
) -> None:
    """Raise ClusterError if no worker can play a pair's games: they would wait for ever."""
    singles = dict.fromkeys((name,) for pair in pairs for name in pair)
    offered = [
        {name for name, amount in (worker.get("resources") or {}).items() if amount >= 1}
        for worker in workers.values()
    ]
    for names in (*singles, *pairs):
        required = dict.fromkeys(
            resource for name in names for resource in configurations[name].requires
        )
        if not any(offer.issuperset(required) for offer in offered):
            known = sorted(set().union(*offered)) or ["none"]
            raise ClusterError(
                f"no worker has all that {_requiring(names)} ({', '.join(required)}); resources "
                f"there: {', '.join(known)}; start one with "
                f'`dask worker --resources "{",".join(f"{name}=1" for name in required)}"`'
            )


def _requiring(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"engine {names[0]!r} requires"
    return f"engines {names[0]!r} and {names[1]!r} require for a game"


def _reason(error: Exception) -> str:
    said = str(error).splitlines()
    return said[0] if said else type(error).__name__
