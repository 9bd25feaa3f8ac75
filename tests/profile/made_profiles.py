"""Profiles made of numbers alone, for the tests of what is derived from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curator.profile.group import cells_of, group_of, whole_of
from curator.profile.item import GoldType, Item
from curator.profile.schema import Profile, Settings, SourceFile, TokenizerFacts


@dataclass(frozen=True)
class Some:
    """Items that are alike."""

    task: str
    count: int
    prompt: int
    output: int | None = None
    low: bool = False
    low_share: float = 1.0
    language: str = "en"
    gold: GoldType = "list"


def made(*some: Some) -> Profile:
    """The profile of such items."""
    items = [_item(row, one) for row, one in enumerate((one for one in some for _ in range(one.count)), start=1)]
    tasks = dict.fromkeys(item.task for item in items)
    return Profile(
        tool="0.1.0",
        file=SourceFile(name="eval.jsonl", sha256="0" * 64, columns={"prompt": "question"}),
        tokenizer=TokenizerFacts(model="m", fingerprint="f", ids_fingerprint="i", template_tokens=5),
        settings=Settings(
            windows=8,
            window_sentences=24,
            embedder="e",
            least_z=2.33,
            max_random=0.2,
            near_duplicate=0.8,
            versions={},
        ),
        tasks={task: _group([item for item in items if item.task == task], items) for task in tasks},
        overall=_group(items, items),
        cells=cells_of(items),
        items=items,
        outputs=None,
        warnings=[],
    )


# The figures of the contest's public set: 30 items a task, sums of prompt and output tokens as its runs report.
CONTEST = (
    Some("mcq", 30, 271, 9_496, gold="letter"),
    Some("niah", 30, 73_984, 352),
    Some("qa", 30, 71_570, 102),
    Some("fwe", 30, 68_155, 5_197, low=True),
    Some("cwe", 30, 74_164, 9_301, low=True),
)


def _group(items: Sequence[Item], all_items: Sequence[Item]):  # type: ignore[no-untyped-def]
    return group_of(items, [None] * len(items), whole_of(all_items))


def _item(row: int, one: Some) -> Item:
    return Item(
        row=row,
        task=one.task,
        language=one.language,
        prompt_tokens=one.prompt,
        gold_tokens=1,
        gold_type=one.gold,
        output_tokens=one.output,
        score=None,
        continuity=None if one.low else 6.0,
        continuity_se=None if one.low else 1.0,
        windows=8,
        ruled_windows=8 if one.low else 0,
        low_windows=8 if one.low else 0,
        random=1.0 if one.low else 0.0,
        random_kinds={"words": 1.0} if one.low else {},
        template=0.1,
        low_continuity=one.low,
        low_share=one.low_share if one.low else 0.0,
        duplicate_of=None,
        near_duplicate_of=None,
    )
