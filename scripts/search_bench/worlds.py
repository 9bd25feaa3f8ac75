"""Surfaces whose truth is known: KL of every mix, draw and prompt, with the spreads of a real run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from curator._seed import stable_hash
from curator.rank.statistical_design import ArmKL, Design
from curator.search.knobs import Knob, Number, Shares, start_of
from curator.search.mix import Mix
from curator.search.steps import Search

FloatArray = NDArray[np.float64]
Shape = Literal["bowl", "corner", "flat"]
# Shares of a task's sources, and a limit: where nothing is set, the recipe's own.
_LIMIT = ("target", "low_continuity", "max_share")
# Rises stop here: no mix is worse than this many times the gap.
_WORST = 3.0


@dataclass(frozen=True)
class World:
    """One search. Spreads are standard deviations in nats a token.

    The defaults are those of the ranking's bench: four recipes on SmolLM2-135M-Instruct, GPTQ, W4A4.

    Attributes:
        shape: ``bowl``: KL rises with the square of the distance from a mix drawn at random; ``corner``: it rises
            with the share of one source; ``flat``: no mix is better than another.
        gap: how much lower the best mix is than the written recipe.
        draw_sd: of the draws of a mix.
        sources: of the recipe, which takes them in equal parts.
        prompts: of each half.
        seed: of this run.
        level: KL of the written recipe.
        prompt_sd: of prompts, shared by all mixes.
        slope_sd: of how a prompt's KL changes with a mix's shares: what a search on few prompts falls for.
        draw_prompt_sd: of how one draw suits a prompt.
    """

    shape: Shape
    gap: float
    draw_sd: float
    sources: int
    prompts: int
    seed: int
    level: float = 0.22
    prompt_sd: float = 0.09
    slope_sd: float = 0.06
    draw_prompt_sd: float = 0.028

    def search(self, budget: int) -> Search:
        """The search in this world."""
        return Search("mix", self._knobs, (Mix("written", 0, (), start_of(self._knobs)),), budget, self.seed)

    def truth(self, mix: Mix) -> float:
        """True mean KL of a mix, over all prompts and draws."""
        if self.shape == "flat":
            return self.level
        rise = self._rise(self._place(mix)) - self._rise(self._start)
        return self.level + self.gap * rise

    @property
    def best(self) -> float:
        """The lowest true mean that any mix has."""
        return self.level if self.shape == "flat" else self.level - self.gap * self._rise(self._start)

    def values(self, mix: Mix, draw: int, half: str) -> FloatArray:
        """KL of one draw of a mix on every prompt of a half, [prompts]; the same whenever it is asked."""
        common = self._random("prompts", half)
        prompts = self.prompt_sd * common.standard_normal(self.prompts)
        slopes = self.slope_sd * common.standard_normal((self.prompts, self.sources))
        own = self._random("draw", half, mix.name, draw)
        suits = slopes @ (self._place(mix) - self._start)[: self.sources]
        noise = self.draw_prompt_sd * own.standard_normal(self.prompts)
        return self.truth(mix) + prompts + suits + noise + self.draw_sd * own.standard_normal()

    def arm(self, mix: Mix, draws: int) -> ArmKL:
        """A mix with fresh draws on the other half, as the ranking takes it."""
        return ArmKL(mix.name, np.stack([self.values(mix, draw, "other") for draw in range(draws)]), True, False)

    def design(self) -> Design:
        """What the ranking is told: four tasks of equal weight."""
        names = tuple(f"task {number % 4}" for number in range(self.prompts))
        return Design(names, {name: 0.25 for name in sorted(set(names))}, data_acts="weights")

    @cached_property
    def _knobs(self) -> tuple[Knob, ...]:
        paths = tuple(("sources", str(number), "weight") for number in range(self.sources))
        return Shares(paths, (1 / self.sources,) * self.sources), Number(_LIMIT, 0.0, 1.0, 0.5)

    @cached_property
    def _start(self) -> FloatArray:
        return np.array([1 / self.sources] * self.sources + [0.5])

    @cached_property
    def _optimum(self) -> FloatArray:
        """A mix drawn uniformly among those that are not near the written one."""
        random = self._random("optimum")
        while True:
            found = np.append(random.dirichlet(np.ones(self.sources)), random.random())
            if np.linalg.norm(found - self._start) >= 0.35:
                return found

    def _rise(self, place: FloatArray) -> float:
        """From 0 at the best mix; the written one's is 1."""
        if self.shape == "corner":
            return float(place[0] * self.sources)
        distance = np.sum((place - self._optimum) ** 2) / np.sum((self._start - self._optimum) ** 2)
        return float(min(distance, _WORST))

    def _place(self, mix: Mix) -> FloatArray:
        return self._start if mix.written else np.array([value for _, value in mix.values])

    def _random(self, *labels: str | int) -> np.random.Generator:
        return np.random.default_rng(stable_hash("search-bench", self.seed, *labels))
