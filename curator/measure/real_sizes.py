"""Which batch sizes a server can really run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curator.serve.interface import Server


@dataclass(frozen=True, slots=True)
class Sizes:
    """Batch sizes, those asked against those that are real.

    Attributes:
        real: batch sizes that the server holds at once, the primary one first; at least one.
        notes: a line for each size left out.
    """

    real: tuple[int, ...]
    notes: tuple[str, ...]


def real_sizes(server: Server, encoded: Sequence[Sequence[int]], new: int, asked: Sequence[int]) -> Sizes:
    """Leave out what would be queued and measured as a smaller batch, or is another size by name only.

    Args:
        server: what is asked.
        encoded: prompts.
        new: the most tokens decoded of one.
        asked: batch sizes, the primary one first.
    """
    limit = max(server.batch_limit([len(ids) for ids in encoded], new), 1)
    # No batch is larger than all prompts together.
    real = [size for size in asked if min(size, len(encoded)) <= limit]
    notes = [
        f"batch {size} left out: the server holds {limit} of these prompts with {new} new tokens at once"
        for size in asked
        if size not in real
    ]
    different = different_sizes(real, len(encoded))
    whole = next((size for size in different if size >= len(encoded)), None)
    notes += [
        f"batch {size} left out: with {len(encoded)} prompts it is batch {whole}"
        for size in real
        if size not in different
    ]
    real = list(different)
    if not real:
        real = [limit]
        notes.append(f"batch {limit} taken instead")
    return Sizes(tuple(real), tuple(notes))


def different_sizes(asked: Sequence[int], prompts: int) -> tuple[int, ...]:
    """Batch sizes without those that are others by name only: all that take all prompts at once are one."""
    whole = [size for size in asked if size >= prompts]
    return tuple(size for size in asked if size not in whole[1:])
