"""How a run trains: the settings of MaskablePPO, chosen by measuring, and the budget."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields
from typing import Any

CHECKPOINT_SECONDS = 20.0
"""How often a run writes a checkpoint."""

MOST = {"copies": 65_536, "rollout": 65_536, "minibatch": 2**24, "epochs": 1_000, "hidden": 4_096}
"""The largest counts: far above what makes sense, and still within what numpy and torch can be asked for."""

MOST_LAYERS = 8
MOST_STEPS = 10**15
MOST_MINUTES = 10**9


@dataclass(frozen=True)
class Settings:
    """Settings of a training run; the defaults are what learned most in two minutes on two cores.

    Attributes:
        copies: games played side by side.
        rollout: decisions of each copy between two updates.
        minibatch: decisions in one gradient step.
        epochs: passes over the decisions collected.
        learning_rate: at the start; it falls linearly to a tenth of that at the end of the budget.
        discount: of a reward one decision later.
        gae_lambda: weight of longer returns in the advantages.
        clip: how far a gradient step may move the probability of an action, as a ratio.
        entropy: weight of the entropy bonus.
        shaping: reward, besides the game's own, for every point got ahead of the best other player; see ``DriverVecEnv``.
        teacher: a policy to learn from first, all seats being its; see ``Lessons``. "" is none.
        lessons: the share of the budget for that.
        hidden: sizes of the hidden layers, the same for the policy and the value.

    Raises ValueError for a value of the wrong type, a count below 1 or above ``MOST``, a negative number, or lessons above 1.
    """

    copies: int = 128
    rollout: int = 32
    minibatch: int = 1024
    epochs: int = 1
    learning_rate: float = 2e-3
    discount: float = 1.0
    gae_lambda: float = 0.9
    clip: float = 0.2
    entropy: float = 0.01
    shaping: float = 0.05
    teacher: str = ""
    lessons: float = 0.3
    hidden: tuple[int, ...] = (128, 128)

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            most = MOST.get(field.name, 0)
            if isinstance(field.default, tuple):
                if not isinstance(value, (list, tuple)) or not all(_is_count(size, most) for size in value):
                    raise ValueError(
                        f"setting {field.name!r} must be a list of whole numbers from 1 to {most}, not {value!r}"
                    )
                if len(value) > MOST_LAYERS:
                    raise ValueError(
                        f"setting {field.name!r} has {len(value)} layers; at most {MOST_LAYERS} are possible"
                    )
                object.__setattr__(self, field.name, tuple(value))  # a list when it comes from JSON
            elif isinstance(field.default, str):
                if not isinstance(value, str):
                    raise ValueError(f"setting {field.name!r} must be a name, not {value!r}")
            elif isinstance(field.default, int):
                if not _is_count(value, most):
                    raise ValueError(f"setting {field.name!r} must be a whole number from 1 to {most}, not {value!r}")
            elif not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= sys.float_info.max:
                raise ValueError(f"setting {field.name!r} must be a number from 0, not {value!r}")

        if self.lessons > 1:
            raise ValueError(f"setting 'lessons' is a share of the budget, from 0 to 1, not {self.lessons!r}")


def _is_count(value: Any, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most


@dataclass(frozen=True)
class Budget:
    """How long a run trains in all, earlier sessions included: so many steps, or minutes, whichever ends first.

    Attributes:
        steps: the learner's decisions; ``None`` is no limit.
        minutes: time spent training; ``None`` is no limit.

    Raises ValueError if there is no limit at all, or one that is not a number above 0 and below ``MOST_…``.
    """

    steps: int | None = None
    minutes: float | None = None

    def __post_init__(self) -> None:
        if self.steps is None and self.minutes is None:
            raise ValueError("a budget needs a number of steps or of minutes")
        if self.steps is not None and not _is_count(self.steps, MOST_STEPS):
            raise ValueError(f"the number of steps must be above 0 and at most {MOST_STEPS}, not {self.steps!r}")
        minutes: Any = self.minutes
        if minutes is not None and (
            isinstance(minutes, bool) or not isinstance(minutes, (int, float)) or not 0 < minutes <= MOST_MINUTES
        ):
            raise ValueError(f"the number of minutes must be above 0 and at most {MOST_MINUTES}, not {minutes!r}")

    def used(self, steps: int, seconds: float) -> float:
        """The share of the budget that is spent, 0 to 1."""
        by_steps = steps / self.steps if self.steps is not None else 0.0
        by_time = seconds / (60 * self.minutes) if self.minutes is not None else 0.0
        return min(1.0, max(by_steps, by_time))
