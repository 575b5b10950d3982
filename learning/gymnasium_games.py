"""A game as a Gymnasium environment for one player; imported where Gymnasium is installed."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec

from oddly.engines import Engine, create_engine
from oddly.engines.engine import option_text
from oddly.games import Game, did_you_mean
from oddly.learning.one_game import (
    RENDER_MODES,
    OneGame,
    check_render_mode,
    observation,
    observation_shape,
    rendered,
    whole_number,
)
from oddly.protocol import Resign

SIDES = ("first", "second", "random")


class SinglePlayerGame(gymnasium.Env):  # type: ignore[misc]
    """A game against an engine, which plays at once when it is to move.

    Raises ValueError for an unknown side or render mode or for the option `seed`,
    UnknownEngineError and OptionError.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2}  # noqa: RUF012 - so says Gymnasium

    def __init__(
        self,
        game: Game,
        opponent: str | Engine,
        side: str,
        render_mode: str | None,
        options: dict[str, object],
    ) -> None:
        if side not in SIDES:
            raise ValueError(
                f"unknown side {side!r}: expected one of {', '.join(SIDES)}"
                + did_you_mean(str(side), SIDES)
            )
        check_render_mode(render_mode)
        if "seed" in options:
            raise ValueError(
                "the opponent's seed is drawn at each reset: give the seed to reset(seed=...)"
            )
        self.game, self.side, self.render_mode = game, side, render_mode
        self.engine = create_engine(opponent) if isinstance(opponent, str) else opponent
        for name, value in options.items():
            self.engine.set_option(name, option_text(value))
        self.engine.prepare(game)
        self.engine.wait_until_ready()
        if isinstance(opponent, str):
            self.spec = EnvSpec(
                f"oddly/{game.title}-v0",
                entry_point="oddly.learning:single_player_env",
                kwargs={
                    "game": game,
                    "opponent": opponent,
                    "side": side,
                    "render_mode": render_mode,
                    **options,
                },
            )
        self.observation_space = spaces.Box(0, 1, observation_shape(game), np.uint8)
        self.action_space = spaces.Discrete(game.action_count)
        self.one_game, self.player, self.has_opponent_resigned = OneGame(game), 0, False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a new game, in which the opponent may have made the first turn already."""
        super().reset(seed=seed)
        self.one_game, self.has_opponent_resigned = OneGame(self.game), False
        # Drawn for every side, so that the engine's seed does not depend on the side.
        drawn = int(self.np_random.integers(2))
        self.player = drawn if self.side == "random" else SIDES.index(self.side)
        if "seed" in self.engine.values:
            self.engine.set_option("seed", str(int(self.np_random.integers(2**31))))
        self.engine.new_game()
        self._answer()
        return self._seen()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play an action and, once the turn is over, the opponent's turn.

        Raises TypeError if the action is no whole number.
        """
        number = whole_number(action)
        if number not in self.one_game.position.legal_actions():
            planes, info = self._seen()
            return planes, -1.0, True, False, info | {"illegal": self.one_game.text_of(number)}
        self.one_game.step(number)
        self._answer()
        if self.render_mode == "human":
            self.render()
        planes, info = self._seen()
        reward = 1.0 if self.has_opponent_resigned else self.one_game.rewards()[self.player]
        return planes, reward, self.one_game.is_over or self.has_opponent_resigned, False, info

    def render(self) -> Any:
        """Return or print the board, as the mode says."""
        return rendered(self.one_game, self.render_mode)

    def _answer(self) -> None:
        """Have the opponent play while it is to move; an engine that resigns has lost."""
        game = self.one_game
        while not game.is_over and game.player != self.player:
            turn = self.engine.choose(game.start_of_turn)
            if isinstance(turn, Resign):
                self.has_opponent_resigned = True
                return
            for number in game.start_of_turn.actions_of(turn):
                game.step(number)

    def _seen(self) -> tuple[np.ndarray, dict[str, Any]]:
        position = self.one_game.position
        mask = np.asarray(position.action_mask())
        return observation(position), {"action_mask": mask, "player": self.player}
