"""Lists in order: numbered, sorted, dated. They *are* ordered, and yet no continuous text."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence

# Sorted lists have 8 at 24 lines and 9.3 at 32; the highest of 600 windows of prose was 4.5.
LIST_ORDER = 5.0
_NUMBER = re.compile(r"\d+|[^\d\s]+")
# Signs before an entry that are the same in all.
_BULLET = re.compile(r"[-*•‣▪–+#|>\s]+")
# Digits of a number that are compared: a hostile one has a million, and Python refuses to read it.
_DIGITS = 18
_KEY_PARTS = 8


def order_z(lines: Sequence[str]) -> float:
    """Standard deviations of the number of rises above that of a random order.

    A rise is a line that sorts behind the line before it, numbers by their value. Among n different lines in
    random order there are (n - 1) / 2 on average, with variance (n + 1) / 12 (Eulerian numbers); lines that are
    equal count half. Prose has about 0, a sorted list of 32 lines has 9.3.

    Args:
        lines: sentences or entries in the order of the text.

    Returns:
        The z, 0.0 for fewer than four lines.
    """
    if len(lines) < 4:
        return 0.0
    keys = [_key(line) for line in lines]
    pairs = list(itertools.pairwise(keys))
    rises = sum(1.0 if before < after else 0.5 if before == after else 0.0 for before, after in pairs)
    return (rises - len(pairs) / 2) / math.sqrt((len(lines) + 1) / 12)


def _key(line: str) -> list[tuple[int, int, str]]:
    # Only the beginning decides, and only so much of it is folded.
    head = _BULLET.sub("", line[:200], count=1).casefold()
    parts = _NUMBER.findall(head)[:_KEY_PARTS]
    return [(0, int(part[:_DIGITS]), "") if part.isdecimal() else (1, 0, part) for part in parts]
