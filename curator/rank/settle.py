"""How many draws or prompts would settle a pair that is tied."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from curator.rank.estimate import Estimate, Source, Spread
from curator.rank.multiplicity import detectable_difference

POWER = 0.8
MOST = {"draws": 1_000, "prompts": 100_000}
"""More of them are not worth naming."""


@dataclass(frozen=True)
class Settle:
    """What a further run would need, if the true difference is the one seen.

    Attributes:
        as_: what the pair would be found to be: the likelier of both, by how far the difference seen is from 0 and
            from the margin.
        draws: draws of an arm on these prompts; ``None`` if more draws alone do not do, or with fewer than three
            at hand, which tell nothing of how draws vary.
        prompts: prompts with these draws, in the same shares of tasks; ``None`` if more prompts alone do not do.
        both: draws and prompts where neither alone does: as many times more of each.
        power: chance that the run would settle it.
    """

    as_: Literal["separated", "equivalent"]
    draws: int | None
    prompts: int | None
    both: tuple[int, int] | None
    power: float = POWER


def settle(estimate: Estimate, margin: float, count: int, alpha: float) -> Settle | None:
    """Find out for a pair.

    Every variance falls in proportion to what it is over, with the degrees of freedom that go with it (how a draw
    suits a prompt, with both); the floor stays. Tested at Holm's first step, alpha / count, which is the hardest.

    Args:
        estimate: the difference.
        margin: half-width of the equivalence region, nats a token.
        count: pairs that Holm adjusts for.
        alpha: family-wise error rate.

    Returns:
        ``None`` where nothing can: without a difference or a margin, or with floors above them.
    """
    apart, inside = abs(estimate.value), margin - abs(estimate.value)
    target = max(apart, inside)

    def settles(more_draws: float, more_prompts: float) -> bool:
        spread = _scaled(estimate.spread, more_draws, more_prompts)
        total = spread.total()
        return total <= 0 or detectable_difference(math.sqrt(total), spread.df(), count, alpha, POWER) <= target

    draws, prompts = (_count(estimate.spread, source) for source in ("draws", "prompts"))
    most = (MOST["draws"] / max(draws, 1), MOST["prompts"] / max(prompts, 1))
    by_draws = _least(lambda factor: settles(factor, 1), draws, most[0])
    by_prompts = _least(lambda factor: settles(1, factor), prompts, most[1])
    both = None
    if by_draws is None and by_prompts is None and draws:
        steps = _least(lambda factor: settles(factor, factor), draws, min(most))
        both = None if steps is None else (steps, math.ceil(prompts * steps / draws))
    if by_draws is None and by_prompts is None and both is None:
        return None
    return Settle("separated" if apart >= inside else "equivalent", by_draws, by_prompts, both)


def _count(spread: Spread, source: Source) -> int:
    """Draws of the arm that has fewest, prompts of all tasks; 0 without such a variance."""
    counts = [part.count for part in spread.parts if part.source == source]
    if source == "draws":
        return min(counts, default=0)
    return sum(counts)


def _scaled(spread: Spread, more_draws: float, more_prompts: float) -> Spread:
    """The same with so many times the draws and prompts; what both parts hold falls with either."""
    more = {"draws": more_draws, "prompts": more_prompts, "floor": 1.0}
    other = {"draws": more_prompts, "prompts": more_draws, "floor": 1.0}
    parts = []
    for part in spread.parts:
        total = spread.of(part.source)
        shared = min(spread.shared / total, 1.0) if part.source != "floor" and total > 0 else 0.0
        scaled = part.with_count(part.count * more[part.source])
        parts.append(replace(scaled, variance=scaled.variance * (1 - shared + shared / other[part.source])))
    return Spread(tuple(parts), spread.shared / more_draws / more_prompts)


def _least(settles: Callable[[float], bool], now: int, most: float) -> int | None:
    """Least count that settles, from the factor by which it is more than there is now."""
    if not now or not settles(most):
        return None
    low, high = now, math.floor(now * most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if settles(middle / now) else (middle, high)
    return high
