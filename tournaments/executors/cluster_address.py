"""The address of a cluster, and how securely to reach it."""

from __future__ import annotations

import ipaddress
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from oddly.games import did_you_mean

if TYPE_CHECKING:
    from pathlib import Path

LOCAL = "local"
SCHEMES = ("tcp", "tls")
PORT = 8786
"""The usual port of Dask's schedulers."""


class ClusterError(Exception):
    """A cluster cannot be used. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class Certificates:
    """The files for TLS: the authority's certificate, our certificate and our key."""

    authority: Path
    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """A scheduler, or this machine if `url` is None."""

    url: str | None
    certificates: Certificates | None = None


def parse_cluster_address(
    text: str, certificates: Certificates | None = None, *, insecure: bool = False
) -> ClusterAddress:
    """Return the address that `local`, `tcp://host:8786` or `tls://host:8786` stands for.

    Anyone who reaches a scheduler can run programs on its workers, and the workers can run programs
    here. So beyond this machine, TLS with certificates is required, unless `insecure` declares the
    network trusted. Raises ClusterError for anything else.
    """
    if text == LOCAL:
        return ClusterAddress(None)
    expected = f"expected local, tcp://HOST:{PORT} or tls://HOST:{PORT}"
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise ClusterError(f"not the address of a cluster: {text!r}: {error}; {expected}") from None
    if parts.scheme not in SCHEMES or not parts.hostname:
        near = did_you_mean(parts.scheme or text, (LOCAL, *SCHEMES))
        raise ClusterError(f"not the address of a cluster: {text!r}; {expected}{near}")
    try:
        port = parts.port or PORT
    except ValueError as error:
        raise ClusterError(f"not the address of a cluster: {text!r}: {error}; {expected}") from None
    if parts.path or parts.query or parts.username:
        raise ClusterError(f"not the address of a cluster: {text!r}; {expected}")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    url = f"{parts.scheme}://{host}:{port}"
    if parts.scheme == "tls":
        if certificates is None:
            raise ClusterError(f"{url} needs --tls-ca, --tls-cert and --tls-key")
        return ClusterAddress(url, _readable(certificates))
    if certificates is not None:
        raise ClusterError(f"{url} is not encrypted: certificates go with tls://{host}:{port}")
    if not (insecure or _is_this_machine(parts.hostname)):
        raise ClusterError(
            f"{url} is not encrypted and not on this machine: anyone who listens in could run "
            f"programs here and there; use tls://, or say --insecure in a network that you trust"
        )
    return ClusterAddress(url)


def _readable(certificates: Certificates) -> Certificates:
    """Return the certificates. Raises ClusterError if a file is not what it should be."""
    authority, certificate, key = certificates.authority, certificates.certificate, certificates.key
    for path in (authority, certificate, key):
        try:
            path.open("rb").close()
        except OSError as error:
            raise ClusterError(f"cannot read {path}: {error.strerror}") from None
    for path in (authority, certificate):
        try:
            context = ssl.create_default_context(cafile=str(path))
        except ssl.SSLError:
            raise ClusterError(f"{path} is no certificate as PEM") from None
    try:
        # Never asks a terminal for the password of a key.
        context.load_cert_chain(certificate, key, password="")
    except (ssl.SSLError, ValueError) as error:
        if getattr(error, "reason", None) == "KEY_VALUES_MISMATCH":
            raise ClusterError(f"{key} is not the key of the certificate {certificate}") from None
        raise ClusterError(f"{key} is no key as PEM without a password") from None
    return certificates


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
