"""The command line as a test types it: what it prints, what it refuses."""

import json
import pwd

import pytest

from oddly.interfaces.command_line import main


@pytest.fixture
def oddly(capsys):
    """Run `oddly`, the first words in one string; what it printed, if the exit code is right."""

    def run(first="", *words, code=0):
        assert main([*first.split(), *map(str, words)]) == code
        return capsys.readouterr()

    return run


@pytest.fixture
def output(oddly):
    """Run it; its standard output."""
    return lambda *words, code=0: oddly(*words, code=code).out


@pytest.fixture
def facts(output):
    """Run it with `--json`; the object on standard output."""
    return lambda *words, code=0: json.loads(output(*words, "--json", code=code))


@pytest.fixture
def refusal(oddly):
    """Run it with bad input; the one sentence, below which a caret may show the place."""

    def refused(*words, code=2):
        said = oddly(*words, code=code)
        assert said.out == ""
        assert said.err.startswith("oddly: ")
        assert "Traceback" not in said.err
        _, *rest = said.err.splitlines()
        assert not rest or rest[-1].strip() == "^"
        return said.err

    return refused


@pytest.fixture
def homeless(monkeypatch):
    """Be a user without a home directory."""

    def unknown(number):
        raise KeyError(number)

    for name in ("HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
