"""Weights in words: each with the share that it stands for, since weights count by their ratios."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from curator.compare.change import Change, Place, percent, real, shown

# Shares that differ by less are printed alike.
_SAME = 5e-5


def share_changes(
    first: Mapping[str, float], second: Mapping[str, float], what: str, place: Place
) -> list[Change]:
    """What differs between two mappings of weights.

    Args:
        first: weights by name.
        second: weights by name.
        what: how one of them is called; the name stands where ``{}`` is.
        place: keys that lead to the mappings.
    """
    shares = (_shares(first), _shares(second))
    found = []
    for name in dict.fromkeys([*first, *second]):
        old, new = first.get(name), second.get(name)
        was, now = (of.get(name, 0.0) for of in shares)
        words = weight_words(what.format(name), old, new, was, now)
        if words:
            found.append(Change((*place, name), old, new, words))
    return found


def weight_words(
    what: str, old: float | None, new: float | None, was: float, now: float, of: str | None = None
) -> str:
    """One weight of the first and of the second with their shares; empty where nothing differs.

    Args:
        what: the name of what has it.
        old: of the first; ``None`` where it has none.
        new: of the second.
        was: share in the first.
        now: share in the second.
        of: what the shares are of, unless of all.
    """
    share = f"share of {of}" if of else "share"
    if old is None:
        return f"{what}: new, {share} {percent(now)}"
    if new is None:
        return f"{what}: gone, {share} was {percent(was)}"
    shares = f"{share} {percent(was)} -> {percent(now)}"
    if old != new:
        same = abs(was - now) < _SAME
        told = f"{share} {percent(now)} as before" if same else shares
        return f"weight of {what} {shown(old)} -> {shown(new)} ({told})"
    return f"{what}: {shares} (its weight is still {shown(old)})" if abs(was - now) >= _SAME else ""


def weights(stored: Any) -> dict[str, float]:
    """Weights of a stored mapping; what is no number is left out."""
    found = {str(name): real(value) for name, value in stored.items()} if isinstance(stored, dict) else {}
    return {name: value for name, value in found.items() if value is not None}


def _shares(of: Mapping[str, float]) -> dict[str, float]:
    total = math.fsum(of.values())
    return {name: value / total for name, value in of.items()} if total > 0 else {}
