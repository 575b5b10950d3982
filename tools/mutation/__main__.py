"""`python -m tools.mutation`: every mutant, and which of them nothing finds."""

from __future__ import annotations

import argparse

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
    options = parser.parse_args()
    kept = read() if RESULTS.exists() else {}
    for mutant in MUTANTS:
        if options.only not in mutant.name:
            continue
        if options.survivors and kept.get(mutant.name, {}).get("check"):
            continue
        found = find(mutant)
        kept[mutant.name] = {
            "patch": mutant.digest,
            "check": found.by_check,
            "vectors": found.by_vectors,
        }
        print(f"{mutant.name}: {found.by_check or found.by_vectors or 'SURVIVES'}", flush=True)
        if options.write:
            write({mutant.name: kept[mutant.name] for mutant in MUTANTS if mutant.name in kept})


if __name__ == "__main__":
    main()
