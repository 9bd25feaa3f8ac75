"""How much of a task's prompts is common wording: instructions that its items share."""

from __future__ import annotations

from collections.abc import Sequence

from curator.gates.leakage.boilerplate import template_flags
from curator.gates.leakage.words import split_words


def template_shares(prompts: Sequence[str], tasks: Sequence[str]) -> list[float]:
    """The share of each prompt's words that other prompts of its task share, in phrases of five words and more.

    Common are phrases of three items of a task, and of one in twenty, near an item's beginning or end; what long
    items share in their middle is their documents (see ``gates.leakage.boilerplate``).

    Args:
        prompts: all prompts.
        tasks: the task of each.
    """
    shares = [0.0] * len(prompts)
    for numbers in numbers_by_task(tasks).values():
        words = [split_words(prompts[number]) for number in numbers]
        flags = template_flags([(found.hashes, found.kinds) for found in words])
        for number, flag in zip(numbers, flags, strict=True):
            shares[number] = round(float(flag.mean()), 4) if len(flag) else 0.0
    return shares


def numbers_by_task(tasks: Sequence[str]) -> dict[str, list[int]]:
    """The places of each task's items, tasks in the order in which they come."""
    found: dict[str, list[int]] = {}
    for number, task in enumerate(tasks):
        found.setdefault(task, []).append(number)
    return found
