"""The items of an evaluation file that both models answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from curator._errors import InputError
from curator.measure.heldout import Prompt, load_prompts, prompts_sha256
from curator.profile.task_scoring import TASKS
from curator.tokens.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Sample:
    """Items that a scorer knows, encoded.

    Attributes:
        items: each with its task and gold.
        encoded: their token ids, the answer opened.
        sha256: hash of the items.
    """

    items: tuple[Prompt, ...]
    encoded: tuple[tuple[int, ...], ...]
    sha256: str


def load_sample(path: Path, tokenizer: Tokenizer) -> Sample:
    """Read an evaluation file, or frozen prompts that have golds.

    Args:
        path: JSON Lines with ``question`` (or ``messages``, ``text``), ``task`` and ``gold``.
        tokenizer: of the model that answers.

    Raises:
        InputError: a row cannot be used, has no gold, or is of a task that no scorer knows; names the item.
    """
    items = load_prompts(path)
    for item in items:
        if item.task not in TASKS:
            raise InputError(
                f"{path}: item {item.id}: no scorer for task {item.task!r}; known are {', '.join(TASKS)}: leave "
                "such items out, or name their task as one of these"
            )
        if not any(gold.strip() for gold in item.gold):
            raise InputError(f"{path}: item {item.id}: no gold, so its answer cannot be scored; leave it out")
    encoded = tuple(tuple(item.encode(tokenizer)) for item in items)
    return Sample(tuple(items), encoded, prompts_sha256(items))
