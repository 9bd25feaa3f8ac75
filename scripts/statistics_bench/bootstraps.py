"""The two usual intervals for a difference of arms, to set beside the tool's.

Both resample prompts within their tasks. The first takes the draws at hand as all there are; the second resamples
draws too, each arm its own. Many simulated runs share one set of resamples.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from curator.rank.statistical_design import Design

FloatArray = NDArray[np.float64]
RESAMPLES = 400
_TAILS = (0.025, 0.975)


def prompt_bootstrap(a: FloatArray, b: FloatArray, design: Design, random: np.random.Generator) -> FloatArray:
    """Ends of the 95 % percentile interval: [2, runs].

    Args:
        a: [runs, draws, prompts], nats a token.
        b: the same of the other arm.
        design: tasks and weights.
        random: where chance comes from.
    """
    means = (a.mean(axis=1) - b.mean(axis=1)) @ _prompt_weights(design, random).T
    ends: FloatArray = np.quantile(means, _TAILS, axis=1)
    return ends


def two_level_bootstrap(a: FloatArray, b: FloatArray, design: Design, random: np.random.Generator) -> FloatArray:
    """The same, with each arm's draws resampled as well."""
    weights = _prompt_weights(design, random)
    means = []
    for values in (a, b):
        draws = values.shape[1]
        counts = random.multinomial(draws, np.full(draws, 1 / draws), size=RESAMPLES)
        means.append(np.einsum("nrs,sr->ns", values @ weights.T, counts / draws, optimize=True))
    ends: FloatArray = np.quantile(means[0] - means[1], _TAILS, axis=1)
    return ends


def _prompt_weights(design: Design, random: np.random.Generator) -> FloatArray:
    """Weight of each prompt in each resample: [resamples, prompts]."""
    weights = np.zeros((RESAMPLES, len(design.tasks)))
    for task, prompts in design.strata.items():
        count = len(prompts)
        counts = random.multinomial(count, np.full(count, 1 / count), size=RESAMPLES)
        weights[:, prompts] = counts * (design.weights[task] / count)
    return weights
