"""Which held-out prompts parts are chosen by, and which others the choice is confirmed on."""

from __future__ import annotations

from collections.abc import Sequence

from curator._errors import InputError
from curator._seed import stable_hash
from curator.rank.statistical_design import MIN_PROMPTS

Named = tuple[str, str]


def split_prompts(prompts: Sequence[Named], count: int) -> tuple[list[int], list[int]]:
    """Two samples without a prompt in common, each with as many of every task as can be.

    What is chosen on prompts looks better on them than it is: a confirmation needs others.

    Args:
        prompts: id and task of each.
        count: how many of each sample; more where a task would have fewer than two.

    Returns:
        Places of the prompts to measure parts on, and of those to confirm on, each in the given order.

    Raises:
        InputError: a task has too few prompts for both.
    """
    by_task: dict[str, list[int]] = {}
    for place, (_, task) in enumerate(prompts):
        by_task.setdefault(task, []).append(place)
    measured: list[int] = []
    kept: list[int] = []
    # By name: the same split whatever the order of the prompts.
    for number, (task, places) in enumerate(sorted(by_task.items())):
        share = max(count // len(by_task) + (number < count % len(by_task)), MIN_PROMPTS)
        if len(places) < 2 * share:
            raise InputError(
                f"task {task!r} has {len(places)} held-out prompts, {2 * share} are needed: {share} to measure "
                f"on and {share} to confirm on; add prompts"
                + (" or lower --prompts" if share > MIN_PROMPTS else "")
            )
        order = sorted(places, key=lambda place: stable_hash("sensitivity", prompts[place][0]))
        measured += order[:share]
        kept += order[share : 2 * share]
    return sorted(measured), sorted(kept)
