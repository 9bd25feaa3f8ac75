"""From the arms' KL to verdicts: every pair, who may be the best, and what could have been seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from curator._errors import InputError, RefusedError
from curator.rank.best import FromBest, compare_with_best
from curator.rank.multiplicity import (
    HolmStep,
    compatible_interval,
    detectable_difference,
    holm,
    joint_p,
)
from curator.rank.pair_result import Family, PairResult, Verdict
from curator.rank.statistics import (
    NOTHING_TO_RANK,
    ArmKL,
    Design,
    Estimate,
    arm_interval,
    arm_mean,
    difference,
    scope_of,
)
from curator.rank.verdict_words import describe, ranking_warnings

__all__ = [
    "ArmSummary",
    "Family",
    "PairResult",
    "Ranking",
    "Verdict",
    "compare",
    "describe",
    "may_be_best",
    "rank_arms",
    "smallest_detectable",
]


@dataclass(frozen=True)
class ArmSummary:
    """One line of the ranking: KL in nats a token, with its pointwise interval (see `arm_interval`)."""

    name: str
    mean: float
    ci: tuple[float, float]
    draws: int
    has_draws: bool
    null: bool


@dataclass(frozen=True)
class Ranking:
    """All arms from the lowest mean KL up, and all pairs, the arm with the lower mean first.

    Attributes:
        arms: user arms and null arms, sorted by mean, then by name.
        pairs: pairs of user arms: the first Holm family.
        null_pairs: pairs with a null arm: the second.
        best: names of the user arms that may be the best one.
        smallest_detectable: difference seen with 80 % power, nats a token; None without a pair of user arms.
        warnings: sentences to print with the table.
        from_best: each user arm's distance from the best of the others, in the order of ``arms``.
    """

    arms: tuple[ArmSummary, ...]
    pairs: tuple[PairResult, ...]
    null_pairs: tuple[PairResult, ...]
    best: tuple[str, ...]
    smallest_detectable: float | None
    warnings: tuple[str, ...]
    from_best: tuple[FromBest, ...] = ()


def compare(a: ArmKL, b: ArmKL, design: Design) -> PairResult:
    """Compare two arms on the same prompts, as a family of one.

    With one or two draws of either arm the scope is `sets`: that arm's draw variance is not included, so
    the verdict does not carry over to new draws of its recipe. An arm without draws adds no draw variance
    and does not lower the scope. Without any variation at all (`se` 0), equal means are tied and equivalent
    with p 1, and different ones are separated with p 0 and a point for an interval. Where both arms have
    lower bounds, a sign must hold under both estimators, and `ci` is the hull of both intervals.

    Raises:
        InputError: arms that share a name, or prompts that do not match the design.
        RefusedError: data cannot change anything under this method.
    """
    return compare_family([(a, b)], design)[0]


def rank_arms(arms: Sequence[ArmKL], design: Design) -> Ranking:
    """Rank arms by mean KL and judge all pairs, Holm apart for pairs of user arms and pairs with a null arm.

    Raises:
        InputError: no arms, a name used twice, or prompts that do not match the design.
        RefusedError: data cannot change anything under this method.
    """
    if not arms:
        raise InputError("there is no arm to rank; give at least one recipe")
    if design.data_acts == "nothing":
        raise RefusedError(NOTHING_TO_RANK)
    _check_names(arms)
    ordered = sorted(arms, key=lambda arm: (arm_mean(arm, design), arm.name))
    both = [(a, b) for a, b in combinations(ordered, 2) if design.compares(a, b)]
    pairs = compare_family([(a, b) for a, b in both if not (a.null or b.null)], design)
    null_pairs = compare_family([(a, b) for a, b in both if a.null or b.null], design)
    users = [arm for arm in ordered if not arm.null]
    from_best = compare_with_best(users, design)
    return Ranking(
        arms=tuple(summary(arm, design) for arm in ordered),
        pairs=pairs,
        null_pairs=null_pairs,
        best=may_be_best([arm.name for arm in users], pairs, from_best),
        smallest_detectable=smallest_detectable(pairs),
        warnings=ranking_warnings(ordered, pairs, design),
        from_best=from_best,
    )


def may_be_best(
    names: Sequence[str], pairs: Iterable[PairResult], from_best: Iterable[FromBest] = ()
) -> tuple[str, ...]:
    """Return the arms that may have the lowest KL, in the order given.

    Left out are the arms that the comparison with the best leaves out, and those that the table of pairs calls
    worse than another, so that the answer never contradicts the table. Either keeps the truly best arm with
    probability 1 - alpha; both at once did in 95 % of the runs or more, in every setting of
    scripts/bench_statistics. The answer is never empty: it has the arm with the lowest mean.
    """
    beaten = {pair.b if pair.verdict == "better" else pair.a for pair in pairs if pair.verdict != "tied"}
    beaten |= {one.name for one in from_best if not one.may_be_best}
    return tuple(name for name in names if name not in beaten)


def smallest_detectable(pairs: Sequence[PairResult], power: float = 0.8) -> float | None:
    """Return the true difference that a typical pair of the family shows with this power, nats a token.

    Typical is the pair with the median standard error (the upper one of two), with its degrees of freedom,
    at Holm's first step. Draws are included where the standard error includes them (three or more of an
    arm).
    """
    if not pairs:
        return None
    typical = sorted(pairs, key=lambda pair: (pair.se, -pair.df))[len(pairs) // 2]
    return detectable_difference(typical.se, typical.df, typical.family_size, typical.alpha, power)


def _check_names(arms: Sequence[ArmKL]) -> None:
    names = [arm.name for arm in arms]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{names.count(name)} arms are called {name!r}; give each a name of its own")


def summary(arm: ArmKL, design: Design) -> ArmSummary:
    """An arm's line of the ranking."""
    interval = arm_interval(arm, design)
    return ArmSummary(arm.name, arm_mean(arm, design), interval, arm.draws, arm.has_draws, arm.null)


def compare_family(
    pairs: Sequence[tuple[ArmKL, ArmKL]], design: Design, size: int | None = None
) -> tuple[PairResult, ...]:
    """Compare pairs that Holm adjusts for together.

    Args:
        pairs: the arms.
        design: see statistical_design.py.
        size: pairs of the family, when more than these count.
    """
    for pair in pairs:
        _check_names(pair)
    size = len(pairs) if size is None else size
    estimates = [difference(a, b, design) for a, b in pairs]
    steps = holm([joint_p(estimate) for estimate in estimates], design.alpha, size)
    return tuple(
        _judge(a, b, design, estimate, step, size)
        for (a, b), estimate, step in zip(pairs, estimates, steps, strict=True)
    )


def _judge(
    a: ArmKL, b: ArmKL, design: Design, estimates: Sequence[Estimate], step: HolmStep, count: int
) -> PairResult:
    mean_a, mean_b = arm_mean(a, design), arm_mean(b, design)
    low, high = compatible_interval(estimates, step, design.alpha, count)
    margin = design.margin * max(0.0, min(mean_a, mean_b))
    main = estimates[0]
    return PairResult(
        a=a.name,
        b=b.name,
        mean_a=mean_a,
        mean_b=mean_b,
        diff=main.value,
        se=main.se,
        df=main.df,
        ci=(low, high),
        p=joint_p(estimates),
        p_adjusted=step.adjusted_p,
        verdict="better" if high < 0 else "worse" if low > 0 else "tied",
        equivalent=-margin <= low and high <= margin,
        margin=margin,
        margin_share=design.margin,
        scope=scope_of(a, b),
        family="null" if a.null or b.null else "user",
        family_size=count,
        alpha=design.alpha,
        signs_agree=None if len(estimates) < 2 else estimates[0].value * estimates[1].value > 0,
        estimate=main,
    )
