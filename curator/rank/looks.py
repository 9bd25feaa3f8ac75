"""Draws in stages: after each look, arms that cannot be the best get no more of them.

The error rate is split over the looks beforehand, so that all looks together keep it (Bonferroni over looks), and
Holm's procedure runs through them: at a look, the i-th smallest p of the pairs still open is tested at

    alpha_k / (m - r - i + 1)        m pairs in all, r of them separated at earlier looks

Before the first false verdict only true differences have been separated, so that level is at most alpha_k over the
number of true ties, at every look. A pair's p needs both arms' draws of the look: a pair of which one arm was
dropped is judged no further and keeps the interval of the look that dropped it, since an arm is dropped for
looking bad and a later comparison with it would favour the other. The chance of any false verdict therefore stays
within alpha, however many looks are made and wherever the run stops. So does, apart from it, the chance that the
truly best arm is dropped: the comparison with the best (best.py), which drops most, has alpha_k at each look too.

Everything here is a function of the measured values alone, never of time or of the order in which they came.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from curator._errors import InputError
from curator.rank.best import FromBest, compare_with_best
from curator.rank.pair_result import PairResult
from curator.rank.statistics import ArmKL, Design, arm_mean
from curator.rank.verdict import (
    Ranking,
    compare_family,
    may_be_best,
    rank_arms,
    smallest_detectable,
    summary,
)
from curator.rank.verdict_words import ranking_warnings


@dataclass(frozen=True, slots=True)
class Looks:
    """When a run is looked at, fixed before it starts.

    Attributes:
        draws: draws of every arm still in, at each look; ascending.
        shares: of alpha, one for each look; they add up to 1.

    Raises:
        InputError: numbers that are no plan.
    """

    draws: tuple[int, ...]
    shares: tuple[float, ...]

    def __post_init__(self) -> None:
        ascending = all(low < high for low, high in zip((0, *self.draws), self.draws, strict=False))
        if not self.draws or not ascending:
            given = ",".join(map(str, self.draws))
            raise InputError(f"--looks {given}: give ascending numbers of draws, such as 5,8,12")
        fits = len(self.shares) == len(self.draws) and all(share > 0 for share in self.shares)
        if not fits or not math.isclose(math.fsum(self.shares), 1.0, abs_tol=1e-9):
            raise InputError(f"shares of alpha {list(self.shares)}: give one above 0 for each look, 1 in all")


def planned_looks(draws: Sequence[int]) -> Looks:
    """Looks at these numbers of draws, each with alpha by its draws: early looks have few and see little."""
    # Numbers that are none are refused by what is made of them.
    total = sum(draws) or 1
    return Looks(tuple(draws), tuple(count / total for count in draws))


@dataclass(frozen=True)
class Judged:
    """What the values so far decide.

    Attributes:
        ranking: all arms and pairs, each as of the last look that it was in.
        next_draws: draws that every arm in ``active`` needs for the next look; ``None`` when all is decided: the
            looks are used up, or no two arms are left that are neither separated nor equivalent.
        active: user arms that get more draws, in the order given; empty when all is decided.
        dropped: look (from 1) after which an arm got no more draws, for arms that cannot be the best: another is
            better, or the comparison with the best leaves them out.
        looks_made: number of looks that the values allowed.
    """

    ranking: Ranking | None
    next_draws: int | None
    active: tuple[str, ...]
    dropped: dict[str, int]
    looks_made: int


def judge_all(arms: Sequence[ArmKL], design: Design) -> Judged:
    """Judge a run without looks, once all its draws are there."""
    return Judged(rank_arms(arms, design), None, (), {}, 1)


def judge_looks(arms: Sequence[ArmKL], design: Design, looks: Looks) -> Judged:
    """Make every look that the values allow, in order.

    Args:
        arms: user arms with the draws they have, null arms with those of the first look. Draws beyond a look
            wait until all arms still in have them.
        design: its alpha is that of the whole run.
        looks: when to look.

    Raises:
        InputError, RefusedError: as `rank_arms` says.
    """
    users = [arm for arm in arms if not arm.null]
    state = _State(users, sum(design.compares(a, b) for a, b in combinations(users, 2)))
    made = 0
    for count, share in zip(looks.draws, looks.shares, strict=True):
        if not state.active or any(arm.draws < count for arm in state.active):
            break
        state.look(count, design, share)
        made += 1
    decided = not state.active or made == len(looks.draws)
    return Judged(
        ranking=_ranking(arms, state, design, looks) if made else None,
        next_draws=None if decided else looks.draws[made],
        active=() if decided else tuple(arm.name for arm in state.active),
        dropped=state.dropped,
        looks_made=made,
    )


class _State:
    """Arms still in, and what was found of each pair."""

    def __init__(self, arms: Sequence[ArmKL], size: int) -> None:
        self.active = list(arms)
        self.seen: dict[str, ArmKL] = {}
        self.pairs: dict[frozenset[str], PairResult] = {}
        self.from_best: dict[str, FromBest] = {}
        self.dropped: dict[str, int] = {}
        self.detectable: float | None = None
        self._size = size
        self._looks = 0

    def look(self, count: int, design: Design, share: float) -> None:
        """Judge the open pairs of the arms still in by their first ``count`` draws, with a share of alpha."""
        self._looks += 1
        now = sorted(
            (_first(arm, count) for arm in self.active), key=lambda arm: (arm_mean(arm, design), arm.name)
        )
        self.seen |= {arm.name: arm for arm in now}
        separated = sum(pair.verdict != "tied" for pair in self.pairs.values())
        # A separated pair has lost an arm: all pairs of those still in are open.
        open_pairs = [(a, b) for a, b in combinations(now, 2) if design.compares(a, b)]
        own = replace(design, alpha=design.alpha * share)
        results = compare_family(open_pairs, own, self._size - separated)
        self.detectable = smallest_detectable(results)
        for pair in results:
            # All intervals of all looks together hold with 1 - alpha, and p beside it means what it says.
            stated = replace(pair, alpha=design.alpha, p_adjusted=min(1.0, pair.p_adjusted / share))
            self.pairs[frozenset((pair.a, pair.b))] = stated
        names = [arm.name for arm in now]
        from_best = compare_with_best(now, own)
        self.from_best |= {one.name: one for one in from_best}
        best = set(may_be_best(names, self.pairs.values(), from_best))
        self.dropped |= dict.fromkeys(sorted(set(names) - best), self._looks)
        self.active = [arm for arm in self.active if arm.name in best]
        left = [pair for pair in results if {pair.a, pair.b} <= best]
        if all(pair.equivalent for pair in left):
            # One arm, or several that more draws need not or cannot tell apart.
            self.active = []


def _first(arm: ArmKL, count: int) -> ArmKL:
    lower = None if arm.lower is None else arm.lower[:count]
    return replace(arm, values=arm.values[:count], lower=lower, sets=arm.sets[:count])


def _ranking(arms: Sequence[ArmKL], state: _State, design: Design, looks: Looks) -> Ranking:
    nulls = [arm if not arm.has_draws else _first(arm, looks.draws[0]) for arm in arms if arm.null]
    # The second family is judged once, at the first look: later draws depend on what was seen there.
    firsts = [_first(arm, looks.draws[0]) for arm in arms if not arm.null]
    both = [*((user, null) for user in firsts for null in nulls), *combinations(nulls, 2)]
    both = [(a, b) for a, b in both if design.compares(a, b)]
    ordered = sorted([*state.seen.values(), *nulls], key=lambda arm: (arm_mean(arm, design), arm.name))
    place = {arm.name: index for index, arm in enumerate(ordered)}
    pairs = sorted(state.pairs.values(), key=lambda pair: sorted((place[pair.a], place[pair.b])))
    from_best = tuple(state.from_best[arm.name] for arm in ordered if arm.name in state.from_best)
    return Ranking(
        arms=tuple(summary(arm, design) for arm in ordered),
        pairs=tuple(pairs),
        null_pairs=compare_family(both, design),
        best=may_be_best([arm.name for arm in ordered if not arm.null], pairs, from_best),
        smallest_detectable=state.detectable,
        warnings=ranking_warnings(ordered, pairs, design),
        from_best=from_best,
    )
