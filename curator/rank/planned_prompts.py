"""The held-out prompts of a run as far as they are known before it starts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from curator.measure.heldout import DEFAULT_SOURCES, load_prompts
from curator.rank.plan import Plan

# What the shipped prompts have; see measure/heldout/shipped.py.
_SHIPPED_TOKENS = 80
_CHARS_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class PlannedPrompts:
    """How many prompts there will be.

    Attributes:
        by_task: number of each kind.
        tokens: of all prompts, without what is written after them; from their characters.
    """

    by_task: dict[str, int]
    tokens: int

    @property
    def count(self) -> int:
        """Number of prompts."""
        return sum(self.by_task.values())


def planned_prompts(plan: Plan) -> PlannedPrompts:
    """Count the prompts of a run: those frozen in its folder, the user's, or those that will be made.

    Raises:
        InputError: the file of prompts cannot be used.
    """
    frozen = plan.out / "heldout.jsonl"
    file = frozen if frozen.is_file() else plan.heldout
    if file is None:
        by_task = dict.fromkeys(DEFAULT_SOURCES, plan.per_task)
        return PlannedPrompts(by_task, _SHIPPED_TOKENS * sum(by_task.values()))
    prompts = load_prompts(file)
    tokens = sum(len(prompt.words()) // _CHARS_A_TOKEN + 1 for prompt in prompts)
    return PlannedPrompts(dict(Counter(prompt.task for prompt in prompts)), tokens)
