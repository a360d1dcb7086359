"""The checks for users' games and environments find what they are there for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from isle_envs import testing
from isle_envs.core.game import GAMES, Game
from isle_envs.core.kernel import kernel
from isle_envs.core.observation import ObservationBlock, ObservationSpace
from isle_envs.envs.aec import GameAEC
from isle_envs.envs.solo import SeatEnv
from tests import sticks
from tests.sticks import Sticks


@pytest.mark.parametrize("players", [1, 2, 3])
def test_a_sound_game_from_outside(players: int) -> None:
    """What a user would run: a fourth game, written against ``core`` alone."""
    game = Sticks(num_players=players)
    testing.check_game(game)
    testing.check_aec(lambda: GameAEC(game))
    testing.check_gymnasium(lambda: SeatEnv(game))


def test_positions_come_from_all_over_a_game() -> None:
    states = testing.sample_positions(Sticks(), 200, seed=1)
    assert (states["current_player"] >= 0).all()
    assert set(states["pile"].tolist()) == set(range(1, 12))
    assert testing.sample_positions(Sticks(), 200, seed=1).tobytes() == states.tobytes()


# ----------------------------------------------------------------------------------------------------------------- Games


@kernel
def legal_beyond_the_pile(tables: Any, state: Any, mask: Any) -> None:
    mask[:] = True


@kernel
def legal_without_end(tables: Any, state: Any, mask: Any) -> None:
    for action in range(min(int(state.pile) - 1, int(tables.most))):
        mask[action] = True


@kernel
def redeal_of_everything(tables: Any, state: Any, seat: int) -> None:
    for other in range(tables.num_players):
        state.secret[other] = (state.secret[other] + 1) % sticks.NUMBERS


@kernel
def derive_last(tables: Any, state: Any) -> None:
    """Nothing keeps it up: only ``derive`` knows of it."""
    state.last = state.pile % 2


class Neglected(Sticks):
    rules = Sticks.rules._replace(derive=derive_last)


class BeyondThePile(Sticks):
    rules = Sticks.rules._replace(legal=legal_beyond_the_pile)


class WithoutEnd(Sticks):
    rules = Sticks.rules._replace(legal=legal_without_end)


class RedealOfEverything(Sticks):
    rules = Sticks.rules._replace(redeal=redeal_of_everything)


class Talkative(Sticks):
    def describe(self, state: np.record, seat: int | None = None) -> dict[str, Any]:
        told = super().describe(state, seat)
        return told if seat is None else told | {"sum": int(state["secret"].sum())}


class Picturesque(Sticks):
    def text(self, state: np.record, seat: int | None = None) -> str:
        return str(super().describe(state))


class Forgetful(Sticks):
    def undescribe(self, description: Any) -> Any:
        states = super().undescribe(description)
        states.secret[:] = 0
        return states


class Streamless(Sticks):
    """Would go on otherwise only where chance is still to come; its description says so at once."""

    def undescribe(self, description: Any) -> Any:
        return super().undescribe({name: value for name, value in description.items() if name != "stream"})


class OutOfBounds(Sticks):
    def _build(self, components: Any) -> None:
        super()._build(components)
        blocks = list(self.observation.blocks.values())
        pile = ObservationBlock("pile", (1,), 0, 8, "the sticks left")
        self.observation = ObservationSpace([pile, *blocks[1:]])


class Mislabelled(Sticks):
    def _build(self, components: Any) -> None:
        super()._build(components)
        self.actions.decode = lambda action: ("take", 1)  # type: ignore[method-assign]


@pytest.mark.parametrize(
    ("kind", "check", "words"),
    [
        (BeyondThePile, testing.check_masks, "pile is -[12]; it must be in 0 to 12"),
        (WithoutEnd, testing.check_masks, "the mask does not fit the end of the game"),
        (Neglected, testing.check_refreshing, "refreshed: a state is another one"),
        (RedealOfEverything, testing.check_hidden_information, "redealt: observations differ"),
        (Talkative, testing.check_hidden_information, "describe tells hidden things"),
        (Picturesque, testing.check_hidden_information, "text tells hidden things"),
        (Forgetful, testing.check_descriptions, "described again it differs"),
        (Streamless, testing.check_descriptions, "described again it differs"),
        (OutOfBounds, testing.check_observations, "block pile is 1 … 1[01], outside its bounds 0 … 8"),
        (Mislabelled, testing.check_actions, "encodes to another number"),
    ],
)
def test_unsound_games(kind: type[Game], check: Callable[[Game], None], words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        check(kind())


def test_a_class_is_known_by_its_name_and_a_subclass_only_by_one_of_its_own() -> None:
    class Named(Sticks):
        name = "named"

    assert GAMES.pop("named") is Named
    assert "sticks" not in GAMES


# ---------------------------------------------------------------------------------------------------------- Environments


class SharedArrays(GameAEC):
    def observe(self, agent: str) -> Any:
        view = super().observe(agent)
        self._shared = getattr(self, "_shared", view["observation"])
        self._shared[:] = view["observation"]
        return view | {"observation": self._shared}


class WrongDtype(GameAEC):
    def observe(self, agent: str) -> Any:
        view = super().observe(agent)
        return view | {"action_mask": view["action_mask"].astype(bool)}


class MaskForAll(GameAEC):
    def observe(self, agent: str) -> Any:
        view = super().observe(agent)
        return view | {"action_mask": self.batch.action_mask[0].astype(np.int8)}


class WordsInInfos(GameAEC):
    def _play(self, action: int) -> None:
        super()._play(action)
        for info in self.infos.values():
            info["asks"] = "what now?"


class LateKeys(GameAEC):
    def _play(self, action: int) -> None:
        super()._play(action)
        if self.actions:
            for info in self.infos.values():
                info["late"] = 1


class Truncating(GameAEC):
    def _end(self) -> None:
        super()._end()
        self.truncations = dict.fromkeys(self.agents, True)


class OneByOne(GameAEC):
    def _end(self) -> None:
        super()._end()
        self.terminations[self.agents[-1]] = False


class Unpaid(GameAEC):
    def last(self, observe: bool = True) -> Any:
        observation, _, *rest = super().last(observe)
        return observation, 0.0, *rest


class ResetClones(GameAEC):
    def __deepcopy__(self, memo: Any) -> Any:
        twin = ResetClones(self.game)
        twin.reset(seed=0)
        return twin


class Unseeded(GameAEC):
    def reset(self, seed: Any = None, options: Any = None) -> None:
        super().reset(None, options)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (SharedArrays, "observations share memory"),
        (WrongDtype, "action_mask is bool, its space int8"),
        (MaskForAll, "mask does not fit whose turn it is"),
        (WordsInInfos, "infos has other things than numbers"),
        (LateKeys, "the keys of infos have changed"),
        (Truncating, "is truncated"),
        (OneByOne, "not all agents terminate together|mask does not fit"),
        (Unpaid, "last gives player_. 0.0, its rewards are"),
        (ResetClones, "a clone differs"),
        (Unseeded, "two environments of one seed differ"),
    ],
)
def test_unsound_aec_environments(kind: type[GameAEC], words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        testing.check_aec(functools.partial(kind, Sticks()), games=30)


class SharedMask(SeatEnv):
    def _info(self) -> dict[str, Any]:
        return super()._info() | {"action_mask": self.driver.action_mask[0].view(np.int8)}


class FloatMask(SeatEnv):
    def _info(self) -> dict[str, Any]:
        info = super()._info()
        return info | {"action_mask": info["action_mask"].astype(np.float32)}


class MaskAfterTheEnd(SeatEnv):
    def _info(self) -> dict[str, Any]:
        return super()._info() | {"action_mask": np.ones(self.game.num_actions, np.int8)}

    def action_masks(self) -> Any:
        return np.ones(self.game.num_actions, np.bool_)


class UnseededSeat(SeatEnv):
    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return super().reset(options=options)


class SharedDriver(SeatEnv):
    def __deepcopy__(self, memo: Any) -> Any:
        twin = object.__new__(SharedDriver)
        twin.__dict__.update(vars(self))
        return twin


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (SharedMask, "arrays share memory"),
        (FloatMask, "masks are float32 and bool"),
        (MaskAfterTheEnd, "the mask does not fit the end of the episode"),
        (UnseededSeat, "two environments of one seed differ"),
        (SharedDriver, "a clone's step has changed the original|a clone goes on otherwise"),
    ],
)
def test_unsound_gymnasium_environments(kind: type[SeatEnv], words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        testing.check_gymnasium(functools.partial(kind, Sticks()), episodes=50)
