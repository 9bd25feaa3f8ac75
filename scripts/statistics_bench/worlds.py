"""Runs whose truth is known: KL of every arm, draw and prompt, with the spreads of a real run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.rank.statistical_design import ArmKL, Design

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class World:
    """How runs are drawn. Spreads are standard deviations in nats a token.

    The defaults are those of four recipes on SmolLM2-135M-Instruct, GPTQ, W4A4, sets of 16 x 512 tokens, 48
    prompts x 64 tokens (the README's demo): the difference of two draws of one recipe has SD 0.04 over prompts,
    that of two recipes 0.05, and a task's prompts 0.09.

    Attributes:
        effects: true mean KL of each arm.
        draw_sds: of an arm's draws, one for each arm.
        draws: R.
        prompts: n, spread evenly over the tasks.
        tasks: number of tasks.
        prompt_sd: of prompts, shared by all arms and draws.
        arm_prompt_sd: of how a recipe suits a prompt, whatever the draw.
        draw_prompt_sd: of how one draw suits a prompt.
        skewed: prompt parts are exponential (skewness 2) instead of normal.
    """

    effects: tuple[float, ...]
    draw_sds: tuple[float, ...]
    draws: int
    prompts: int
    tasks: int = 4
    prompt_sd: float = 0.09
    arm_prompt_sd: float = 0.02
    draw_prompt_sd: float = 0.028
    skewed: bool = False

    def run(self, random: np.random.Generator) -> FloatArray:
        """KL of one simulated run: [arms, draws, prompts]."""
        arms, shape = len(self.effects), (len(self.effects), self.draws, self.prompts)
        values = np.array(self.effects)[:, None, None] + self.prompt_sd * self._unit(random, (1, 1, self.prompts))
        values = values + self.arm_prompt_sd * self._unit(random, (arms, 1, self.prompts))
        values = values + self.draw_prompt_sd * self._unit(random, shape)
        return values + np.array(self.draw_sds)[:, None, None] * random.standard_normal((arms, self.draws, 1))

    def _unit(self, random: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        return random.standard_exponential(shape) - 1 if self.skewed else random.standard_normal(shape)

    def design(self) -> Design:
        """What the tool is told beforehand: tasks of equal weight."""
        names = [f"task {number % self.tasks}" for number in range(self.prompts)]
        weights = {name: 1 / self.tasks for name in sorted(set(names))}
        return Design(tuple(names), weights, data_acts="weights")


def as_arms(values: FloatArray) -> Sequence[ArmKL]:
    """A simulated run as the tool's own records."""
    return [ArmKL(f"arm {number}", arm, True, False) for number, arm in enumerate(values)]
