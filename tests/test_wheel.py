"""What the wheel holds: all that runs, and nothing that only tests and docs use."""

import ast
from pathlib import Path

import pytest

from oddly.interfaces.command_line.shipped_examples import shipped_examples

HERE = Path(__file__).parent.parent
PACKAGES = (
    "engines", "game_records", "games", "interfaces", "protocol", "referee", "safe_files", "study",
    "tournaments",
)  # fmt: skip
LEFT_OUT = ("oddly/tools/",)
EXAMPLES = "oddly/examples/"
"""What `oddly new-engine` begins from and `oddly examples` copies."""


@pytest.fixture(scope="module")
def shipped():
    """Where each file of the wheel comes from, by its path there."""
    wheel = pytest.importorskip("hatchling.builders.wheel")
    builder = wheel.WheelBuilder(str(HERE))
    return {file.distribution_path: Path(file.path) for file in builder.recurse_included_files()}


def test_it_holds_our_packages_alone(shipped):
    assert {path.split("/")[0] for path in shipped} == {"oddly"}
    for package in PACKAGES:
        assert f"oddly/{package}/py.typed" in shipped


def test_it_holds_all_that_runs_but_what_only_a_checkout_needs(shipped):
    ours = {
        f"oddly/{path.relative_to(HERE)}"
        for package in PACKAGES
        for path in (HERE / package).rglob("*.py")
    }
    assert {path for path in ours - set(shipped) if not path.startswith(LEFT_OUT)} == set()
    assert not any(path.startswith(LEFT_OUT) for path in shipped)
    assert {path for path in shipped if path.endswith(".c")} == {
        f"{EXAMPLES}c/{name}.c" for name in ("full", "tiny")
    }
    assert "oddly/interfaces/web/static/play.js" in shipped
    assert "oddly/tournaments/tournament.schema.json" in shipped
    assert "oddly/interfaces/bot/bot.schema.json" in shipped


def test_nothing_in_it_imports_what_is_left_out(shipped):
    left_out = (
        "tools.vectors",
        "tools.abnf",
        "tools.railroad",
        "tools.transcript",
        "benchmarks",
        "tests",
    )
    for path, source in shipped.items():
        if path.endswith(".py"):
            for name in imported(source):
                assert not name.startswith(left_out), (path, name)


def test_the_examples_in_it_are_those_of_the_checkout(shipped):
    examples = {path: source for path, source in shipped.items() if path.startswith(EXAMPLES)}
    known = {str(example.path) for example in shipped_examples().values()}
    assert {str(source) for source in examples.values()} <= known
    for path, source in examples.items():
        assert source.resolve() == HERE / "examples" / path.removeprefix(EXAMPLES)


def imported(path):
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
