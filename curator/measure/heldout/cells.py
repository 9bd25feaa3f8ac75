"""How many prompts of which kind and length an evaluation's profile asks for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from curator._errors import InputError
from curator.profile import Profile
from curator.profile.figures import Cell
from curator.profile.item import Item
from curator.profile.spread import upto
from curator.select.quotas import split_quota

# A generated text uses this share of its budget or more.
_USED = 0.98
_LONGEST = 1_048_576
"""Tokens of the longest prompt that is made: those of the longest sequence of a recipe."""


@dataclass(frozen=True, slots=True)
class WantedCell:
    """Prompts that are alike in task, language and lengths.

    Attributes:
        name: ``task/language/most prompt tokens``, and the most output tokens where they are known.
        task: the evaluation's own name for the task.
        language: BCP 47.
        low: the fewest tokens of a prompt's text.
        high: the most.
        lengths: the tokens aimed at, a prompt each: those of the cell's own items, evenly chosen.
        output_tokens: mean length of the outputs, rounded up; ``None`` when not known.
        shortened: prompts of these that would be longer without a limit.
    """

    name: str
    task: str
    language: str
    low: int
    high: int
    lengths: tuple[int, ...]
    output_tokens: int | None
    shortened: int


def wanted_cells(
    profile: Profile, items: int, max_tokens: int | None = None, max_new: int | None = None
) -> list[WantedCell]:
    """The cells of a profile with what is wanted of each, in the profile's order.

    Args:
        profile: the evaluation's profile.
        items: prompts in all; more where there are more cells, as each gets one.
        max_tokens: the most tokens of a prompt.
        max_new: the most tokens of an output.

    Raises:
        InputError: the profile's cells contradict it, or ask for prompts that nobody can make.
    """
    # An evaluation's empty prompts ask for nothing.
    cells = [cell for cell in profile.cells if cell.prompt_upto]
    if not cells:
        raise InputError("the profile has no prompts with text; make it again with curate profile")
    for cell in cells:
        _refuse_odd(cell, profile, max_tokens)
    counts = allotted([cell.items for cell in cells], items)
    return [
        _wanted(cell, count, [item for item in profile.items if _is_in(item, cell)], max_tokens, max_new)
        for cell, count in zip(cells, counts, strict=True)
    ]


def _refuse_odd(cell: Cell, profile: Profile, max_tokens: int | None) -> None:
    """Refuse what no measured profile has: such a file was edited by hand."""
    name = f"the profile's cell of {cell.task!r} with prompts up to {cell.prompt_upto} tokens"
    if cell.task not in profile.tasks:
        raise InputError(f"{name}: the profile has no such task; make it again with curate profile")
    if cell.items < 1 or cell.prompt_upto < 0:
        raise InputError(f"{name}: {cell.items} items; both must be 1 or more")
    if (cell.prompt_upto if max_tokens is None else min(cell.prompt_upto, max_tokens)) > _LONGEST:
        raise InputError(f"{name}: no prompt is longer than {_LONGEST:,} tokens; give --max-tokens")


def allotted(sizes: Sequence[int], total: int) -> list[int]:
    """Split ``total`` in proportion to sizes by largest remainders, but one at least to each."""
    counts = dict.fromkeys(map(str, range(len(sizes))), 1)
    rest = {str(at): float(size) for at, size in enumerate(sizes)}
    # Those whose share is less than one get one; that makes the others' shares smaller.
    while rest:
        left = max(total - (len(sizes) - len(rest)), len(rest))
        small = [name for name, size in rest.items() if size * left < sum(rest.values())]
        if not small:
            counts |= split_quota(left, rest)
            break
        for name in small:
            del rest[name]
    return list(counts.values())


def _is_in(item: Item, cell: Cell) -> bool:
    output = None if item.output_tokens is None else upto(item.output_tokens)
    same = (item.task, item.language, upto(item.prompt_tokens), output)
    return same == (cell.task, cell.language, cell.prompt_upto, cell.output_upto)


def _wanted(
    cell: Cell, count: int, items: Sequence[Item], max_tokens: int | None, max_new: int | None
) -> WantedCell:
    own = sorted(item.prompt_tokens for item in items) or [cell.prompt_upto]
    asked = [own[(2 * at + 1) * len(own) // (2 * count)] for at in range(count)]
    most = cell.prompt_upto if max_tokens is None else min(cell.prompt_upto, max_tokens)
    low = cell.prompt_upto // 2 + 1
    cut = most < low
    # Within the bin even where a text uses no more than it must; of a cell that is cut, all are as long as may be.
    lengths = [most if cut else min(max(length, math.ceil(low / _USED)), most) for length in asked]
    output = None if cell.output_tokens is None else max(math.ceil(cell.output_tokens / cell.items), 1)
    name = "/".join([cell.task, cell.language, str(cell.prompt_upto)])
    return WantedCell(
        name=name if cell.output_upto is None else f"{name}/{cell.output_upto}",
        task=cell.task,
        language=cell.language,
        low=math.floor(_USED * most) if cut else low,
        high=most,
        lengths=tuple(lengths),
        output_tokens=output if output is None or max_new is None else min(output, max_new),
        shortened=sum(length > most for length in asked),
    )
