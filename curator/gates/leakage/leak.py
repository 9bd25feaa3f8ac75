"""What a text shares with an evaluation, as numbers, and the limit on them."""

from __future__ import annotations

from dataclasses import dataclass

from curator.gates.drop import Drop


@dataclass(frozen=True, slots=True)
class Leak:
    """What a text shares with the item that it shares most with.

    Attributes:
        ratio: of the item's telling rows of words, the share that the text has; or of the text's, the share that
            the item has, where that is more. From 0 (nothing that is evidence) to 1.
        item: the item's id; empty without evidence.
        run: length of the longest row that both have; 0 without evidence.
        unit: ``words``, or ``characters`` in scripts without spaces.
        span: where that row stands in the text, in characters.
        words: the row, in lower case and without punctuation; shortened when it is long.
    """

    ratio: float = 0.0
    item: str = ""
    run: int = 0
    unit: str = "words"
    span: tuple[int, int] = (0, 0)
    words: str = ""


def check_leakage(leak: Leak, min_ratio: float = 0.0) -> Drop | None:
    """Refuse a text that shares evidence with an item.

    Args:
        leak: what was measured.
        min_ratio: refuse from this ratio on; 0 refuses all evidence.
    """
    if not leak.run or leak.ratio < min_ratio:
        return None
    return Drop("leakage", f"shares {leak.run} {leak.unit} in a row with {leak.item}: {leak.words!r}")
