"""The languages of the example engines, what each needs, and how it is built and started."""

import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.programs import lack, need

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


@dataclass(frozen=True)
class Language:
    """An example's language. Commands are relative to the repository."""

    name: str
    """As in `languages.toml`."""
    toolchain: tuple[str, ...]
    tiny: tuple[str, ...]
    full: tuple[str, ...]
    takes_playouts: bool = True
    is_built: bool = False

    @property
    def missing(self) -> str:
        """The first program that it needs and that cannot be used here; empty if all can."""
        return next((program for program in self.toolchain if lack(program)), "")

    @property
    def folder(self) -> Path:
        return EXAMPLES / self.name.lower()

    def ready(self) -> None:
        """Build it, or skip the test that asked for it."""
        need(*self.toolchain)
        if self.is_built:
            build(self.name.lower())

    def full_with(self, playouts: int) -> tuple[str, ...]:
        """The command of its full engine, so that it answers quickly."""
        return (*self.full, str(playouts)) if self.takes_playouts else self.full


def scripts(*words: str) -> tuple[tuple[str, ...], ...]:
    """The commands of the tiny and of the full engine."""
    return tuple(tuple(word.format(name) for word in words) for name in ("tiny", "full"))


JAVA = ("java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
LANGUAGES = [
    Language(
        "Python", ("python3",), *scripts("python3", "examples/python/{}.py"), takes_playouts=False
    ),
    Language("C", ("cc",), *scripts("examples/build/c/{}"), is_built=True),
    Language("JavaScript", ("node",), *scripts("node", "examples/javascript/{}.js")),
    Language("Rust", ("rustc",), *scripts("examples/build/rust/{}"), is_built=True),
    Language(
        "Java",
        ("java", "javac"),
        (*JAVA, "examples/java/Tiny.java"),
        (*JAVA, "examples/java/Full.java"),
    ),
    Language("Go", ("go",), *scripts("examples/build/go/{}"), is_built=True),
    Language("awk", ("awk",), *scripts("examples/awk/{}"), takes_playouts=False),
]


@cache
def build(language: str) -> None:
    """Run the examples' own build script. A warning of the compiler fails."""
    words = ["sh", "examples/build.sh", language]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
