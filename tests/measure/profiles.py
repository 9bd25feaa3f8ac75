"""Profiles of items that are told, for the tests of this room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from curator.profile import Profile
from curator.profile.group import cells_of, group_of, whole_of
from curator.profile.item import Item
from curator.profile.schema import Settings, SourceFile, TokenizerFacts

_PLAIN: dict[str, Any] = {
    "gold_tokens": 1,
    "gold_type": "string",
    "score": None,
    "continuity": None,
    "continuity_se": None,
    "windows": 0,
    "ruled_windows": 0,
    "low_windows": 0,
    "random": 0.0,
    "random_kinds": {},
    "template": 0.0,
    "low_continuity": False,
    "low_share": 0.0,
    "duplicate_of": None,
    "near_duplicate_of": None,
}
Told = tuple[str, str, int, int | None]
"""Task, language, prompt tokens and output tokens."""


def profile_of(told: Sequence[Told], ids_fingerprint: str = "ids") -> Profile:
    """A profile of such items."""
    items = [
        Item(row=row, task=task, language=language, prompt_tokens=prompt, output_tokens=output, **_PLAIN)
        for row, (task, language, prompt, output) in enumerate(told, start=1)
    ]
    tasks = {task: [item for item in items if item.task == task] for task in dict.fromkeys(one[0] for one in told)}
    return Profile(
        tool="0",
        file=SourceFile(name="eval.jsonl", sha256="0", columns={}),
        tokenizer=TokenizerFacts(
            model="some", fingerprint="whole", ids_fingerprint=ids_fingerprint, template_tokens=8
        ),
        settings=Settings.model_construct(),
        tasks={task: group_of(own, [None] * len(own), whole_of(items)) for task, own in tasks.items()},
        overall=group_of(items, [None] * len(items), whole_of(items)),
        cells=cells_of(items),
        items=items,
        outputs=None,
        warnings=[],
    )


def words(text: str) -> int:
    """Tokens that are words."""
    return len(text.split())
