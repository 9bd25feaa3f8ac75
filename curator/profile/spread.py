"""How lengths are spread: quantiles, and bins that are equally wide on a log axis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from curator.profile.figures import Bin, Spread

# Means and quantiles are sums over a handful of items: further digits would be noise.
_DIGITS = 3


def spread(values: Sequence[int]) -> Spread:
    """The spread of at least one length."""
    low, middle, high = (round(float(value), _DIGITS) for value in np.quantile(values, (0.1, 0.5, 0.9)))
    bins = Counter(upto(value) for value in values)
    return Spread(
        n=len(values),
        sum=sum(values),
        mean=round(sum(values) / len(values), _DIGITS),
        least=min(values),
        p10=low,
        median=middle,
        p90=high,
        most=max(values),
        histogram=[Bin(upto=end, count=bins[end]) for end in sorted(bins)],
    )


def upto(length: int) -> int:
    """The end of the bin that a length is in: the least power of two that is not smaller; 0 for 0."""
    return 1 << (length - 1).bit_length() if length else 0
