"""Where to look next, by Optuna.

Every proposal is made anew from the seed, its number and what was measured before it, and from nothing else: a
search that goes on after a kill proposes what it would have proposed.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import qmc

from curator._errors import DependencyError
from curator._seed import stable_hash

INSTALL = "pip install 'curate-nvfp4[search]'"
Seen = tuple[Sequence[float], float]


def startup(dimensions: int) -> int:
    """Proposals that are spread over the space before any is chosen by what was seen."""
    return dimensions + 3


def spread(dimensions: int, seed: int, number: int) -> tuple[float, ...]:
    """The next place of a scrambled Sobol sequence, whose places lie evenly.

    Args:
        dimensions: of the space.
        seed: of the search.
        number: of the proposal, from 0.
    """
    sequence = qmc.Sobol(dimensions, rng=np.random.default_rng(stable_hash("search-spread", seed)))
    if number:
        sequence.fast_forward(number)
    return tuple(map(float, sequence.random(1)[0]))


def learned(dimensions: int, seed: int, number: int, seen: Sequence[Seen]) -> tuple[float, ...]:
    """A place where a low value is likely after what was seen: multivariate TPE (Bergstra et al. 2011).

    Args:
        dimensions: of the space.
        seed: of the search.
        number: of the proposal.
        seen: places and their values, the lower the better; one place may be there several times.

    Raises:
        DependencyError: Optuna is not installed.
    """
    library = _optuna()
    names = [f"x{number}" for number in range(dimensions)]
    space = {name: library.distributions.FloatDistribution(0.0, 1.0) for name in names}
    with warnings.catch_warnings():
        # Says that multivariate sampling may still change; the version range bounds that.
        warnings.simplefilter("ignore")
        sampler = library.samplers.TPESampler(
            seed=stable_hash("search", seed, number) % 2**32, n_startup_trials=1, multivariate=True
        )
    study = library.create_study(sampler=sampler)
    for place, value in seen:
        params = dict(zip(names, place, strict=True))
        study.add_trial(library.trial.create_trial(params=params, distributions=dict(space), value=value))
    asked = study.ask(dict(space)).params
    return tuple(float(asked[name]) for name in names)


def check_optimiser() -> None:
    """Refuse before any work where proposals could not be made.

    Raises:
        DependencyError: Optuna is not installed.
    """
    _optuna()


def _optuna() -> Any:
    try:
        import optuna
    except ImportError as error:
        raise DependencyError(f"curate search needs Optuna, which is not installed; {INSTALL}") from error
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
