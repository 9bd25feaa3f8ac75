"""Cutting the sources whose text lacks continuity until the set has no more of it than the target allows."""

from __future__ import annotations

from collections.abc import Sequence

from curator.pipeline.open_source import OpenSource
from curator.pipeline.plan import Shares


def limited(shares: Shares, sources: Sequence[OpenSource], low: Sequence[float], most: float) -> Shares | None:
    """Shares with which the low-continuity part of the tokens is ``most``.

    Sources with a larger part than that are all cut by one factor, and what they give up goes to the others in
    proportion to their shares.

    Args:
        shares: now asked.
        sources: the recipe's.
        low: the low-continuity part of each source's tokens.
        most: the part that is wanted of all tokens together.

    Returns:
        ``None`` when there is no source to give more.
    """
    own = source_shares(shares, sources)
    heavy = [part > most for part in low]
    rest = sum(share for share, is_heavy in zip(own, heavy, strict=True) if not is_heavy)
    if not rest:
        return None
    cut = 1 - rest
    in_rest = sum(s * part for s, part, is_heavy in zip(own, low, heavy, strict=True) if not is_heavy) / rest
    in_cut = sum(s * part for s, part, is_heavy in zip(own, low, heavy, strict=True) if is_heavy)
    if in_cut <= cut * in_rest:
        return shares
    factor = min(max((most - in_rest) / (in_cut - cut * in_rest), 0.0), 1.0)
    more = (1 - factor * cut) / rest
    return _from_sources(
        [s * (factor if is_heavy else more) for s, is_heavy in zip(own, heavy, strict=True)], shares, sources
    )


def source_shares(shares: Shares, sources: Sequence[OpenSource]) -> list[float]:
    """Each source's share of all tokens."""
    whole = sum(shares.tasks.values())
    of_task = {
        task: sum(w for w, source in zip(shares.weights, sources, strict=True) if source.task == task)
        for task in shares.tasks
    }
    return [
        shares.tasks[source.task] / whole * weight / of_task[source.task] if of_task[source.task] else 0.0
        for weight, source in zip(shares.weights, sources, strict=True)
    ]


def _from_sources(found: Sequence[float], shares: Shares, sources: Sequence[OpenSource]) -> Shares:
    tasks = dict.fromkeys(shares.tasks, 0.0)
    for share, source in zip(found, sources, strict=True):
        tasks[source.task] += share
    return Shares(tasks, list(found))


def told(before: Shares, after: Shares, share: float, most: float) -> str:
    """What became of the tasks' shares, in words."""
    moved = ", ".join(
        f"{task} {before.tasks[task]:.1%} to {after.tasks[task]:.1%}"
        for task in before.tasks
        if abs(before.tasks[task] - after.tasks[task]) > 5e-4
    )
    return (
        f"text without continuity would be {share:.1%} of the tokens, more than target.low_continuity.max_share "
        f"({most:.1%}): shares were moved ({moved or 'between the sources of a task'})"
    )
