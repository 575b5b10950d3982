"""`oddly ratings FILE`: how strong the engines of played games are, and how sure that is."""

from __future__ import annotations

import argparse
import json
import math
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from tournaments.chapters import TOTAL
from tournaments.command_line.exit_codes import DONE
from tournaments.command_line.parser import BadInputError
from tournaments.tables import DEFAULT_FORMAT, FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tournaments.ratings.results import Results

SMALLEST_PRIOR, LARGEST_PRIOR = 1.0, 1e5
LARGEST_ELO = 1e5


def fill(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    from tournaments.ratings.bradley_terry import DEFAULT_PRIOR

    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="a tournament's ledger, or a CSV file with the columns first, second, winner",
    )
    parser.add_argument(
        "--anchor",
        metavar="NAME",
        help="the engine whose rating is fixed; without one the mean rating is 0",
    )
    parser.add_argument(
        "--anchor-elo", type=elo, metavar="X", help="the anchor's rating (default: 0)"
    )
    parser.add_argument(
        "--prior",
        type=prior,
        default=DEFAULT_PRIOR,
        metavar="SD",
        help="the standard deviation of ratings, in Elo, expected before the first game "
        "(default: %(default)g)",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default=DEFAULT_FORMAT,
        metavar="NAME",
        help="a table format of tabulate: simple, github, grid, html, ... (default: %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="print the ratings as one JSON object")
    parser.set_defaults(run=run, parser=parser)


def elo(text: str) -> float:
    """A number of Elo."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not abs(value) <= LARGEST_ELO:
        raise argparse.ArgumentTypeError(f"a number of Elo is expected, not {text!r}")
    return value


def prior(text: str) -> float:
    """The width of the prior in Elo."""
    value = elo(text)
    if not SMALLEST_PRIOR <= value <= LARGEST_PRIOR:
        raise argparse.ArgumentTypeError(
            f"a number of Elo from {SMALLEST_PRIOR:g} to {LARGEST_PRIOR:g} is expected, "
            f"not {text!r}"
        )
    return value


def run(arguments: argparse.Namespace) -> int:
    """Rate the engines and tell."""
    from tournaments.ratings.bradley_terry import MOST_ENGINES, advantage_test, rate
    from tournaments.ratings.table import advantage_line, rating_table, ratings_json

    if arguments.anchor is None and arguments.anchor_elo is not None:
        raise BadInputError("ratings: --anchor-elo goes with --anchor")
    by_game, everything = _results(arguments.file)
    if len(everything.names) > MOST_ENGINES:
        raise BadInputError(
            f"{arguments.file} has {len(everything.names)} engines: at most {MOST_ENGINES} "
            "are rated"
        )
    _check_anchor(arguments.anchor, everything)
    parts: dict[str, Results] = {**by_game, TOTAL: everything} if by_game else {"": everything}
    rated = {
        title: rate(results, arguments.prior, arguments.anchor, arguments.anchor_elo or 0.0)
        for title, results in parts.items()
    }
    if arguments.json:
        *games, total = rated.items()
        value = ratings_json(total[1])
        if games:
            value["games"] = {title: ratings_json(ratings) for title, ratings in games}
        print(json.dumps(value, indent=2))
        return DONE
    texts = []
    for title, ratings in rated.items():
        said = advantage_line(ratings, advantage_test(parts[title], arguments.prior))
        texts += [title] * bool(title) + [rating_table(ratings, arguments.format), said]
    print("\n\n".join(texts))
    if by_game:
        print(
            f"\nThe ratings of {TOTAL} mix {spelled_list(list(by_game))}: who is strong at one may "
            "be weak at another."
        )
    return DONE


def spelled_list(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _results(path: Path) -> tuple[dict[str, Results], Results]:
    """The games of a ledger or a CSV file: by title if it has several games, and altogether."""
    from tournaments.ledger.schema import is_ledger
    from tournaments.ratings.csv_file import ResultsFileError, read_csv

    if is_ledger(path):
        return _results_of_ledger(path)
    try:
        return {}, read_csv(path)
    except ResultsFileError as error:
        raise BadInputError(str(error)) from None


def _results_of_ledger(path: Path) -> tuple[dict[str, Results], Results]:
    from tournaments.ledger.schema import LedgerError
    from tournaments.ledger.store import Ledger
    from tournaments.ratings.results import from_counts

    try:
        with Ledger(path, read_only=True) as ledger:
            facts, counts = ledger.event() or {}, ledger.counts()
            by_game = ledger.counts_by_game() if len(facts.get("games", ())) > 1 else {}
    except LedgerError as error:
        raise BadInputError(str(error)) from None
    if not counts:
        raise BadInputError(f"{path} has no games yet")
    engines = facts.get("engines", ())
    try:
        everything = from_counts(counts, engines)
        if len(by_game) < 2:
            return {}, everything
        return {title: from_counts(own, engines) for title, own in by_game.items()}, everything
    except ValueError as error:
        raise BadInputError(f"{path} is damaged: {error}") from None


def _check_anchor(anchor: str | None, results: Results) -> None:
    if anchor is not None and anchor not in results.names:
        near = _nearest(anchor, results.names)
        raise BadInputError(f"ratings: no games of an engine {anchor!r}{near}")


def _nearest(anchor: str, names: Iterable[str]) -> str:
    """`; did you mean 'Alpha'?`, in whatever case the name is written."""
    written = {name.lower(): name for name in names}
    close = get_close_matches(anchor.lower(), written, n=1)
    return f"; did you mean {written[close[0]]!r}?" if close else ""
