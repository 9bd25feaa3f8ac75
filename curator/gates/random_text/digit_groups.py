"""Digits drawn at random, in groups: no sequence, no columns, no measured values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

LEAST_DIGITS = 60
"""Characters of the shortest run."""
_RUN = re.compile(rf"(?<![\w.,:/+-])[0-9](?:[0-9.]|[ \n](?=[0-9])){{{LEAST_DIGITS - 1},}}(?![\w,:/-])")
_WIDTH = 2.5
"""Digits of a group, in the mean, from which on it is no count or small number."""
_UNEVEN = 28.0
"""Chi-squared of ten digits, equally likely, that chance is over once in a thousand times. Of measured values and
dates some digits are commoner: at the front of a number there are five times as many ones as sevens."""
_ORDERED = 0.75
"""Share of neighbours that rise in a sequence; by chance half of them do."""
_FEW_LINES = 3


def find_digit_groups(text: str) -> Iterator[tuple[int, int, str]]:
    """Runs of random groups of digits as (start, end, kind)."""
    return ((*found.span(), "digits") for found in _RUN.finditer(text) if _is_random(found.group()))


def _is_random(run: str) -> bool:
    groups = run.split()
    digits = "".join(groups).replace(".", "")
    if len(digits) < _WIDTH * len(groups) or "" in (group.replace(".", "") for group in groups):
        return False
    expected = len(digits) / 10
    uneven = sum((digits.count(digit) - expected) ** 2 for digit in "0123456789") / expected
    return uneven <= _UNEVEN and not is_sequence(groups) and not _has_columns(run)


def is_sequence(groups: list[str]) -> bool:
    """Whether numbers rise or fall nearly all the way."""
    values = [float(group.replace(".", "", group.count(".") - 1)) for group in groups]
    rising = sum(first <= second for first, second in pairwise(values))
    return len(values) > 1 and max(rising, len(values) - 1 - rising) >= _ORDERED * (len(values) - 1)


def _has_columns(run: str) -> bool:
    lines = [len(line.split()) for line in run.splitlines()]
    return len(lines) >= _FEW_LINES and lines[0] > 1 and lines.count(lines[0]) >= _ORDERED * len(lines)
