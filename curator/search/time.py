"""How long a search may take, told before it begins."""

from __future__ import annotations

from dataclasses import replace

from curator.rank.cost import Costs, Estimate
from curator.rank.plan import Plan
from curator.rank.planned_prompts import PlannedPrompts
from curator.recipe.quantize_methods import Scheme
from curator.search.final import FRESH_DRAWS


def search_time(
    explored: Plan, evaluations: int, measurable: tuple[Scheme, ...], prompts: PlannedPrompts
) -> Estimate:
    """The evaluations on one half of the prompts, and the comparison on the other, which is as large.

    Args:
        explored: plan of the evaluations, whose folder holds what was timed.
        evaluations: number of them.
        measurable: the schemes of the comparison; evaluations have one.
        prompts: of one half.
    """
    settings = explored.quantize[0]
    one = Costs(explored, prompts)
    last = Costs(replace(explored, measurable=measurable), prompts)
    compared = 2 * FRESH_DRAWS * last.piece(settings) + last.floors(settings)
    seconds = 2 * one.baseline() + evaluations * one.piece(settings) + compared
    return Estimate(seconds, one.timed, ("building sets",))
