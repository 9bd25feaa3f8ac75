"""The format of every part under a size, so that the KL of the parts adds up to least."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from curator._errors import InputError
from curator._seed import rng
from curator.precision.formats import BITS, Format

Assignment = dict[str, Format]


@dataclass(frozen=True, slots=True)
class Choice:
    """What a part can be.

    Attributes:
        name: the part's.
        weights: how many it has.
        kl: nats a token of each format that was measured; BF16 has 0.
    """

    name: str
    weights: int
    kl: Mapping[Format, float]


def size_of(choices: Sequence[Choice], assignment: Mapping[str, Format]) -> float:
    """Bits of all parts."""
    return sum(choice.weights * BITS[assignment[choice.name]] for choice in choices)


def choose(choices: Sequence[Choice], budget: float) -> Assignment:
    """The assignment with the least sum of KL that fits, by integer programming (exact).

    Args:
        choices: the parts.
        budget: bits of all parts.

    Raises:
        InputError: not even the smallest formats fit.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    options = [(at, chosen) for at, choice in enumerate(choices) for chosen in choice.kl]
    # Twice the bits are whole, and over their common divisor small: no rounding decides whether a mix fits.
    sizes = [round(choices[at].weights * BITS[chosen] * 2) for at, chosen in options]
    unit = math.gcd(*sizes)
    most = math.floor(budget * 2 / unit + 1e-9)
    _check_budget(choices, budget, most * unit / 2)
    costs = np.array([choices[at].kl[chosen] for at, chosen in options])
    # The solver stops within 1e-6 of the optimum: nothing, of costs that add up to a million.
    costs *= 1e6 / (costs.sum() or 1.0)
    one = np.zeros((len(choices), len(options)))
    one[[at for at, _ in options], range(len(options))] = 1
    found = milp(
        costs,
        integrality=np.ones(len(options), dtype=np.int64),
        bounds=Bounds(0, 1),
        constraints=[
            LinearConstraint(one, 1, 1),
            LinearConstraint(np.array([[size // unit for size in sizes]]), -np.inf, most),
        ],
        options={"mip_rel_gap": 0.0},
    )
    # The smallest formats fit, so that there is a solution.
    assert found.x is not None
    return {
        choices[at].name: chosen for (at, chosen), taken in zip(options, found.x, strict=True) if round(taken) == 1
    }


def _check_budget(choices: Sequence[Choice], budget: float, most: float) -> None:
    weights = sum(choice.weights for choice in choices)
    least = sum(min(choice.weights * BITS[chosen] for chosen in choice.kl) for choice in choices)
    if most < least:
        raise InputError(
            f"{budget / weights:.4g} bits a weight are asked, the least is {least / weights:.4g}; raise the budget"
        )


def random_mix(choices: Sequence[Choice], like: Mapping[str, Format], seed: int) -> Assignment:
    """The null of a chosen mix: random parts in its formats, as many weights of each as it has, or just fewer.

    Args:
        choices: the parts.
        like: the chosen mix.
        seed: of the order in which parts are visited.
    """
    smallest = min(like.values(), key=lambda chosen: BITS[chosen])
    left = dict.fromkeys(sorted(set(like.values()) - {smallest}, key=lambda chosen: -BITS[chosen]), 0)
    for choice in choices:
        if like[choice.name] != smallest:
            left[like[choice.name]] += choice.weights
    order = list(choices)
    rng("random mix", seed).shuffle(order)
    mix: Assignment = {choice.name: smallest for choice in choices}
    for choice in order:
        fits = next((chosen for chosen, weights in left.items() if choice.weights <= weights), None)
        if fits is not None:
            mix[choice.name] = fits
            left[fits] -= choice.weights
    return mix
