"""Very long texts in parts whose tokens add up to those of the whole.

A tokenizer holds 50 to 150 bytes for each character while it encodes: a text of 50 MB would take some gigabytes.
It is cut where a word ends before white space or a mark, which no tokenizer that splits text into words joins; and
only where the ids of what stands around the cut are those of its two sides, so that one which does (or which
treats the beginning of a text in a way of its own) is left in one piece.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

PART = 1 << 20
"""Characters of a part, or some more."""
# Characters on each side of a cut that are encoded to see whether it is one.
_AROUND = 1_000
_TRIES = 16
_END = re.compile(r"(?<=[^\W_])(?=[\s.,;:!?。，、；：！？])")


def parts(text: str, ids: Callable[[str], list[int]], size: int = PART) -> Iterator[str]:
    """Cut a text into parts of about ``size`` characters; what has no safe cut stays whole.

    Args:
        text: any text.
        ids: encodes a text.
        size: characters of a part, or some more.
    """
    start = 0
    while len(text) - start > size:
        cut = _cut(text, start + size, ids)
        if not cut:
            break
        yield text[start:cut]
        start = cut
    yield text[start:]


def unbroken(text: str, most: int) -> int | None:
    """Offset of a stretch of ``most`` characters in which no word ends; ``None`` where there is none."""
    blocks = range(0, len(text) - most + 1, most)
    return next((start for start in blocks if not _END.search(text, start, start + most)), None)


def _cut(text: str, start: int, ids: Callable[[str], list[int]]) -> int:
    """The first safe place from ``start`` on; 0 where none of the next few is one."""
    for tried, match in enumerate(_END.finditer(text, start)):
        at = match.start()
        before, behind = text[at - _AROUND : at], text[at : at + _AROUND]
        if ids(before + behind) == ids(before) + ids(behind):
            return at
        if tried == _TRIES:
            break
    return 0
