"""Any game as a PettingZoo environment, agents ``player_0``, ``player_1``, … deciding one at a time."""

from __future__ import annotations

import logging
import operator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo.utils.env import AECEnv, AECIterable, AECIterator
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import BaseWrapper

from isle_envs.core import rng
from isle_envs.core.errors import IllegalActionError, unknown
from isle_envs.core.game import Game
from isle_envs.envs.face import RENDER_MODES, Viewer, find_game, one_of, show
from isle_envs.envs.loops import build_turn

Observation = dict[str, npt.NDArray[Any]]

_LOG = logging.getLogger(__name__)
_RAW_KEYWORDS = ("observation", "render_mode")
_KEYWORDS = ("illegal", *_RAW_KEYWORDS)


def env(
    game: Game | str,
    *,
    illegal: str = "terminate",
    observation: str = "scaled",
    render_mode: str | None = None,
    **options: Any,
) -> Guard:
    """A game as a PettingZoo environment that watches over the order of calls and over actions.

    Args:
        game: a game, or the name of one.
        illegal: ``"terminate"``: an action that the mask forbids ends the game; the offender's return becomes the
            game's forfeit, below every natural result, the others get 0. ``"raise"``: it raises
            ``IllegalActionError`` and changes nothing.
        observation: ``"scaled"``, float32 in −1 … 1, or ``"raw"``, int8.
        render_mode: ``"human"``, ``"ansi"`` or None.
        options: with a name, keywords for :func:`isle_envs.make_game`.

    Raises:
        ValueError: an unknown name, keyword or value; the message tells the nearest valid one.
    """
    made = find_game(game, options, _KEYWORDS)
    return Guard(GameAEC(made, observation=observation, render_mode=render_mode), illegal)


def raw_env(
    game: Game | str, *, observation: str = "scaled", render_mode: str | None = None, **options: Any
) -> GameAEC:
    """See :func:`env`; without the watch: an illegal action always raises ``IllegalActionError``, changing nothing."""
    return GameAEC(find_game(game, options, _RAW_KEYWORDS), observation=observation, render_mode=render_mode)


class GameAEC(AECEnv[str, Observation, int | None]):
    """One game, decision by decision.

    An observation is ``{"observation": float32 (size,) or int8, "action_mask": int8 (num_actions,)}``, new at every
    call; the mask of a player who is not to decide, and of everybody once the game is over, is all zeros. A player may
    decide several times in a row. All agents terminate together, at the end of the game; nothing is ever truncated.
    Episode k of an environment seeded s is the game of stream key ``episode_key(s, k)``: ``reset(seed=s)`` begins
    episode 0, ``reset()`` goes on to the next. ``copy.deepcopy`` and pickle give a true clone of a running game.

    Attributes:
        game: the game.
        batch: the engine, a batch of this one game.
        key: the running game's stream key, and
        actions: the actions played so far: all that :class:`isle_envs.core.replay.Replay` needs.
        infos: for each agent ``score`` (as the game stands), ``rank`` (0 before the end), ``illegal_action`` (−1, or
            the forbidden action by which the agent ended the game).
        illegal_move: what was forbidden about that action, in words; None if there was none.
    """

    def __init__(self, game: Game, *, observation: str = "scaled", render_mode: str | None = None) -> None:
        super().__init__()
        self.game = game
        self.metadata = {"name": f"{game.name}_v0", "render_modes": list(RENDER_MODES), "is_parallelizable": False}
        self.render_mode = render_mode if render_mode is None else one_of("render_mode", render_mode, RENDER_MODES)
        self._viewer = Viewer(game, observation)
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {
            agent: Dict({"observation": self._viewer.space(), "action_mask": Box(0, 1, (game.num_actions,), np.int8)})
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: Discrete(game.num_actions) for agent in self.possible_agents}
        self.batch = game.batch(1)
        self._mask = self.batch.action_mask[0]
        self._turn = build_turn(game.rules)
        self._scores = np.zeros((1, game.num_players), np.int32)
        self._ranks = np.zeros((1, game.num_players), np.int8)
        self._seed: int | None = None
        self._episode = -1

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:  # asked only for what is not there
            if name in _AFTER_RESET or name in ("_acting", "key", "actions", "illegal_move"):
                raise AttributeError("call reset() first: no game has begun")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def observation_space(self, agent: str) -> Dict:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """The space of an agent's actions; see ``game.actions``."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deals a new game: episode 0 of ``seed``, or without one the next episode. There are no ``options``."""
        if seed is not None:
            self._seed, self._episode = operator.index(seed), -1
        elif self._seed is None:
            self._seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        self._episode += 1
        self.key = rng.episode_key(self._seed, self._episode)
        self.batch.reset(seeds=np.array([self.key], np.uint64))
        self.actions: list[int] = []
        self.illegal_move: str | None = None
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._returns = [0.0] * len(self.agents)
        self._play(-1)
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Plays the action of ``agent_selection``; None for an agent that is done.

        Raises:
            IllegalActionError: the mask forbids the action; nothing has changed.
            TypeError: not an integer.
            ValueError: an action for an agent that is done.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        index = operator.index(action)  # type: ignore[arg-type]  # None is no integer
        if not 0 <= index < len(self._mask) or not self._mask[index]:
            raise self.batch.illegal(0, index)
        self._cumulative_rewards[agent] = 0.0
        self.actions.append(index)
        self._play(index)
        if self.render_mode == "human":
            self.render()

    def forfeit(self, error: IllegalActionError) -> None:
        """Ends the game: the current player's return becomes the game's forfeit, the others get 0."""
        agent = self.agent_selection
        seat = self._seats[agent]
        rewards = [0.0] * len(self.agents)
        rewards[seat] = float(self.batch.measure()[2][0, seat]) - self._returns[seat]
        self._cumulative_rewards[agent] = 0.0
        self._reward(rewards)
        self.infos[agent]["illegal_action"] = error.action
        self.illegal_move = f"{agent}: illegal action {error.action} ({error.label}): {error.reason}"
        _LOG.warning("%s; the game ends", self.illegal_move)
        self._end()

    def _reward(self, rewards: list[float]) -> None:
        for seat, agent in enumerate(self.possible_agents):
            reward = rewards[seat]
            self.rewards[agent] = reward
            self._cumulative_rewards[agent] += reward
            self._returns[seat] += reward

    def _play(self, action: int) -> None:
        """Plays a legal action, or none if it is −1, and tells everything about it."""
        batch = self.batch
        batch.run(self._turn, batch.masks, self.game.num_actions, batch.rewards, self._scores, self._ranks, action)
        self._reward(batch.rewards[0].tolist())
        scores, ranks = self._scores[0].tolist(), self._ranks[0].tolist()
        self.infos = {
            agent: {"score": scores[seat], "rank": ranks[seat], "illegal_action": -1}
            for agent, seat in self._seats.items()
        }
        self._acting = int(batch.current_player[0])
        if self._acting < 0:
            self._end()
        else:
            self.agent_selection = self.possible_agents[self._acting]

    def _end(self) -> None:
        self._acting = -1
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> Observation:
        """What an agent sees, at any time: new arrays."""
        if agent not in self._seats:
            raise KeyError(unknown("agent", agent, self.possible_agents))
        seat = self._seats[agent]
        mask = self._mask.astype(np.int8) if seat == self._acting else np.zeros(len(self._mask), np.int8)
        return {"observation": self._viewer.look(self.batch, seat), "action_mask": mask}

    def render(self) -> str | None:
        """The position as the player to decide may see it, after the end with everything: returned or printed."""
        seat = int(self.batch.current_player[0])
        return show(self.game.text(self.batch.states[0], seat if seat >= 0 else None), self.render_mode)

    def close(self) -> None:
        """There is nothing to release."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_mask", "_turn")}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._mask = self.batch.action_mask[0]
        self._turn = build_turn(self.game.rules)


class Guard(BaseWrapper[str, Observation, int | None]):
    """Watches over a :class:`GameAEC`.

    It guarantees what PettingZoo's OrderEnforcingWrapper and AssertOutOfBoundsWrapper do, at a fraction of their cost,
    and settles illegal actions, where PettingZoo's TerminateIllegalWrapper would truncate too. So there is an
    ``AttributeError`` for reading agents, rewards and the like before ``reset``; an ``AssertionError`` for other calls
    before it, for ``agent_iter`` without steps, and for an action outside the action space; a logged warning for a step
    when nobody is left.
    """

    env: GameAEC

    def __init__(self, env: GameAEC, illegal: str = "terminate") -> None:
        super().__init__(env)
        self._raises = one_of("illegal", illegal, ("terminate", "raise")) == "raise"
        self._has_reset = False
        self._moved = False

    def __getattr__(self, name: str) -> Any:
        if name in _AFTER_RESET and not self._has_reset:
            raise AttributeError(f"{name} cannot be accessed before reset")
        return super().__getattr__(name)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """See :meth:`GameAEC.reset`."""
        self.env.reset(seed, options)
        self._has_reset = self._moved = True

    def step(self, action: int | None) -> None:
        """See :meth:`GameAEC.step` and :func:`env`."""
        game = self.env
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        self._moved = True
        if not game.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = game.agent_selection
        if not (game.terminations[agent] or game.truncations[agent] or game.action_spaces[agent].contains(action)):
            raise AssertionError(f"action {action!r} is not in action space")
        try:
            game.step(action)
        except IllegalActionError as error:
            if self._raises:
                raise
            game.forfeit(error)

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, rewards since its last action, termination, truncation and info of the agent to decide."""
        if not self._has_reset:
            raise AttributeError("agent_selection cannot be accessed before reset")
        last: tuple[Observation | None, float, bool, bool, dict[str, Any]] = self.env.last(observe)
        return last

    def observe(self, agent: str) -> Observation:
        """See :meth:`GameAEC.observe`."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        return self.env.observe(agent)

    def render(self) -> str | None:
        """See :meth:`GameAEC.render`."""
        if not self._has_reset:
            EnvLogger.error_render_before_reset()
        return self.env.render()

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Observation, int | None]:
        """Yields the agent to decide, until nobody is left; each time there must have been a step."""
        if not self._has_reset:
            EnvLogger.error_agent_iter_before_reset()
        return _Turns(self, max_iter)

    def __str__(self) -> str:
        return str(self.env)


_AFTER_RESET = {
    "agents",
    "num_agents",
    "agent_selection",
    "rewards",
    "_cumulative_rewards",
    "terminations",
    "truncations",
    "infos",
}


class _Turns(AECIterable[str, Observation, int | None]):
    def __iter__(self) -> AECIterator[str, Observation, int | None]:
        return _TurnIterator(self.env, self.max_iter)


class _TurnIterator(AECIterator[str, Observation, int | None]):
    env: Guard

    def __next__(self) -> str:
        guard, game = self.env, self.env.env
        if not game.agents or self.iters_til_term <= 0:
            raise StopIteration
        self.iters_til_term -= 1
        if not guard._moved:
            raise AssertionError("need to call step() or reset() in a loop over `agent_iter`")
        guard._moved = False
        return game.agent_selection


def several(num_players: int, module: str, alone: str) -> int:
    """``num_players`` for a module of the game for several; raises ``ValueError`` for 1, naming Gymnasium's id ``alone``."""
    if num_players == 1:
        raise ValueError(
            f"{module}: num_players must be one of 2, 3, 4, not 1; the game for one player is Gymnasium's {alone}"
        )
    return num_players
