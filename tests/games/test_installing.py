"""What to do about a missing extra depends on how oddly was installed."""

import sys
from importlib.metadata import PackageNotFoundError

import pytest

from oddly.games.installation import install_command, packages_of


def test_an_extra_has_packages_with_their_bounds():
    (numba,) = packages_of("fast")
    assert numba.startswith("numba")
    assert "<" in numba
    assert packages_of("no-such-extra") == []


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/me/oddly/.venv", "/python -m pip install 'numba<9'"),
        ("/home/me/.local/share/pipx/venvs/oddly", "pipx inject oddly 'numba<9'"),
        ("/home/me/.local/share/uv/tools/oddly", "/python 'numba<9'"),
    ],
)
def test_the_command_is_for_the_environment_that_runs(monkeypatch, prefix, command):
    lines = ["trio>=1", "numba<9; extra == 'fast'", 'pytest; extra == "test"']
    monkeypatch.setattr("importlib.metadata.requires", lambda _: lines)
    monkeypatch.setattr(sys, "prefix", prefix)
    monkeypatch.setattr(sys, "executable", f"{prefix}/bin/python")
    assert install_command("fast").endswith(command)


def test_without_an_installation_it_is_a_checkout(monkeypatch):
    def requires(_):
        raise PackageNotFoundError

    monkeypatch.setattr("importlib.metadata.requires", requires)
    assert install_command("serve") == "pip install -e '.[serve]'"
