"""Which arms are compared, fixed by the plan before anything is measured.

Recipes are compared within a method and methods within a recipe. A crossed pair, another recipe under another
method, answers no question that these two do not, and would only make the family larger that Holm adjusts for.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from curator.rank.arms import Arm


def compared_pairs(arms: Sequence[Arm]) -> frozenset[frozenset[str]]:
    """Pairs of names of arms that are compared; the arm without data is with all."""
    return frozenset(frozenset((a.name, b.name)) for a, b in combinations(arms, 2) if _alike(a, b))


def comparison_words(arms: Sequence[Arm]) -> str:
    """What is compared, for the start of a run and its report."""
    users = [arm for arm in arms if not arm.null]
    count = len(compared_pairs(users))
    if not count:
        return "no comparison between recipes: there is one arm"
    if len({arm.quantize.method for arm in users}) == 1:
        return f"{_pairs(count)} of recipes{', adjusted by Holm together' if count > 1 else ''}"
    recipes = sum(a.base != b.base for a, b in combinations(users, 2) if _alike(a, b))
    return (
        f"{_pairs(count)}, adjusted by Holm together: {recipes} of recipes within a method, {count - recipes} of "
        "methods within a recipe; pairs that differ in both are not compared"
    )


def _alike(a: Arm, b: Arm) -> bool:
    either_without = not (a.has_draws and b.has_draws)
    return either_without or a.base == b.base or a.quantize.method == b.quantize.method


def _pairs(count: int) -> str:
    return f"{count} comparison{'' if count == 1 else 's'}"
