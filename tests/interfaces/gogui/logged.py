"""Runs a program for GoGui and keeps the lines that GoGui sends: logged.py FOLDER PROGRAM ..."""

import os
import subprocess
import sys
from pathlib import Path


def main(folder: str, *words: str) -> int:
    """Pass standard input on to the program, and to a file of its own."""
    path = Path(folder, f"{os.getpid()}.gtp")
    with path.open("wb", buffering=0) as log, subprocess.Popen(words, stdin=subprocess.PIPE) as run:
        assert run.stdin is not None
        for line in sys.stdin.buffer:
            log.write(line)
            run.stdin.write(line)
            run.stdin.flush()
        run.stdin.close()
    return run.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
