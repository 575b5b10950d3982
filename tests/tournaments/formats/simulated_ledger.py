"""Runs of an event whose ledger is in memory: games begin and end, engines retire and come back."""

from dataclasses import replace

from oddly.tournaments import PlayedGame
from oddly.tournaments.formats.derived_plans import ResumedPlan
from oddly.tournaments.formats.format import Event, Format
from oddly.tournaments.formats.plan import UNKNOWN_RETIREMENTS, Retirements, retirements_of
from oddly.tournaments.ledger.recorded_event import replayed_plan


class SimulatedLedger:
    """The games and rulings of an event, and the plan of the run that writes them."""

    def __init__(self, format_: Format, of: Event, *, has_order: bool = True) -> None:
        self.format, self.of, self.has_order = format_, of, has_order
        self.history: list[tuple[str, str]] = []
        self.begun: dict[str, tuple] = {}
        """Each game that began, with its outcome, if it has ended."""
        self.running: list = []
        self.retired: set[str] = set()
        self.plan = self.resumed()

    def retirements(self) -> Retirements:
        """When engines retired, unless the order of games and rulings is lost, as by `merge`."""
        return retirements_of(self.history) if self.has_order else UNKNOWN_RETIREMENTS

    def resumed(self) -> ResumedPlan:
        """The plan of a run that begins now."""
        of = replace(
            self.of,
            begun=[scheduled for scheduled, _ in self.begun.values()],
            retired=self.retired,
            retirements=self.retirements(),
        )
        known = {name: PlayedGame(*game) for name, game in self.begun.items() if game[1]}
        return ResumedPlan(self.format.plan(of), known, (), self.retired, of.engines)

    def read(self):
        """The plan as a reader has it."""
        games = self.begun.values()
        of = replace(
            self.of,
            openings={},
            begun=[scheduled for scheduled, outcome in games if outcome is None],
            retired=self.retired,
            retirements=self.retirements(),
        )
        played = [PlayedGame(*game) for game in games if game[1]]
        return replayed_plan(self.format.name, self.format.facts(), of, played)

    def views(self):
        """The plans of the run, of another one that begins no round, and of a reader."""
        resumed = self.resumed()
        while resumed.look_ahead() is not None:
            pass
        return self.plan, resumed, self.read()

    def play(self, number: int, result) -> None:
        """Play so many games, one after another."""
        for _ in range(number):
            scheduled = self.begin()
            self.end(scheduled, result(scheduled))

    def begin(self):
        """Begin the next game, if there is one, and return it."""
        if (scheduled := self.plan.next()) is None:
            return None
        assert self.begun.get(scheduled.id, (None, None))[1] is None
        assert scheduled not in self.running
        self.begun.setdefault(scheduled.id, (scheduled, None))
        self.history.append(("began", scheduled.id))
        self.running.append(scheduled)
        return scheduled

    def end(self, scheduled, outcome) -> None:
        """End a game."""
        self.running.remove(scheduled)
        self.begun[scheduled.id] = scheduled, outcome
        self.plan.learn(PlayedGame(scheduled, outcome))

    def rule(self, kind: str, name: str) -> None:
        """Retire or restore an engine."""
        self.history.append((kind, name))
        (self.retired.add if kind == "retire" else self.retired.discard)(name)
        self.plan.follow(self.resumed())

    def kill(self) -> None:
        """End the run and begin another."""
        self.running.clear()
        self.plan = self.resumed()
