"""Items counted: of a task, of all, and by cells of task, language and lengths."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from curator.profile.estimate import estimate, scale_end
from curator.profile.figures import Cell, Continuity, Group, LowContinuity, Shares
from curator.profile.item import Item
from curator.profile.predictions import Answer
from curator.profile.spread import spread, upto

_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Whole:
    """Sums over all items of a file, of which groups are parts.

    Attributes:
        items: how many.
        prompts: tokens of their prompts.
        outputs: tokens of their answers; ``None`` where some item has none: shares of the others would mislead.
        top: the end of the scale of their scores.
    """

    items: int
    prompts: int
    outputs: int | None
    top: float


def whole_of(items: Sequence[Item]) -> Whole:
    """Sum up all items of a file, once for all of its groups."""
    outputs = [item.output_tokens for item in items if item.output_tokens is not None]
    return Whole(
        items=len(items),
        prompts=sum(item.prompt_tokens for item in items),
        outputs=sum(outputs) if len(outputs) == len(items) else None,
        top=scale_end([item.score for item in items if item.score is not None]),
    )


def group_of(items: Sequence[Item], answers: Sequence[Answer | None], whole: Whole) -> Group:
    """Count some items.

    Args:
        items: at least one.
        answers: the answer to each.
        whole: of all items, of which shares are.
    """
    tokens = sum(item.prompt_tokens for item in items)
    outputs = [item.output_tokens for item in items if item.output_tokens is not None]
    low = [item for item in items if item.low_continuity]
    return Group(
        items=len(items),
        shares=_shares(items, whole),
        prompt_tokens=spread([item.prompt_tokens for item in items]),
        gold_tokens=spread([item.gold_tokens for item in items]),
        output_tokens=spread(outputs) if outputs else None,
        languages=_counted(item.language for item in items),
        gold_types=_counted(item.gold_type for item in items),
        continuity=_continuity(items),
        low_continuity=LowContinuity(
            items=len(low),
            item_share=_ratio(len(low), len(items)),
            token_share=_ratio(sum(item.low_share * item.prompt_tokens for item in items), tokens),
        ),
        random_share=_ratio(sum(item.random * item.prompt_tokens for item in items), tokens),
        random_kinds=_kinds(items, tokens),
        template_share=_ratio(sum(item.template for item in items), len(items)),
        duplicates=sum(item.duplicate_of is not None for item in items),
        near_duplicates=sum(item.near_duplicate_of is not None for item in items),
        score=estimate([item.score for item in items if item.score is not None], whole.top),
        reasoning_share=_reasoning(answers),
    )


def cells_of(items: Sequence[Item]) -> list[Cell]:
    """Items by task (in the file's order), language, and the bins of their lengths (short ones first)."""
    tasks = {task: number for number, task in enumerate(dict.fromkeys(item.task for item in items))}
    cells: dict[tuple[int, str, int, int], list[Item]] = defaultdict(list)
    for item in items:
        output = -1 if item.output_tokens is None else upto(item.output_tokens)
        cells[tasks[item.task], item.language, upto(item.prompt_tokens), output].append(item)
    return [
        Cell(
            task=found[0].task,
            language=language,
            prompt_upto=prompt,
            output_upto=None if output < 0 else output,
            items=len(found),
            prompt_tokens=sum(item.prompt_tokens for item in found),
            output_tokens=None if output < 0 else sum(item.output_tokens or 0 for item in found),
        )
        for (_, language, prompt, output), found in sorted(cells.items(), key=lambda cell: cell[0])
    ]


def _shares(items: Sequence[Item], whole: Whole) -> Shares:
    prompts = sum(item.prompt_tokens for item in items)
    outputs = sum(item.output_tokens or 0 for item in items)
    known = whole.outputs
    return Shares(
        items=len(items) / whole.items,
        input_tokens=prompts / max(whole.prompts, 1),
        output_tokens=None if known is None else outputs / max(known, 1),
        total_tokens=None if known is None else (prompts + outputs) / max(whole.prompts + known, 1),
    )


def _continuity(items: Sequence[Item]) -> Continuity:
    means = [item.continuity for item in items if item.continuity is not None]
    se = statistics.stdev(means) / len(means) ** 0.5 if len(means) > 1 else None
    if len(means) == 1:
        se = next(item.continuity_se for item in items if item.continuity is not None)
    return Continuity(
        items=len(means),
        windows=sum(item.windows - item.ruled_windows for item in items),
        ruled_windows=sum(item.ruled_windows for item in items),
        mean=round(statistics.fmean(means), _DIGITS) if means else None,
        se=None if se is None else round(se, _DIGITS),
    )


def _kinds(items: Sequence[Item], tokens: int) -> dict[str, float]:
    found: defaultdict[str, float] = defaultdict(float)
    for item in items:
        for kind, share in item.random_kinds.items():
            found[kind] += share * item.prompt_tokens
    shares = {kind: _ratio(size, tokens) for kind, size in found.items()}
    return dict(sorted(shares.items(), key=lambda one: (-one[1], one[0])))


def _reasoning(answers: Iterable[Answer | None]) -> float | None:
    texts = [answer for answer in answers if answer is not None and answer.ours is not None]
    total = sum(answer.ours or 0 for answer in texts)
    return _ratio(sum(answer.reasoning for answer in texts), total) if total else None


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda one: (-one[1], one[0])))


def _ratio(part: float, whole: float) -> float:
    return round(min(part / whole, 1.0), _DIGITS) if whole else 0.0
