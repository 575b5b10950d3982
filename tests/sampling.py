"""Which of the many cases run by default: a sample that the commit decides.

The same commit always runs the same sample, so that what passed today passes tomorrow; another
commit runs another one. `ODDLY_SAMPLE` repeats the sample of an earlier run.
"""

import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from zlib import crc32

SAMPLE = "ODDLY_SAMPLE"
NO_COMMIT = "no-commit"
"""The sample of a tree that git does not know."""
PARTS = 12
ROOT = Path(__file__).parents[1]


def commit(folder: Path = ROOT) -> str:
    """The first 12 digits of the hash of the commit checked out in `folder`, or NO_COMMIT."""
    # A repository somewhere above an unpacked archive says nothing about it.
    if not (folder / ".git").exists():
        return NO_COMMIT
    try:
        done = subprocess.run(
            ["git", "rev-parse", "--short=12", "HEAD"], cwd=folder, capture_output=True, text=True
        )
    except OSError:
        return NO_COMMIT
    return done.stdout.strip() or NO_COMMIT


def choose_sample() -> None:
    """Settle on a sample; worker processes inherit it."""
    os.environ.setdefault(SAMPLE, commit())


def sample_name() -> str:
    """What this run's sample is called: a commit, unless somebody chose otherwise."""
    return os.environ[SAMPLE]


def sample_number(sample: str | None = None) -> int:
    """The number that chooses from every list of cases, of this run's sample by default."""
    return crc32((sample_name() if sample is None else sample).encode())


def is_in_sample(name: str, case: int = 0, sample: str | None = None, parts: int = PARTS) -> bool:
    """Whether a case of a sampled test runs: each does for one commit in twelve.

    Cases that follow each other run for different commits, so no commit gets all the long ones.
    """
    return (crc32(name.encode()) + case + sample_number(sample)) % parts == 0


def drawn(names: Iterable[str], count: int, sample: str | None = None) -> Sequence[str]:
    """`count` of the names, or all if there are fewer: another few for every sample."""
    number = sample_number(sample)
    return sorted(names, key=lambda name: crc32(f"{number} {name}".encode()))[:count]
