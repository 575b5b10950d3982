"""`python -m tools.mutation`: every mutant, and which of them nothing finds."""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor

from tools.mutation.mutants import MUTANTS
from tools.mutation.results import RESULTS, read, write
from tools.mutation.score import find


def main() -> None:
    """Try mutants, print what finds each, and keep the results with --write."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutation", description=__doc__)
    parser.add_argument("--only", metavar="WORDS", default="", help="mutants whose name has WORDS")
    parser.add_argument(
        "--survivors", action="store_true", help="those that check missed last time"
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help="keep the results, and write docs/how-to/check-an-engine.md",
    )
    parser.add_argument("--jobs", type=int, default=1, help="mutants at once (default: 1)")
    options = parser.parse_args()
    kept = read() if RESULTS.exists() else {}
    wanted = [
        mutant
        for mutant in MUTANTS
        if options.only in mutant.name
        and not (options.survivors and kept.get(mutant.name, {}).get("check"))
    ]
    with ProcessPoolExecutor(options.jobs) as pool:
        for found in pool.map(find, wanted):
            kept[found.mutant.name] = {
                "patch": found.mutant.digest,
                "check": found.by_check,
                "unmarked": found.unmarked,
                "vectors": found.by_vectors,
            }
            told = found.by_check or found.by_vectors or "SURVIVES"
            print(f"{found.mutant.name}: {told}", flush=True)
            if options.write:
                write({mutant.name: kept[mutant.name] for mutant in MUTANTS if mutant.name in kept})


if __name__ == "__main__":
    main()
