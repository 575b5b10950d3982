"""Our games as PettingZoo environments; imported where PettingZoo is installed.

An observation is a dictionary with the planes of `one_game.py` as `observation`, the same for
both agents, and an `action_mask`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers

from oddly.learning.one_game import (
    RENDER_MODES,
    OneGame,
    check_render_mode,
    observation,
    observation_shape,
    rendered,
    whole_number,
)

if TYPE_CHECKING:
    from oddly.games import Game

AGENTS = ["player_0", "player_1"]
"""The first begins as Black."""


def aec_env(game: Game, render_mode: str | None) -> Any:
    """Return the environment, wrapped as PettingZoo wraps its own."""
    wrapped = wrappers.TerminateIllegalWrapper(AecGame(game, render_mode), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class _Environment:
    """The base of both kinds of environments."""

    def __init__(self, game: Game, render_mode: str | None) -> None:
        super().__init__()
        check_render_mode(render_mode)
        self.metadata = {
            "name": f"oddly_{game.name}_v0",
            "render_modes": RENDER_MODES,
            "is_parallelizable": False,
            "render_fps": 2,
        }
        self.render_mode = render_mode
        self.game = game
        self.one_game = OneGame(game)
        self.possible_agents = AGENTS[:]
        self.agents = AGENTS[:]
        shape, actions = observation_shape(game), game.action_count
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in AGENTS}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, shape, np.uint8),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in AGENTS
        }

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def render(self) -> Any:
        """Return or print the board, as the mode says."""
        return rendered(self.one_game, self.render_mode)

    def close(self) -> None:
        """Do nothing: nothing is open."""

    @property
    def _mover(self) -> str:
        return AGENTS[self.one_game.player]

    def _mask(self) -> np.ndarray:
        return np.asarray(self.one_game.position.action_mask())

    def _rewards(self) -> dict[str, float]:
        return dict(zip(AGENTS, self.one_game.rewards(), strict=True))


class AecGame(_Environment, AECEnv):  # type: ignore[misc]
    """A game in which agents act in turn."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game; nothing in it is random."""
        self.one_game = OneGame(self.game)
        self.agents = AGENTS[:]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = self._mover

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return what an agent sees; only the agent to move may act."""
        is_mover = agent == self.agent_selection and not self.one_game.is_over
        mask = self._mask() if is_mover else np.zeros(self.game.action_count, np.int8)
        return {"observation": observation(self.one_game.position), "action_mask": mask}

    def step(self, action: Any) -> None:
        """Play the action of the agent to move. Raises IllegalTurn."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self.one_game.step(action)
        self.rewards = self._rewards()
        if self.one_game.is_over:
            self.terminations = dict.fromkeys(AGENTS, True)
        self.agent_selection = self._mover
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()


class ParallelGame(_Environment, ParallelEnv):  # type: ignore[misc]
    """A game in which all agents act at once, and one of the actions counts."""

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a new game; return observations and infos."""
        self.one_game = OneGame(self.game)
        self.agents = AGENTS[:]
        return self._seen(), {agent: {} for agent in AGENTS}

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Play the action of the agent to move; return what each agent gets, and infos.

        Raises TypeError if it is no whole number.
        """
        mover = self._mover
        action = whole_number(actions[mover])
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        if action in self.one_game.position.legal_actions():
            self.one_game.step(action)
            rewards, is_over = self._rewards(), self.one_game.is_over
        else:
            rewards = {agent: -1.0 if agent == mover else 1.0 for agent in AGENTS}
            infos[mover]["illegal"] = self.one_game.text_of(action)
            is_over = True
        if is_over:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        ended, cut = dict.fromkeys(AGENTS, is_over), dict.fromkeys(AGENTS, False)
        return self._seen(), rewards, ended, cut, infos

    def _seen(self) -> dict[str, Any]:
        planes = observation(self.one_game.position)
        idle = np.zeros(self.game.action_count, np.int8)
        idle[0] = 1
        masks = dict.fromkeys(AGENTS, idle) | {self._mover: self._mask()}
        return {agent: {"observation": planes, "action_mask": masks[agent]} for agent in AGENTS}
