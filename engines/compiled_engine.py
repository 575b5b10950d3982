"""An engine that compiles what it needs for a game, once on a machine."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from oddly.engines.compiling import Compilation, can_be_compiled_elsewhere
from oddly.engines.engine import Engine
from oddly.engines.kernels.available import has_kernel, tell_of_plain_rules
from oddly.engines.kernels.loading import Loading

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.games import Game


class CompiledEngine(Engine):
    """An engine with kernels; subclasses say in `rehearsals` what is to be compiled."""

    def __init__(self) -> None:
        super().__init__()
        self._loading = Loading()
        self._game: Game | None = None
        self._program = ""

    @abstractmethod
    def rehearsals(self, game: Game) -> dict[str, Callable[[], None]]:
        """Return by name what calls everything once that a game needs, with little work.

        The parts share little, so that two processes compile them faster than one.
        """

    def program(self, game: Game) -> str:
        """Return the name of what is compiled for `game`, with the options as they are."""
        return self.name

    def prepare(self, game: Game) -> None:
        """Compile what playing `game` needs, unless that was done on this machine before."""
        self._game = game
        self._program = self.program(game)
        if self.uses_kernel(game):
            self._loading.begin(self._program, game, lambda: self.load(game))
        else:
            self._loading.drop()
            self.load(game)

    def uses_kernel(self, game: Game) -> bool:
        """Return whether machine code plays `game`, and not its plain rules."""
        return has_kernel(game)

    def prepare_again(self) -> None:
        """Compile what an option that has just been set makes necessary."""
        if self._game is not None and self.program(self._game) != self._program:
            self.prepare(self._game)

    def compile(self, game: Game) -> None:
        """Compile what playing `game` needs, and make nothing else."""
        self.prepare(game)
        self._loading.wait()

    def is_compiled(self, game: Game) -> bool:
        """Return whether what playing `game` needs was compiled on this machine."""
        from oddly.engines.kernels.interface import new_state
        from oddly.engines.kernels.warm import is_warm

        return is_warm(self.program(game), new_state(game))

    def goes_on_beside(self, game: Game) -> bool:
        """Return whether compiling or loading still goes on, without waiting for it."""
        if not self.uses_kernel(game) or not can_be_compiled_elsewhere(self, game):
            return False
        return self._loading.goes_on_beside(lambda: Compilation(self, game))

    def load(self, game: Game) -> None:
        """Compile what playing `game` needs; the plain rules need nothing."""
        if not has_kernel(game):
            tell_of_plain_rules(game)
        if not self.uses_kernel(game):
            return
        from oddly.engines.kernels.interface import new_state
        from oddly.engines.kernels.warm import is_warm, warm

        program, state, parts = self._program, new_state(game), self.rehearsals(game)
        first, *others = parts
        beside: list[Compilation] = []
        if not is_warm(program, state) and can_be_compiled_elsewhere(self, game):
            beside = [Compilation(self, game, part) for part in others]

        def run() -> None:
            parts[first]()
            for compilation in beside:
                compilation.wait()
            for part in others:
                parts[part]()

        warm(program, state, run)
