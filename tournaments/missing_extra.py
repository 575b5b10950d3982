"""The error for a feature whose package is an extra that is not installed."""

from __future__ import annotations

from oddly.games.installing import install_command


class MissingExtraError(ImportError):
    """A feature that needs an extra of oddly's. One sentence that says how to install it."""

    def __init__(self, feature: str, package: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs the package {package}: {install_command(extra)}", name=package
        )
