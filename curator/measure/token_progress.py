"""Progress of a pass by the tokens that are read and written, which take the time; prompts are of many lengths."""

from __future__ import annotations

from collections.abc import Sequence

from curator._progress import Advance

# A token that is decoded takes as long as 3 (batch 32) to 35 (batch 8 on two cores) that are read, 7 at batch 8 on
# an H200: scripts/sglang_bench/results. Only how a step's time is shared among its prompts hangs on it.
_DECODED = 8


def token_costs(read: Sequence[int], decoded: Sequence[int] | None = None) -> list[int]:
    """What each prompt of a pass takes, in tokens read.

    Args:
        read: tokens of each that are read at once.
        decoded: tokens of each that are decoded, at most.
    """
    return [one + _DECODED * new for one, new in zip(read, decoded or [0] * len(read), strict=True)]


def by_tokens(advance: Advance, costs: Sequence[int]) -> Advance:
    """An advance for prompts that tells ``advance`` what they cost.

    Args:
        advance: of a bar whose total is the sum of ``costs``.
        costs: from `token_costs`, in the order in which prompts are done.
    """
    done = 0

    def prompts(count: int) -> None:
        nonlocal done
        advance(sum(costs[done : done + count]))
        done += count

    return prompts
