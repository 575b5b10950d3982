"""`--cluster` and what goes with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from interfaces.command_line.parser import BadInputError
from tournaments.cluster.address import Certificates, ClusterError, parse_address
from tournaments.executor import local_executor

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from contextlib import AbstractAsyncContextManager

    from referee.player import EngineConfiguration
    from tournaments.cluster.address import Address
    from tournaments.executor import Conditions, Executor


def add_cluster_arguments(parser: argparse.ArgumentParser) -> None:
    """Where games are played, if not here."""
    group = parser.add_argument_group("many machines (see docs/cluster.md)")
    group.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="play on a Dask cluster: tls://HOST:8786, tcp://HOST:8786, or local for one made here",
    )
    group.add_argument("--tls-ca", type=Path, metavar="FILE", help="who signs the certificates")
    group.add_argument("--tls-cert", type=Path, metavar="FILE", help="our certificate")
    group.add_argument("--tls-key", type=Path, metavar="FILE", help="our key")
    group.add_argument(
        "--insecure",
        action="store_true",
        help="reach another machine without TLS: whoever is in that network can run programs",
    )


def address_of(arguments: argparse.Namespace) -> Address | None:
    """The cluster that was named, if any. Raises BadInputError."""
    files = (arguments.tls_ca, arguments.tls_cert, arguments.tls_key)
    if arguments.cluster is None:
        if any(files) or arguments.insecure:
            raise BadInputError("--tls-ca, --tls-cert, --tls-key and --insecure go with --cluster")
        return None
    if any(files) and not all(files):
        raise BadInputError("--tls-ca, --tls-cert and --tls-key go together")
    certificates = Certificates(*files) if all(files) else None
    try:
        return parse_address(arguments.cluster, certificates, insecure=arguments.insecure)
    except ClusterError as error:
        raise BadInputError(str(error)) from None


def executor_at(
    address: Address | None,
    configurations: Mapping[str, EngineConfiguration],
    conditions: Conditions,
) -> AbstractAsyncContextManager[Executor]:
    """An executor on that cluster, or on this machine. Raises BadInputError."""
    if address is None:
        return local_executor(configurations, conditions)
    try:
        from tournaments.cluster.opening import cluster_executor
    except ModuleNotFoundError as error:
        raise BadInputError(
            f"--cluster needs {error.name}: install the extra oddly[cluster]"
        ) from None
    return cluster_executor(address, configurations, conditions)


def only_cluster_error(group: BaseExceptionGroup[BaseException]) -> ClusterError | None:
    """The error of the cluster that ended a run, unless something else did too."""
    found, rest = group.split(ClusterError)
    if found is None or rest is not None:
        return None
    error: BaseException = found
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error if isinstance(error, ClusterError) else None
