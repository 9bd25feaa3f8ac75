"""From a profile to the shares of a recipe: tasks, with less text without continuity, and languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from curator._errors import InputError
from curator.gates.language import NO_LINGUISTIC_CONTENT, UNDETERMINED
from curator.profile.figures import Group
from curator.profile.item import Item
from curator.profile.schema import Profile

Measure = Literal["items", "input_tokens", "total_tokens"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
REFILL = "prose"
"""The task that gets what the cut frees."""
# Lengths at which a recipe's bins end: coarser than a profile's, so that texts at hand can meet them.
EDGES = (512, 4_096, 32_768)


@dataclass(frozen=True, slots=True)
class TaskShare:
    """A task's share of the recipe's tokens.

    Attributes:
        task: its name.
        before: its share of the evaluation, by the measure asked for.
        low: the share of the task that is of items without continuity, which the cut takes whole.
        after: what the cut leaves.
    """

    task: str
    before: float
    low: float
    after: float


@dataclass(frozen=True, slots=True)
class Mix:
    """Shares of a recipe.

    Attributes:
        tasks: those of the evaluation.
        freed: what the cut took, which continuous text gets.
        low_before: share of the tokens without continuity, by `Item.low_share`: as a built set's are counted;
            0 where no item as a whole is low, of which something could be cut.
        low_after: what is kept of it.
    """

    tasks: tuple[TaskShare, ...]
    freed: float
    low_before: float
    low_after: float


def mix_of(profile: Profile, by: Measure, factor: float) -> Mix:
    """The shares of a recipe.

    Args:
        profile: of the evaluation.
        by: a task's share of what becomes its share of tokens.
        factor: what is kept of the share without continuity, 0 to 1.

    Raises:
        InputError: shares by ``total_tokens`` where some item has no output; or nothing has tokens.
    """
    before = {task: share_of(group, by) for task, group in profile.tasks.items()}
    if any(share is None for share in before.values()):
        raise InputError("--by total_tokens: needs a prediction of every item, with its tokens; give --outputs")
    known = {task: share or 0.0 for task, share in before.items()}
    if not any(known.values()):
        raise InputError(f"--by {by}: no prompt has a token; take --by items")
    by_task = items_by_task(profile)
    lows = {task: _low(items, by) for task, items in by_task.items()}
    shares = tuple(
        TaskShare(task, known[task], low, known[task] * (1 - low * (1 - factor))) for task, low in lows.items()
    )
    is_low = any(item.low_continuity for item in profile.items)
    low_before = sum(one.before * _low_tokens(by_task[one.task]) for one in shares) if is_low else 0.0
    return Mix(shares, sum(one.before - one.after for one in shares), low_before, low_before * factor)


def items_by_task(profile: Profile) -> dict[str, list[Item]]:
    """The items of each task, in the order of the tasks."""
    found: dict[str, list[Item]] = {task: [] for task in profile.tasks}
    for item in profile.items:
        if item.task in found:
            found[item.task].append(item)
    return found


def share_of(group: Group, by: Measure) -> float | None:
    """A group's share by a measure; ``None`` where it is not known."""
    found: float | None = getattr(group.shares, by)
    return found


def language_shares(items: Iterable[Item]) -> dict[str, float]:
    """Shares of the items that are in a language, the largest first; empty without any."""
    counts = Counter(item.language for item in items)
    told = [(name, size) for name, size in counts.items() if name not in (UNDETERMINED, NO_LINGUISTIC_CONTENT)]
    total = sum(size for _, size in told)
    return {name: size / total for name, size in sorted(told, key=lambda one: (-one[1], one[0]))}


def length_shares(items: Iterable[Item], longest: int) -> list[tuple[int | None, float]]:
    """Shares of the items by length, as bins in rising order up to the longest sequence of the recipe.

    Args:
        items: the items.
        longest: tokens of a sequence; what is longer counts as so long.

    Returns:
        Ends and shares, the last end ``None``; empty where all lengths fall into one bin.
    """
    ends = [edge for edge in EDGES if edge < longest]
    counts = Counter(next((end for end in ends if item.prompt_tokens <= end), None) for item in items)
    total = counts.total()
    return [(end, counts[end] / total) for end in (*ends, None)] if ends else []


def _low_tokens(items: Sequence[Item]) -> float:
    """The share of the items' tokens in text without continuity."""
    tokens = sum(item.prompt_tokens for item in items)
    return sum(item.low_share * item.prompt_tokens for item in items) / max(tokens, 1)


def _low(items: Sequence[Item], by: Measure) -> float:
    """The share of some items, or of their prompts' tokens, that is without continuity."""
    weights = [1 if by == "items" else item.prompt_tokens for item in items]
    low = sum(weight for weight, item in zip(weights, items, strict=True) if item.low_continuity)
    return low / max(sum(weights), 1)
