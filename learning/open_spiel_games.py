"""Our games as OpenSpiel's Python games; imported where OpenSpiel is installed.

The import registers them, so that a pickled game can be read in another process.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from oddly.games import GAMES, Game, read_game, setting_text, settings_of
from oddly.learning.one_game import PLANES, OneGame, observation, observation_shape

AYU_ACTIONS = 10
"""Actions per point of the board after which a game of Ayu is drawn; ours take less than one."""


def game_type(game: type[Game]) -> Any:
    """Return OpenSpiel's type for a kind of game; size and settings are parameters."""
    parameters: dict[str, Any] = {"size": game().size}
    parameters |= {name: info.default for name, info in settings_of(game).items()}
    return pyspiel.GameType(
        short_name=f"oddly_{game.name}",
        long_name=f"{game.name.capitalize()} (oddly)",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameters,
    )


def longest(game: Game) -> int:
    """Return the maximum number of actions in a game.

    In Yodd and Xodd each drop fills a cell and comes with at most one `end` and one pass, and two
    passes end the game.
    """
    cells = len(game.board)
    return {"odd": cells, "ayu": AYU_ACTIONS * cells}.get(game.name, 3 * cells + 2)


class OddlyGame(pyspiel.Game):  # type: ignore[misc]
    """One of our games with its settings."""

    name: ClassVar[str]
    kind: ClassVar[Any]

    def __init_subclass__(cls, *, name: str) -> None:
        """Register a game with OpenSpiel.

        As a class: OpenSpiel drops it after Python has ended, when no other object could be freed.
        """
        super().__init_subclass__()
        cls.name, cls.kind = name, game_type(GAMES[name])
        pyspiel.register_game(cls.kind, cls)

    def __init__(self, parameters: dict[str, Any] | None = None) -> None:
        given = dict(parameters or {})
        size = given.pop("size", GAMES[self.name]().size)
        texts = {key: setting_text(value) for key, value in given.items()}
        self.game = read_game(self.name, size, texts)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.game.action_count,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=longest(self.game),
        )
        super().__init__(self.kind, info, parameters or {})

    def new_initial_state(self, state: Any = None) -> OddlyState:
        """Return the start of a game."""
        return OddlyState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return an observer that shows a state as planes."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return PlanesObserver(self.game, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class OddlyYodd(OddlyGame, name="yodd"):
    """Yodd with its settings."""


class OddlyXodd(OddlyGame, name="xodd"):
    """Xodd with its settings."""


class OddlyOdd(OddlyGame, name="odd"):
    """Odd with its settings."""


class OddlyAyu(OddlyGame, name="ayu"):
    """Ayu with its settings."""


class OddlyState(pyspiel.State):  # type: ignore[misc]
    """A position of a game that OpenSpiel plays."""

    def __init__(self, game: OddlyGame) -> None:
        super().__init__(game)
        self.one_game = OneGame(game.game)
        self._limit = longest(game.game)
        self._made = 0

    def current_player(self) -> Any:
        """Return the player to move, or TERMINAL."""
        return pyspiel.PlayerId.TERMINAL if self.is_terminal() else self.one_game.player

    def _legal_actions(self, player: int) -> list[int]:
        return self.one_game.position.legal_actions()

    def _apply_action(self, action: int) -> None:
        self.one_game.step(action)
        self._made += 1

    def _action_to_string(self, player: int, action: int) -> str:
        return str(self.one_game.game.action_of(action))

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.one_game.is_over or self._made >= self._limit

    def returns(self) -> list[float]:
        """Return each player's reward."""
        return list(self.one_game.rewards())

    def __str__(self) -> str:
        return str(self.one_game)


class PlanesObserver:
    """Shows a state as the planes of `one_game.py`, the same to both players.

    Raises ValueError for any parameters.
    """

    def __init__(self, game: Game, params: Any) -> None:
        if params:
            raise ValueError(f"an observation takes no parameters, not {params}")
        shape = observation_shape(game)
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        self._planes = self.tensor.reshape(shape)
        self.dict = {name: self._planes[place] for place, name in enumerate(PLANES)}

    def set_from(self, state: OddlyState, player: int) -> None:
        """Show a state."""
        self._planes[:] = observation(state.one_game.position)

    def string_from(self, state: OddlyState, player: int) -> str:
        """Return a state as text."""
        return str(state)


def register_games() -> tuple[str, ...]:
    """Return the names of the games, which the import has registered with OpenSpiel."""
    return tuple(f"oddly_{made.name}" for made in (OddlyYodd, OddlyXodd, OddlyOdd, OddlyAyu))
