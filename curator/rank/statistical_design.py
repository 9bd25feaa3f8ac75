"""What a ranking is given: the KL of every arm on every prompt, and what was fixed beforehand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from curator._errors import InputError

FloatArray = npt.NDArray[np.float64]
DataActs = Literal["weights", "activation-scales", "nothing"]

MIN_PROMPTS = 2
"""Prompts a task needs before a variance over them exists."""


@dataclass(frozen=True, eq=False)
class ArmKL:
    """KL of one arm on every held-out prompt.

    Attributes:
        name: the arm's name, unique in a ranking.
        values: [R draws, P prompts], nats a token, already averaged over a prompt's scored tokens.
        has_draws: False for an arm that is one fixed thing (round to nearest uses no data). Rows are then
            repeats of one measurement: they are averaged and carry no draw variance.
        null: null arms are compared in a family of their own.
        lower: the same from the lumped lower bound, when KL comes from top-K lists.
        sets: hash of each draw's calibration set, where known. Arms of one recipe under two methods have the same.

    Raises:
        InputError: an array that is not [R >= 1, P >= 1] or not finite, or a `lower` of another shape.
    """

    name: str
    values: FloatArray
    has_draws: bool
    null: bool
    lower: FloatArray | None = None
    sets: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_values(self.name, "values", self.values)
        if self.lower is not None:
            _check_values(self.name, "lower", self.lower)
            if self.lower.shape != self.values.shape:
                raise InputError(
                    f"arm {self.name!r}: lower has shape {self.lower.shape}, values {self.values.shape}; "
                    "give one lower bound for each value"
                )

    @property
    def draws(self) -> int:
        """R, the number of rows."""
        return int(self.values.shape[0])


def _check_values(arm: str, what: str, values: FloatArray) -> None:
    if values.ndim != 2 or 0 in values.shape:
        raise InputError(f"arm {arm!r}: {what} must be [draws >= 1, prompts >= 1], got {values.shape}")
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        draw, prompt = (int(i) for i in bad[0])
        raise InputError(
            f"arm {arm!r}: {what} of draw {draw}, prompt {prompt} is {values[draw, prompt]} "
            f"({len(bad)} such); measure these prompts again"
        )


@dataclass(frozen=True, eq=False)
class Design:
    """What is fixed before a ranking: prompts, weights, error rate, margin, floor.

    Attributes:
        tasks: [P] the task of each prompt.
        weights: one weight a task for all arms; they add up to 1.
        alpha: family-wise error rate.
        margin: half-width of the equivalence region, as a share of KL.
        floor_sd: SD of the mean KL when the same estimate is repeated, nats a token. Taken as known.
        floor_sds: the same of arms, by name, of which it is known by itself; ``floor_sd`` counts for the others.
        data_acts: what the calibration data can change under the quantisation method that is ranked.
        compared: pairs of names of arms that are compared; ``None`` for all.

    Raises:
        InputError: weights that do not fit the tasks, a task with too few prompts, a number out of range.
    """

    tasks: tuple[str, ...]
    weights: dict[str, float]
    alpha: float = 0.05
    margin: float = 0.05
    floor_sd: float = 0.0
    data_acts: DataActs = field(kw_only=True)
    compared: frozenset[frozenset[str]] | None = None
    floor_sds: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise InputError(f"alpha is {self.alpha}; give an error rate between 0 and 1, such as 0.05")
        if not (math.isfinite(self.margin) and self.margin >= 0):
            raise InputError(f"margin is {self.margin}; give a share of KL of at least 0, such as 0.05")
        for sd in (self.floor_sd, *self.floor_sds.values()):
            if not (math.isfinite(sd) and sd >= 0):
                raise InputError(f"floor_sd is {sd}; give a standard deviation in nats, at least 0")
        self._check_weights()
        for task, prompts in self.strata.items():
            if len(prompts) < MIN_PROMPTS:
                raise InputError(
                    f"task {task!r} has {len(prompts)} held-out prompt(s); a variance needs at least "
                    f"{MIN_PROMPTS}: add prompts, or give the task weight 0"
                )

    def _check_weights(self) -> None:
        for task, weight in self.weights.items():
            if not (math.isfinite(weight) and weight >= 0):
                raise InputError(f"weight of task {task!r} is {weight}; give a share between 0 and 1")
        if not math.isclose(total := math.fsum(self.weights.values()), 1.0, abs_tol=1e-6):
            raise InputError(f"the weights of the tasks add up to {total:g}; they must add up to 1")
        for task in self.tasks:
            if task not in self.weights:
                raise InputError(f"task {task!r} has prompts but no weight; give it one (0 leaves it out)")

    def compares(self, a: ArmKL, b: ArmKL) -> bool:
        """Whether two arms are compared in a ranking."""
        return self.compared is None or frozenset((a.name, b.name)) in self.compared

    def floor_variance(self, arm: ArmKL) -> float:
        """Variance of an arm's mean KL when the same estimate is repeated, nats squared."""
        return self.floor_sds.get(arm.name, self.floor_sd) ** 2

    @cached_property
    def strata(self) -> dict[str, npt.NDArray[np.intp]]:
        """Positions of each weighted task's prompts, by task."""
        names = np.asarray(self.tasks)
        return {task: np.flatnonzero(names == task) for task, weight in self.weights.items() if weight > 0}

    @cached_property
    def prompt_weights(self) -> FloatArray:
        """[P] weight of each prompt in the mean: its task's weight over the task's number of prompts."""
        weights = np.zeros(len(self.tasks))
        for task, prompts in self.strata.items():
            weights[prompts] = self.weights[task] / len(prompts)
        return weights
