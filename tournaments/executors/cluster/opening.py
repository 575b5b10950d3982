"""Opening an executor on a cluster that runs elsewhere, or on one started here for the run."""

from __future__ import annotations

import logging
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager
from typing import TYPE_CHECKING, Any

import dask
import trio
from distributed import Client, LocalCluster, Security

from oddly.tournaments.executors.capacity import cores
from oddly.tournaments.executors.cluster.address import ClusterError
from oddly.tournaments.executors.cluster.executor import ClusterExecutor, our_version

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping

    from oddly.referee.program.configuration import EngineConfiguration
    from oddly.tournaments.executors.cluster.address import Certificates, ClusterAddress
    from oddly.tournaments.executors.executor import Conditions

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
    """Silence Dask's logs, which are for the cluster's operators."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("asyncio", "distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL)


@asynccontextmanager
async def cluster_executor(
    address: ClusterAddress,
    configurations: Mapping[str, EngineConfiguration],
    conditions: Conditions,
) -> AsyncIterator[ClusterExecutor]:
    """Open an executor with a slot for each thread of the cluster's workers.

    Raises ClusterError if the cluster cannot be used.
    """
    _be_quiet()
    stack = ExitStack()
    try:
        opening = _cluster(address, conditions)
        client, url = await trio.to_thread.run_sync(stack.enter_context, opening)
        if not client.ncores() and conditions.say is not None:
            conditions.say(f"waiting for a worker at {url}")
        workers = await trio.to_thread.run_sync(_workers, client, url, abandon_on_cancel=True)
        _check_resources(workers, configurations)
        threads = sum(worker["nthreads"] for worker in workers.values())
        yield ClusterExecutor(client, configurations, conditions, conditions.concurrency or threads)
    finally:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(stack.close)


@contextmanager
def _cluster(address: ClusterAddress, conditions: Conditions) -> Iterator[tuple[Client, str]]:
    """Open a client and yield it with the scheduler's address in words."""
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
            preload=["oddly.tournaments.executors.cluster.own_session"],
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
            raise ClusterError(
                f"worker {worker} has oddly {version}, and here is {our_version()}: all need the "
                "same"
            )
    workers: dict[str, dict[str, Any]] = client.scheduler_info(n_workers=-1)["workers"]
    return workers


def _check_resources(
    workers: Mapping[str, Mapping[str, Any]], configurations: Mapping[str, EngineConfiguration]
) -> None:
    """Raise ClusterError if an engine can run nowhere: its games would wait for ever."""
    offered = [set(worker.get("resources") or ()) for worker in workers.values()]
    for configuration in configurations.values():
        if not any(offer.issuperset(configuration.requires) for offer in offered):
            known = sorted(set().union(*offered)) or ["none"]
            raise ClusterError(
                f"no worker has all that engine {configuration.name!r} requires "
                f"({', '.join(configuration.requires)}); resources there: {', '.join(known)}; "
                f'start one with `dask worker --resources "{configuration.requires[0]}=1"`'
            )


def _reason(error: Exception) -> str:
    said = str(error).splitlines()
    return said[0] if said else type(error).__name__
