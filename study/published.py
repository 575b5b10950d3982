"""A study's games in one file, from which its pages are derived again and the study goes on.

The file is JSON Lines, compressed by xz. The first line says what was played and measured; each of
the others is a game as `oddly export` writes it, without times. Games of other players have a label
that names their source.
"""

from __future__ import annotations

import json
import lzma
from collections import defaultdict, deque
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from oddly.game_records import FORMATS, KeptGame
from oddly.game_records.kept_game import game_named
from oddly.games import Game, GameError
from oddly.referee import RecordError
from oddly.study.atlas import (
    ATLAS,
    SUFFIX,
    AtlasError,
    StudiedBoard,
    digest,
    make_atlas,
    read_studies,
)
from oddly.study.document import as_json, files_of
from oddly.study.first_turns import StudyError
from oddly.study.playing import (
    MAX_GAMES,
    StudyPlan,
    changed_options,
    event_facts,
    games_by_pairing,
    make_plan,
)
from oddly.study.sections import Effort, MeasuringObserver, make_study
from oddly.tournaments.ledger.event_facts import contradictions
from oddly.tournaments.ledger.merging import import_games

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from oddly.referee import GameRecord
    from oddly.study.document import Study
    from oddly.tournaments import ScheduledGame

BESIDE = "beside"
"""The label that names the source of other players' games."""

MAX_HEAD = 1 << 16


@dataclass(frozen=True, slots=True)
class StudyRecipe:
    """What a study plays and measures, as `make_plan` and `Effort` take it, and its title page."""

    game: Game
    plan: Mapping[str, Any]
    effort: Effort
    facts: Mapping[str, str]

    def planned(self) -> StudyPlan:
        """Return the plan of the games."""
        return make_plan(self.game, **self.plan)

    def study(
        self,
        records: Iterable[GameRecord],
        others: Mapping[str, Sequence[GameRecord]],
        observer: MeasuringObserver,
    ) -> Study:
        """Return the study of those games. Raises StudyError if they contradict each other."""
        plan = self.planned()
        played = games_by_pairing(plan, records)
        return make_study(plan, played, self.effort, observer, self.facts, others)


def published(
    recipe: StudyRecipe, records: Iterable[GameRecord], others: Mapping[str, Sequence[GameRecord]]
) -> bytes:
    """Return the contents of the file of a study's games."""
    head = {
        "game": str(recipe.game),
        "plan": dict(recipe.plan),
        "effort": asdict(recipe.effort),
        "facts": dict(recipe.facts),
    }
    line = FORMATS["jsonl"].writer()
    games = [KeptGame(_without_times(record)) for record in records]
    games += [
        KeptGame(_without_times(record), {BESIDE: name})
        for name, some in others.items()
        for record in some
    ]
    text = "".join([json.dumps(head) + "\n", *map(line, games)])
    return lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)


def _without_times(record: GameRecord) -> GameRecord:
    turns = tuple(turn._replace(seconds=0.0, evaluation=None) for turn in record.turns)
    outcome = replace(record.outcome, diagram="", lag=0.0)
    return replace(
        record, turns=turns, outcome=outcome, engines=("", ""), seed=None, host="", timing=None
    )


def _recipe(head: Mapping[str, Any]) -> StudyRecipe:
    game = game_named(head["game"])
    if game is None:
        raise ValueError(f"{head['game']!r} is no game")
    return StudyRecipe(game, head["plan"], Effort(**head["effort"]), dict(head["facts"]))


@dataclass(frozen=True, slots=True)
class PublishedGames:
    """The contents of a file of games: the recipe, the games, and those of other players."""

    path: Path
    recipe: StudyRecipe
    records: Sequence[GameRecord]
    others: Mapping[str, Sequence[GameRecord]]

    def scheduled(self) -> Iterator[tuple[ScheduledGame, GameRecord]]:
        """Yield each game of the study with its place in the schedule.

        Raises StudyError if the plan has no place for a game.
        """
        schedule = self.recipe.planned().schedule()
        places: defaultdict[Any, deque[ScheduledGame]] = defaultdict(deque)
        for game in schedule:
            places[game.first, game.second, game.opening].append(game)
        for record in self.records:
            opening = tuple(played.turn for played in record.turns[: record.opening])
            left = places[(*record.players, opening)]
            if not left:
                pair = " - ".join(record.players)
                after = f" after {' '.join(opening)}" if opening else ""
                raise StudyError(
                    f"{self.path} has more games of {pair}{after} than its first line says"
                )
            game = left.popleft()
            yield game, replace(record, seed=game.seed)


def read_published(path: Path) -> PublishedGames:
    """Return the games of a file, each judged by the rules. Raises AtlasError if it has none."""
    try:
        with lzma.open(path, "rb") as stream:
            recipe = _recipe(json.loads(stream.readline(MAX_HEAD)))
            recipe.planned()
            records: list[GameRecord] = []
            others: dict[str, list[GameRecord]] = {}
            for kept in islice(FORMATS["jsonl"].read(stream), MAX_GAMES):
                name = kept.labels.get(BESIDE)
                (records if name is None else others.setdefault(str(name), [])).append(kept.record)
            return PublishedGames(path, recipe, records, others)
    except RecordError as error:
        raise AtlasError(f"{path}: after its first line, {error}") from None
    except (OSError, EOFError, lzma.LZMAError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise AtlasError(f"cannot read the games of {path}: {reason}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, GameError) as error:
        raise AtlasError(f"{path} does not begin with what a study plays: {error}") from None


def study_from_games(path: Path, observer: MeasuringObserver) -> Study:
    """Return the study that follows from a file of games.

    Raises AtlasError if it is not such a file, StudyError if its games contradict each other.
    """
    games = read_published(path)
    try:
        return games.recipe.study(games.records, games.others, observer)
    except StudyError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, GameError) as error:
        raise AtlasError(f"{path} does not begin with what a study plays: {error}") from None


def begin_ledger(path: Path, games: PublishedGames, plan: StudyPlan, fingerprint: str) -> None:
    """Write a new ledger with published games, which `plan` continues.

    `fingerprint` is that of the present engine. Raises StudyError if the games are of another
    engine or another study, LedgerError if there is a file at `path` or it cannot be written.
    """
    theirs = games.recipe.facts.get("fingerprint", "an unknown engine")
    old = event_facts(games.recipe.planned())
    wrong = changed_options(old, plan) or contradictions(old, event_facts(plan))
    if theirs != fingerprint:
        wrong.append(f"the engine's fingerprint changed from {theirs} to {fingerprint}")
    if wrong:
        raise StudyError(
            f"{games.path} has games of another study: {'; '.join(wrong)}. Undo the change, name "
            "another --output, or move that file away to play all games anew"
        )
    import_games(path, old, games.scheduled(), games.path.name)


def differences(folder: Path, observer: MeasuringObserver) -> Iterator[str]:
    """Yield a sentence for each file of a folder of studies that does not follow from its games.

    Every study and the atlas are derived again, and each file is compared with the existing one. A
    study without games is left as it is. Raises AtlasError if there are no studies or games that
    cannot be read, StudyError if games contradict each other.
    """
    derived = []
    for board in read_studies(folder):
        path = folder / f"{board.name}{SUFFIX}"
        if not path.is_file():
            yield f"{board.name} has no games ({path} does not exist), so it cannot be derived"
            derived.append(board)
            continue
        study = study_from_games(path, observer)
        facts = as_json(study)
        for key, table in facts["tables"].items():
            if board.tables.get(key) != table:
                yield f"{board.name}: the table {key!r} does not follow from its games"
        yield from _other_files(folder, files_of(study, board.name))
        derived.append(StudiedBoard.of(board.name, facts, digest(path)))
    yield from _other_files(folder, files_of(make_atlas(derived), ATLAS))


def _other_files(folder: Path, files: Mapping[str, str]) -> Iterator[str]:
    for name, text in files.items():
        path = folder / name
        if not path.is_file():
            yield f"{path} does not exist"
        elif path.read_bytes() != text.encode():
            yield f"{path} does not follow from the games"
