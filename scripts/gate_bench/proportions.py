"""Shares with their intervals."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many.

    Attributes:
        hits: how many.
        of: out of how many.
    """

    hits: int
    of: int

    @property
    def value(self) -> float:
        """The share; 0 of none is 0."""
        return self.hits / self.of if self.of else 0.0

    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval; 0 to 1 for none."""
        from scipy.stats import binomtest

        if not self.of:
            return 0.0, 1.0
        low, high = binomtest(self.hits, self.of).proportion_ci(0.95, "wilson")
        return float(low), float(high)

    def as_json(self) -> dict[str, float | int]:
        """For a result file."""
        low, high = self.interval()
        return {
            "hits": self.hits,
            "of": self.of,
            "share": round(self.value, 4),
            "low": round(low, 4),
            "high": round(high, 4),
        }

    def __str__(self) -> str:
        low, high = self.interval()
        return f"{self.value:7.1%}  ({low:.1%} to {high:.1%})"
