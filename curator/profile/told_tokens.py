"""Token counts that a predictions file tells, beside ours of the same items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from curator.profile.item import Item
from curator.profile.predictions import Answer
from curator.profile.schema import Counted


def told_tokens(
    items: Sequence[Item], answers: Sequence[Answer | None], side: Literal["input", "output"], added: int = 0
) -> dict[str, Counted]:
    """Sums by task, of the items for which both counts are known; tasks without any are left out.

    Args:
        items: all items.
        answers: the answer to each.
        side: ``input`` for prompts, ``output`` for answers.
        added: what a template adds to ours of each.
    """
    pairs: dict[str, list[tuple[int, int]]] = {}
    for item, answer in zip(items, answers, strict=True):
        if answer is None:
            continue
        told = answer.prediction.input_tokens if side == "input" else answer.prediction.output_tokens
        ours = item.prompt_tokens if side == "input" else answer.ours
        if told is not None and ours is not None:
            pairs.setdefault(item.task, []).append((told, ours + added))
    return {
        task: Counted(items=len(both), told=sum(told for told, _ in both), ours=sum(ours for _, ours in both))
        for task, both in pairs.items()
    }
