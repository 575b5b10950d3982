"""`oddly ratings FILE`: how strong the engines of played games are, with error bars."""

from __future__ import annotations

import json
import sys
from collections import Counter
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games import MissingExtraError, one_line
from oddly.games.wording import listed
from oddly.interfaces.command_line.command import OneOf, command, number
from oddly.interfaces.command_line.common_options import TableOptions
from oddly.interfaces.command_line.declaring import argument, flag, option, options
from oddly.interfaces.command_line.errors import BadInputError, refusing, say
from oddly.interfaces.text.progress import waiting
from oddly.safe_files import is_sqlite_file
from oddly.tournaments import RatedGame, Results, ResultsFile, read_results
from oddly.tournaments.ledger.results_file import sum_of
from oddly.tournaments.ratings.bradley_terry import PRIOR
from oddly.tournaments.ratings.clusters import ClusterCounts
from oddly.tournaments.ratings.ordered_pairs import (
    LARGEST_DRIFT,
    PERIODS,
    SMALLEST_DRIFT,
    WINNERS,
    Row,
    from_counts,
    problem,
)
from oddly.tournaments.results.game_summary import TOTAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from oddly.game_records import KeptGame
    from oddly.tournaments.ratings.over_time import RatingHistory


SMALLEST_PRIOR, LARGEST_PRIOR = 0.001, 1000.0
LARGEST_ELO = 1e5
GAME_ENDINGS = (".json", ".jsonl", ".ndjson", ".sgf")
"""The endings of files of games that say who played."""
WITH_PLAYERS = ("abstract-play", "jsonl", "sgf")
"""The formats of games that say who played; a list of turns does not."""


ELO = number("an Elo value", lambda value: abs(value) <= LARGEST_ELO)
DRAWS = number(
    f"a number of draws from {SMALLEST_PRIOR:g} to {LARGEST_PRIOR:g}",
    lambda value: SMALLEST_PRIOR <= value <= LARGEST_PRIOR,
)
DRIFT = number(
    f"an Elo value from {SMALLEST_DRIFT:g} to {LARGEST_DRIFT:g}",
    lambda value: SMALLEST_DRIFT <= value <= LARGEST_DRIFT,
)


@options()
class RatingOptions:
    """How ratings are computed and printed."""

    anchor: str | None = option(
        "NAME", "the engine whose rating is fixed; without one the mean rating is 0"
    )
    anchor_elo: float | None = option("X", "the anchor's rating (default: 0)", kind=ELO)
    prior: float = option(
        "DRAWS",
        "the virtual draws that each engine begins with, spread over its opponents",
        default=PRIOR,
        kind=DRAWS,
    )
    over_time: str | None = option(
        "[PERIOD]",
        "show how the ratings in a ledger changed by day, week or month (default: day)",
        kind=OneOf(*PERIODS),
        without_value="day",
    )
    drift: float | None = option(
        "SD",
        "with --over-time, the standard deviation, in Elo, of a rating's change in a day "
        "(default: estimated from the games)",
        kind=DRIFT,
    )
    tables: TableOptions
    json: bool = flag("print the ratings as one JSON object")


@command("ratings club.sqlite --anchor random")
def run(
    file: Path = argument(
        "FILE",
        "a tournament's ledger, a file of games (SGF, JSON Lines, Abstract Play), or a CSV "
        "file with the columns first, second, winner",
    ),
    *,
    options: RatingOptions,
) -> None:
    """Rate the engines, and print the ratings."""
    if options.over_time is not None:
        tell_over_time(file, options.over_time, options)
    elif options.drift is not None:
        raise BadInputError("ratings: --drift goes with --over-time")
    else:
        tell_ratings(file, options)


def tell_over_time(path: Path, period: str, options: RatingOptions) -> None:
    """Print how the ratings moved, game by game. Raises BadInputError if it cannot be computed."""
    from oddly.interfaces.text.summary_tables import rulings_text
    from oddly.tournaments import Ledger, LedgerError, rate_over_time
    from oddly.tournaments.results.results_json import history_json

    for name, value in (("--anchor", options.anchor), ("--anchor-elo", options.anchor_elo)):
        if value is not None:
            raise BadInputError(f"ratings: {name} does not go with --over-time")
    if path.exists() and not is_sqlite_file(path):
        raise BadInputError(
            f"ratings: {path} is not a ledger: --over-time needs to know when games were played"
        )
    with (
        refusing(LedgerError, where="ratings"),
        waiting(f"reading {path}"),
        Ledger(path, read_only=True) as ledger,
        ledger.at_one_moment(),
    ):
        dated, rulings = ledger.dated(), ledger.rulings()
    if not dated:
        raise BadInputError(f"{path} has no games yet")
    rated = {}
    with refusing(MissingExtraError, where=str(path)), waiting("rating game by game"):
        for title in list(dated):
            rated[title] = rate_over_time(dated.pop(title), period, options.drift, options.prior)
    if options.json:
        facts = {title: history_json(history) for title, history in rated.items()}
        given = {"rulings": rulings.facts()} if rulings.given else {}
        # In pieces, since it may be long: `history_json` makes each on demand.
        json.dump({"period": period, "games": facts, **given}, sys.stdout, indent=2)
        print()
        return
    tell_histories(rated, period, options.tables.chosen)
    if rulings.given:
        print(f"\n{rulings_text(rulings, options.tables.chosen)}")


def tell_histories(rated: Mapping[str, RatingHistory], period: str, format_: str) -> None:
    """Print a table for each game, line by line, since it may be long."""
    from oddly.interfaces.text.format_reports import history_lines
    from oddly.interfaces.text.summary_tables import elo_text

    between = ""
    for title, history in rated.items():
        print(f"{between}{title}\n")
        for line in history_lines(history, period, format_):
            print(line)
        print(f"\nfirst-player advantage: {elo_text(history.advantage)} Elo\n{drift_line(history)}")
        between = "\n"


def drift_line(history: RatingHistory) -> str:
    """Return how much ratings move in a day, and where the figure comes from."""
    drift = history.drift
    if drift.elo is None:
        return "drift: unknown, no engine played in two periods"
    if drift.low is None or drift.high is None:
        return f"drift: {drift.elo:g} Elo a day, as given"
    return (
        f"drift: {drift.elo:.1f} Elo a day, estimated "
        f"(with 95 %: {drift.low:.1f} to {drift.high:.1f})"
    )


def tell_ratings(path: Path, options: RatingOptions) -> None:
    """Print one rating for each engine. Raises BadInputError if the games allow none."""
    from oddly.interfaces.text.summary_tables import (
        advantage_line,
        caveat_lines,
        rating_table,
        rulings_text,
    )
    from oddly.tournaments import LedgerError, ResultsFileError, advantage_test, rate, ratings_json

    if options.anchor is None and options.anchor_elo is not None:
        raise BadInputError("ratings: --anchor-elo goes with --anchor")
    with refusing(LedgerError, ResultsFileError), waiting(f"reading {path}"):
        found = _results_in(path)
    everything, by_game = found.everything, found.by_game
    _check_anchor(options.anchor, everything.names)
    parts: dict[str, Results] = {**by_game, TOTAL: everything} if by_game else {"": everything}
    size = f"{path} has {len(everything.names)} engines"
    with refusing(MissingExtraError, where=size), waiting("rating"):
        rated = {
            title: rate(results, options.prior, options.anchor, options.anchor_elo or 0.0)
            for title, results in parts.items()
        }
    if options.json:
        *games, (_, total) = rated.items()
        value = ratings_json(total)
        if games:
            value["games"] = {title: ratings_json(ratings) for title, ratings in games}
        if found.rulings.given:
            value["rulings"] = found.rulings.facts()
        print(json.dumps(value, indent=2))
        return
    texts = []
    for title, ratings in rated.items():
        advantage = advantage_line(ratings, advantage_test(parts[title], options.prior))
        notes = "\n".join([advantage, *caveat_lines(ratings, ratings.names)])
        texts += [title] * bool(title) + [rating_table(ratings, options.tables.chosen), notes]
    print("\n\n".join(texts))
    if by_game:
        print(
            f"\nThe ratings of {TOTAL} mix {listed(list(by_game))}: who is strong at one may be "
            "weak at another."
        )
    if found.rulings.given:
        print(f"\n{rulings_text(found.rulings, options.tables.chosen)}")


def _results_in(path: Path) -> ResultsFile:
    """Return the results in a file. Raises LedgerError, ResultsFileError or BadInputError."""
    is_plain = path.is_file() and not is_sqlite_file(path)
    if not is_plain or path.suffix.lower() not in GAME_ENDINGS:
        return read_results(path)
    # Reading games takes far more modules than rating them.
    from oddly.game_records import format_of_file, read_games
    from oddly.referee import RecordError

    if format_of_file(path) not in WITH_PLAYERS:
        return read_results(path)
    try:
        return _counted(read_games(path, notice=lambda sentence: say(one_line(sentence))), path)
    except RecordError as error:
        raise BadInputError(f"ratings: {path}: {error}") from None
    except OSError as error:
        raise BadInputError(f"ratings: {path} cannot be read: {error.strerror}") from None


def _counted(games: Iterable[KeptGame], path: Path) -> ResultsFile:
    """Count the games and their repeats, game by game. Raises BadInputError."""
    played: dict[str, Counter[Row]] = {}
    distinct: dict[str, Counter[Row]] = {}
    clusters: dict[str, ClusterCounts] = {}
    seen = set()
    for kept in games:
        record, winner = kept.record, kept.record.outcome.winner
        if record.outcome.is_void:
            continue
        row = RatedGame(*record.players, WINNERS[2 if winner is None else winner])
        if wrong := problem(row):
            raise BadInputError(f"ratings: {path}: {wrong}")
        title, turns = str(record.game), tuple(turn.turn for turn in record.turns)
        played.setdefault(title, Counter())[row] += 1
        content = title, row, record.opening, turns
        is_new = content not in seen
        seen.add(content)
        distinct.setdefault(title, Counter())[row] += is_new
        opening = turns[: record.opening]
        cluster = opening or (record.players[0], turns)
        clusters.setdefault(title, ClusterCounts()).add(*record.players, winner, cluster)
    if not played:
        raise BadInputError(f"ratings: {path} has no finished game")
    found: dict[str, Results] = {
        title: from_counts(counts, (), distinct[title], clusters[title].repeats)
        for title, counts in played.items()
    }
    if len(found) == 1:
        return ResultsFile(next(iter(found.values())), {})
    repeats = sum_of(each.repeats for each in clusters.values())
    everything = from_counts(sum_of(played.values()), (), sum_of(distinct.values()), repeats)
    return ResultsFile(everything, found)


def _check_anchor(anchor: str | None, names: Sequence[str]) -> None:
    """Raise BadInputError for an anchor without games; one may be near in another case."""
    if anchor is None or anchor in names:
        return
    written = {name.lower(): name for name in names}
    close = get_close_matches(anchor.lower(), written, n=1)
    near = f"; did you mean {written[close[0]]!r}?" if close else ""
    raise BadInputError(f"ratings: no engine {anchor!r} has games{near}")
