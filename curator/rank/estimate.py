"""A value with its standard error, made of independent variances that are themselves estimates.

Degrees of freedom are Satterthwaite's (1946), (Σv)² / Σ(v² / df), with care where a variance has few: three
draws can be close together by chance, and then the formula gives many degrees of freedom just where the standard
error is too small. With one variance of 2 degrees and 90 % of the sum its tests at 5 % and 0.5 % are wrong in 7.7
and 2.5 %. So each variance in turn is put at its upper 80 % confidence limit, and the least result is taken. Over
all shares of the variances that is wrong in at most 5.0 and 1.0 % with 2 degrees (three draws), 5.0 and 0.63 %
with 4, 5.0 and 0.50 % with 7. The least degrees of any part, as in Behrens-Fisher tables, would err as far to the
other side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

from scipy import special

Source = Literal["draws", "prompts", "floor"]

KNOWN = 1e6
"""Degrees of freedom of a variance that is taken as known; strict JSON has no infinity."""
_UPPER = 0.8


@dataclass(frozen=True, slots=True)
class Part:
    """One variance in a squared standard error.

    Attributes:
        variance: nats a token, squared.
        df: its degrees of freedom.
        source: what varies.
        count: how many of them it was estimated from; the variance falls in proportion.
    """

    variance: float
    df: float
    source: Source
    count: int = 1

    def with_count(self, count: float) -> Self:
        """The same from more or fewer of what varies."""
        own = self.df if self.df == KNOWN else max(self.df + count - self.count, 1.0)
        return replace(self, variance=self.variance * self.count / count, df=own, count=round(count))


@dataclass(frozen=True, slots=True)
class Spread:
    """Why a value varies.

    Attributes:
        parts: independent variances.
        shared: nats squared that are in the draws' parts and again in the prompts' (how a draw suits a prompt).
    """

    parts: tuple[Part, ...]
    shared: float = 0.0

    def total(self) -> float:
        """The squared standard error; at least that of draws alone and of prompts alone."""
        by_source = [self.of(source) for source in ("draws", "prompts")]
        return max(math.fsum(by_source) - self.shared, *by_source) + self.of("floor")

    def of(self, source: Source) -> float:
        """Sum of the variances of one source."""
        return math.fsum(part.variance for part in self.parts if part.source == source)

    def df(self) -> float:
        """Degrees of freedom of the total (see the module's text)."""
        total = self.total()
        squares = math.fsum((part.variance / total) ** 2 / part.df for part in self.parts)
        least = 1 / squares
        for part in self.parts:
            more = part.df / float(special.chdtri(part.df, _UPPER)) - 1
            share = part.variance / total
            higher = squares + (2 * more + more**2) * share**2 / part.df
            least = min(least, (1 + more * share) ** 2 / higher)
        return min(least, KNOWN)


@dataclass(frozen=True)
class Estimate:
    """A value with its standard error and degrees of freedom (finite: 1e6 stands for a known variance)."""

    value: float
    se: float
    df: float
    spread: Spread = Spread(())

    @property
    def p(self) -> float:
        """Two-sided p of "the true value is 0".

        Without any observed variation (`se` 0) a value of 0 gives 1, any other value gives 0.
        """
        if self.se == 0:
            return 1.0 if self.value == 0 else 0.0
        return float(2 * special.stdtr(self.df, -abs(self.value) / self.se))

    def interval(self, alpha: float) -> tuple[float, float]:
        """Two-sided t interval that misses with probability `alpha`; a point when `se` is 0."""
        half = 0.0 if self.se == 0 else float(-special.stdtrit(self.df, alpha / 2)) * self.se
        return self.value - half, self.value + half


def combine(value: float, parts: Sequence[Part], shared: float = 0.0) -> Estimate:
    """An estimate whose squared standard error is the sum of these parts, less what is in them twice."""
    spread = Spread(tuple(parts), shared)
    if (total := spread.total()) <= 0:
        return Estimate(value, 0.0, KNOWN, spread)
    return Estimate(value, math.sqrt(total), spread.df(), spread)
