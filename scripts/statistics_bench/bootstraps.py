"""The two usual intervals for a difference of arms, to set beside the tool's.

Both resample prompts within their tasks. The first takes the draws at hand as all there are; the second resamples
draws too, each arm its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from curator.rank.statistical_design import Design

FloatArray = NDArray[np.float64]
RESAMPLES = 400


def prompt_bootstrap(a: FloatArray, b: FloatArray, design: Design, random: np.random.Generator) -> FloatArray:
    """Means of resampled differences: [resamples].

    Args:
        a: [draws, prompts], nats a token.
        b: the same of the other arm.
        design: tasks and weights.
        random: where chance comes from.
    """
    weights = _prompt_counts(design, random)
    result: FloatArray = weights @ (a.mean(axis=0) - b.mean(axis=0))
    return result


def two_level_bootstrap(a: FloatArray, b: FloatArray, design: Design, random: np.random.Generator) -> FloatArray:
    """The same, with each arm's draws resampled as well."""
    weights = _prompt_counts(design, random)
    means = []
    for values in (a, b):
        counts = random.multinomial(len(values), np.full(len(values), 1 / len(values)), size=RESAMPLES)
        means.append(np.einsum("sr,rp,sp->s", counts / len(values), values, weights))
    result: FloatArray = means[0] - means[1]
    return result


def _prompt_counts(design: Design, random: np.random.Generator) -> FloatArray:
    """Weight of each prompt in each resample: [resamples, prompts]."""
    weights = np.zeros((RESAMPLES, len(design.tasks)))
    for task, prompts in design.strata.items():
        count = len(prompts)
        counts = random.multinomial(count, np.full(count, 1 / count), size=RESAMPLES)
        weights[:, prompts] = counts * (design.weights[task] / count)
    return weights
