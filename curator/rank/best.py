"""Each arm against the best of the others, all at once.

Multiple comparisons with the best (Hsu 1984; Edwards and Hsu 1983), for differences with standard errors and
degrees of freedom of their own. Let b be the arm with the truly lowest KL, and U_jb the upper end of a one-sided
t interval for mean_j - mean_b at 1 - alpha / (k - 1). All k - 1 of them hold together with 1 - alpha, whatever
they have in common (Bonferroni), and on that event

    mean_j - mean_b is not negative, so U_jb >= 0 for every j: b is in G, the arms i with U_ji >= 0 for every j
    an arm i other than b lies above the best by at most the largest U_ig, g in G
    b lies below the best of the others by at most the least U_jb

b need not be known: whichever it is, only its own k - 1 intervals must hold, so there is nothing to pay for the k
arms that it may be. This asks fewer questions than the table of pairs and answers with narrower intervals, so an
arm may be tied with every other and yet be left out of G.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curator.rank.multiplicity import joint_interval
from curator.rank.statistical_design import ArmKL, Design
from curator.rank.statistics import MIN_DRAWS_PROVISIONAL, difference


@dataclass(frozen=True)
class FromBest:
    """An arm's distance from the best of the others.

    Attributes:
        name: the arm.
        ci: interval of its mean less the lowest mean of the others, nats a token; simultaneous over the arms at
            1 - alpha. It ends or begins at 0 where the arm cannot be better, or worse, than all others.
        may_be_best: it may have the lowest KL.
    """

    name: str
    ci: tuple[float, float]
    may_be_best: bool


def compare_with_best(arms: Sequence[ArmKL], design: Design) -> tuple[FromBest, ...]:
    """Compare every arm with the best of the others, in the order given.

    Nothing for fewer than two arms, nor where an arm has one or two draws, of which nothing is known beyond these
    sets: there the table of pairs alone says who may be best. Where arms have lower bounds, an arm is left out
    only if it is worse under both estimators.

    Raises:
        InputError, RefusedError: as `difference` says.
    """
    if len(arms) < 2 or any(arm.has_draws and arm.draws < MIN_DRAWS_PROVISIONAL for arm in arms):
        return ()
    upper = _upper_ends(arms, design)
    names = [arm.name for arm in arms]
    best = {name for name in names if min(upper[other, name] for other in names if other != name) >= 0}
    found = []
    for name in names:
        high = max((upper[name, other] for other in best if other != name), default=0.0)
        low = -min(upper[other, name] for other in names if other != name) if name in best else 0.0
        found.append(FromBest(name, (min(low, 0.0), max(high, 0.0)), name in best))
    return tuple(found)


def _upper_ends(arms: Sequence[ArmKL], design: Design) -> dict[tuple[str, str], float]:
    """Upper end of "the first's mean less the second's" for all ordered pairs."""
    alpha = 2 * design.alpha / (len(arms) - 1)
    ends = {}
    for place, a in enumerate(arms):
        for b in arms[place + 1 :]:
            low, high = joint_interval(difference(a, b, design), min(alpha, 1.0))
            ends[a.name, b.name], ends[b.name, a.name] = high, -low
    return ends
