"""Splitting a number of tokens by shares, to the last token."""

from __future__ import annotations

from collections.abc import Mapping


def split_quota(total: int, shares: Mapping[str, float]) -> dict[str, int]:
    """Largest-remainder split of ``total`` by ``shares`` (any positive numbers).

    Returns:
        Whole numbers that sum to ``total``, each within 1 of its exact share. Ties go to the earlier key.
    """
    whole = sum(shares.values())
    exact = {key: total * share / whole for key, share in shares.items()}
    result = {key: int(value) for key, value in exact.items()}
    # Rounded, so that noise in the last digit of equal remainders does not decide between keys.
    order = sorted(exact, key=lambda key: -round(exact[key] - result[key], 9))
    for key in order[: total - sum(result.values())]:
        result[key] += 1
    return result
