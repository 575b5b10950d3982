"""`--cluster` and the options that go with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oddly.interfaces.command_line.command import flag, gathered, option
from oddly.interfaces.command_line.errors import BadInputError
from oddly.interfaces.command_line.values import FILE
from oddly.tournaments.executors.cluster.address import (
    Certificates,
    ClusterError,
    parse_cluster_address,
)

if TYPE_CHECKING:
    from pathlib import Path

    from oddly.tournaments.executors.cluster.address import ClusterAddress

GROUP = "Many machines (see docs/how-to/many-machines.md)"


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """The cluster on which games are played, if any."""

    cluster: str | None
    tls_ca: Path | None
    tls_cert: Path | None
    tls_key: Path | None
    insecure: bool

    def address(self) -> ClusterAddress | None:
        """Return the address of the cluster, if any. Raises BadInputError if it cannot be used."""
        files = (self.tls_ca, self.tls_cert, self.tls_key)
        if self.cluster is None:
            if any(files) or self.insecure:
                raise BadInputError(
                    "--tls-ca, --tls-cert, --tls-key and --insecure go with --cluster"
                )
            return None
        if any(files) and not all(files):
            raise BadInputError("--tls-ca, --tls-cert and --tls-key go together")
        authority, certificate, key = files
        certificates = None
        if authority and certificate and key:
            certificates = Certificates(authority, certificate, key)
        try:
            return parse_cluster_address(self.cluster, certificates, insecure=self.insecure)
        except ClusterError as error:
            raise BadInputError(str(error)) from None


cluster_options = gathered(
    "cluster",
    ClusterOptions,
    option(
        "--cluster",
        metavar="ADDRESS",
        help="play on a Dask cluster: tls://HOST:8786, tcp://HOST:8786, or local for one made here",
        group=GROUP,
    ),
    option("--tls-ca", type=FILE, metavar="FILE", help="the certificate authority", group=GROUP),
    option("--tls-cert", type=FILE, metavar="FILE", help="our certificate", group=GROUP),
    option("--tls-key", type=FILE, metavar="FILE", help="our key", group=GROUP),
    flag(
        "--insecure",
        help="reach another machine without TLS: anyone in that network can run programs",
        group=GROUP,
    ),
)
"""Add the options of a cluster, which the function takes as `cluster: ClusterOptions`."""
