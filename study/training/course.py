"""A training, generation after generation, each played against the previous one, and its report.

Every generation plays games with the weights of the one before, the first without weights. It
learns from the examples of all generations so far, and plays a match against the one before. All
finished work is in the folder, and every seed follows from numbers, so an interrupted training ends
with the same weights.
"""

from __future__ import annotations

import json
import math
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from io import BytesIO
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from oddly.engines import copy_state, new_state, play_action
from oddly.engines.kernels.interface import is_over, load, reward
from oddly.engines.kernels.interface import side_to_move as side_of
from oddly.games import DropPosition, random_turn
from oddly.safe_files import UnusableFileError, lock, replace_file, unlock
from oddly.study.document import (
    Chart,
    Column,
    Line,
    Section,
    Study,
    StudyTable,
    columns_of,
    in_percent,
)
from oddly.study.estimates import Estimate, share, transformed
from oddly.study.training.self_play import NATS, Losses, joined
from oddly.tournaments.ratings.elo import elo_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from oddly.games import Game, Position
    from oddly.study.training.subject import Player, Subject

    Begin = Callable[[str, int], Callable[[], None]]


GAMES_A_FILE = 10
FIRST_SUBJECT = "prior"
"""The subject of older courses, which do not name theirs."""
SEEDS_A_GENERATION = 1_000_000


class TrainingError(Exception):
    """A folder whose training cannot be resumed. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """What a course does."""

    generations: int
    games: int
    simulations: int
    pairs: int
    """Of games, in the match of each generation against the previous one."""
    seed: int


@dataclass(frozen=True, slots=True)
class Generation:
    """The result of one generation; `points` are those of its match against the previous one."""

    number: int
    games: int
    positions: int
    losses: Losses
    points: float
    match_games: int


@dataclass
class Training:
    """The training of a subject for one game, in a folder."""

    game: Game
    subject: Subject[Any]
    plan: TrainingPlan
    folder: Path

    def run(self, begin: Begin) -> tuple[np.ndarray, list[Generation]]:
        """Do the missing work, and return the weights and the result of each generation.

        `begin` is called with a name and a number of steps, and returns a function that is called
        after each step. Raises TrainingError if the folder has another course or is another run's
        now, OSError if nothing can be written there.
        """
        with self._held():
            self._claim()
            return self._run(begin)

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Hold the folder for this process. Raises TrainingError if it cannot."""
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            held = lock(self._note, "training")
        except UnusableFileError as error:
            raise TrainingError(str(error)) from None
        try:
            yield
        finally:
            unlock(held)

    @property
    def _note(self) -> Path:
        """The file with the settings of the course."""
        return self.folder / "course.json"

    def _run(self, begin: Begin) -> tuple[np.ndarray, list[Generation]]:
        before = None
        found, parts = [], []
        for number in range(1, self.plan.generations + 1):
            parts += self._examples(number, before, begin)
            weights, losses = self._learnt(number, parts)
            points = self._match(number, weights, before, begin)
            before = weights
            pairs, positions = self.plan.pairs, sum(len(part[0]) for part in parts)
            games = number * self.plan.games
            found.append(Generation(number, games, positions, losses, points, 2 * pairs))
        return weights, found

    def _claim(self) -> None:
        """Record the settings of this folder. Raises TrainingError if it has others."""
        # A training may be extended, and its matches too.
        facts = {
            "game": str(self.game),
            "games": self.plan.games,
            "simulations": self.plan.simulations,
            "seed": self.plan.seed,
        }
        if self.subject.name != FIRST_SUBJECT:
            facts["subject"] = self.subject.name
        note = self._note
        if not note.exists():
            replace_file(note, json.dumps(facts, indent=1) + "\n")
        try:
            earlier = json.loads(note.read_text(encoding="utf-8"))
        except ValueError:
            raise TrainingError(
                f"{note} is not JSON; without that file, the training goes on, "
                "with the settings of this run"
            ) from None
        if earlier != facts:
            raise TrainingError(
                f"{self.folder} holds a course with other settings; {note.name} has them"
            )

    def _examples(self, number: int, weights: np.ndarray | None, begin: Begin) -> list[Any]:
        """Return the examples of a generation's games, after playing the missing ones."""
        step = begin(f"the games of generation {number}", self.plan.games)
        player = self.subject.player(weights)
        parts = []
        for first in range(0, self.plan.games, GAMES_A_FILE):
            file = self.folder / f"games-{number}-{first}.npz"
            if not file.exists():
                games = []
                for game in range(first, min(first + GAMES_A_FILE, self.plan.games)):
                    seed = self._seed(number, game)
                    games.append(self.subject.play(player, self.plan.simulations, seed))
                    step()
                content = BytesIO()
                np.savez_compressed(content, *joined(games))
                replace_file(file, content.getvalue())
            else:
                for _ in range(first, min(first + GAMES_A_FILE, self.plan.games)):
                    step()
            parts.append(_read(file, self.subject))
        return parts

    def _learnt(self, number: int, parts: list[Any]) -> tuple[np.ndarray, Losses]:
        """Return the weights of a generation and their losses."""
        file = self.folder / f"weights-{number}.npy"
        weights, losses = self.subject.fit(joined(parts), self._seed(number, 0))
        replace_file(file, _bytes_of(weights))
        return weights, losses

    def _match(
        self, number: int, weights: np.ndarray, before: np.ndarray | None, begin: Begin
    ) -> float:
        """Return the points of a generation against the one before, from the pairs of a match."""
        file = self.folder / f"match-{number}.txt"
        points = _points(file) if file.exists() else []
        step = begin(f"the match of generation {number} against {number - 1}", self.plan.pairs)
        players = [self.subject.player(weights), self.subject.player(before)]
        for pair in range(self.plan.pairs):
            if pair >= len(points):
                seed = self._seed(number, SEEDS_A_GENERATION // 2 + pair)
                points.append(pair_points(players, self.plan.simulations, seed))
                replace_file(file, "".join(f"{each}\n" for each in points))
            step()
        return sum(points[: self.plan.pairs])

    def _seed(self, generation: int, number: int) -> int:
        return (self.plan.seed * 1000 + generation) * SEEDS_A_GENERATION + number


def save_weights(
    folder: Path,
    subject: Subject[Any],
    weights: np.ndarray,
    facts: Mapping[str, str],
    last: Generation,
) -> Path:
    """Write the file in which a game's weights ship, and its card; return the former's path.

    The card, a TOML file, says where the weights come from. Raises OSError.
    """
    file = folder / subject.file
    replace_file(file, _bytes_of(weights))
    card = {**facts, "date": date.today().isoformat(), "positions": last.positions}
    card["loss"] = [round(value, NATS) for value in (last.losses.after, *last.losses.thirds)]
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in card.items()]
    replace_file(file.with_suffix(".toml"), "\n".join(lines) + "\n")
    return file


MAX_RANDOM_TURNS = 3
"""The maximum number of random turns before a game."""


def pair_points(players: Sequence[Player], simulations: int, seed: int) -> float:
    """Return the first player's points, 0 to 2, in two games from an opening that `seed` decides.

    The players exchange colours for the second game.
    """
    random = Random(seed)
    game = players[0][0].game
    position = random_opening(game, random)
    first, second = players
    seeds = [random.randrange(1 << 30) for _ in range(4)]
    return _black_points((first, second), position, simulations, seeds[:2]) + (
        1 - _black_points((second, first), position, simulations, seeds[2:])
    )


def random_opening(game: Game, random: Random) -> Position:
    """Return the position after up to MAX_RANDOM_TURNS random turns."""
    position = game.start()
    for _ in range(random.randint(1, MAX_RANDOM_TURNS)):
        after = position.play(random_turn(position, random))
        if after.is_over:
            break
        position = after
    return position


def _black_points(
    players: Sequence[Player], position: Position, simulations: int, seeds: Sequence[int]
) -> float:
    at = DropPosition(position)
    root = new_state(position.game)
    load(root, at)
    for (searcher, _), seed in zip(players, seeds, strict=True):
        searcher.forget(seed)
        searcher.load(at)
    while not is_over(root):
        searcher, settings = players[int(side_of(root))]
        copy_state(searcher.root, root)
        play_action(root, searcher.think(settings, simulations=simulations).action)
    return float(reward(root))


def _bytes_of(weights: np.ndarray) -> bytes:
    """Return the content of a file of weights."""
    content = BytesIO()
    np.save(content, weights)
    return content.getvalue()


def _read(file: Path, subject: Subject[Any]) -> tuple[np.ndarray, ...]:
    """Return the examples in a file. Raises TrainingError if they cannot be read."""
    unusable = TrainingError(
        f"{file} has no examples; without that file, its games are played again"
    )
    try:
        content = BytesIO(file.read_bytes())
    except OSError as error:
        raise TrainingError(f"cannot read {file}: {error.strerror}") from None
    try:
        with np.load(content, allow_pickle=False) as arrays:
            examples: Any = subject.collection(*(arrays[name] for name in arrays.files))
        highest = int(examples.classes.max(initial=0))
    except Exception:
        # A damaged archive raises errors of a dozen kinds.
        raise unusable from None
    if highest >= subject.class_count:
        raise unusable
    found: tuple[np.ndarray, ...] = examples
    return found


def _points(file: Path) -> list[float]:
    """Return the points of the pairs in a file. Raises TrainingError if they cannot be read."""
    try:
        return [_points_of_pair(line) for line in file.read_text(encoding="utf-8").split()]
    except ValueError:
        raise TrainingError(
            f"{file} has something other than points; without that file, its games are played again"
        ) from None


def _points_of_pair(text: str) -> float:
    points = float(text)
    if not 0 <= points <= 2:
        raise ValueError(f"0 to 2 points are expected, not {text!r}")
    return points


THIRDS = ("first", "second", "last")
"""The thirds of the board, by how much of it is full."""


def report(facts: Mapping[str, object], generations: Sequence[Generation]) -> Study:
    """Return the report of all generations."""
    parts = (loss_table(generations), match_table(generations), rating_chart(generations))
    text = (
        "A generation learns from the games of all generations so far and plays a match against "
        "the one before; generation 0 knows nothing."
    )
    return Study(f"Training: {facts['game']}", facts, [Section("Generations", text, parts)])


def loss_table(generations: Sequence[Generation]) -> StudyTable:
    """Return the losses on held-out positions, also by thirds of the board if they are known."""
    with_thirds = any(generation.losses.thirds for generation in generations)
    thirds = [f"of the {which} third" for which in THIRDS if with_thirds]
    losses = (Column(title, digits=NATS) for title in ("loss without weights", "loss", *thirds))
    columns = columns_of("generation", "games", "positions", *losses)
    rows = [
        (g.number, g.games, g.positions, g.losses.before, g.losses.after, *g.losses.thirds)
        for g in generations
    ]
    note = "In nats, on a tenth of the examples, which was kept back; 0 would be perfect."
    return StudyTable("losses", "How well the examples are foretold", columns, rows, note)


def match_table(generations: Sequence[Generation]) -> StudyTable:
    """Return how each generation scored against the previous one, and the difference in Elo."""
    columns = columns_of("generation", "games", in_percent("score"), Column("Elo", digits=0))
    rows = [(g.number, g.match_games, share(g.points, g.match_games), elo(g)) for g in generations]
    note = "In pairs of games from one opening, the colours exchanged, at equal simulations."
    return StudyTable("matches", "Against the generation before", columns, rows, note)


def rating_chart(generations: Sequence[Generation]) -> Chart:
    """Return a chart of the summed Elo differences up to each generation."""
    value = square = 0.0
    points = []
    for generation in generations:
        difference = elo(generation)
        if difference is None or difference.low is None or difference.high is None:
            continue
        value += difference.value
        # The errors of separate matches add up as independent errors do.
        square += ((difference.high - difference.low) / 2) ** 2
        error = math.sqrt(square)
        whole = replace(difference, value=value, low=value - error, high=value + error)
        points.append((float(generation.number), whole))
    lines = [Line("Elo", points)]
    return Chart("ratings", "Elo above generation 0", "generation", "Elo", lines)


def elo(generation: Generation) -> Estimate | None:
    """Return the difference in Elo from the previous generation; None without a match."""
    score = share(generation.points, generation.match_games)
    return None if score is None else transformed(score, _bounded_elo)


def _bounded_elo(score: float) -> float:
    """Return the difference in Elo that a score stands for, at most 1,200."""
    return elo_of(min(max(score, 0.001), 0.999))
