"""Items whose prompts are those of earlier items, exactly or nearly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curator.gates.duplicates import Duplicates
from curator.gates.near_duplicates import NearDuplicates
from curator.profile.read_items import RawItem

JACCARD = 0.8
"""Index of common word runs from which two prompts are nearly one: the limit of the gate."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """Rows of the first items with the same prompt, and with nearly the same; ``None`` for none."""

    exact: int | None
    near: int | None


def find_repeats(items: Sequence[RawItem]) -> list[Repeat]:
    """Compare each prompt with those before it; an exact copy is not told as a near one as well."""
    exact, near = Duplicates(), NearDuplicates(JACCARD)
    found = []
    for item in items:
        owner = exact.owner(str(item.row), item.prompt) if item.prompt.strip() else None
        like = None if owner else near.add(str(item.row), item.prompt).owner
        found.append(Repeat(int(owner) if owner else None, int(like) if like else None))
    return found
