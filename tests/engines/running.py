"""Python programs that tests run beside themselves."""

import os
import subprocess
import sys

from tests.patience import PATIENCE
from tests.source import ROOT


def run_python(*words: str, given: str = "", **environment: str):
    """What `python WORDS` leaves, which must end well, with these variables besides ours."""
    done = subprocess.run(
        (sys.executable, *words),
        cwd=ROOT,
        env={**os.environ, **environment},
        input=given,
        capture_output=True,
        text=True,
        timeout=5 * PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done
