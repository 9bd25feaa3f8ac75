"""Lines, and sentences of long lines, that come again and again."""

from __future__ import annotations

import re
from collections import Counter

# A longer line is a paragraph, and counts by sentences.
_LONG_LINE = 200
# One class of characters to begin with is what `re` finds fast.
_SENTENCE_END = re.compile(r"[.!?。！？](?:(?<=[。！？])|\s+)")
# A whole number that stands alone, as in "17." or "(17)"; one in a name or of a version tells things apart.
_COUNTER = re.compile(r"(?<!\S)[(#]?\d+[.:,)]?(?!\S)")
_COUNTERS = 2
_DIGITS = b"0123456789"
_MARKS = " \t|+-=_*#~.,:;()[]{}<>/\\\"'`"
# Lines that come so often, so many in a row, are no refrain and no form.
_TIMES, _RUN = 5, 4


def repeated_lines(text: str) -> float:
    """See `Repetition`."""
    if not _may_repeat(text):
        return 0.0
    units = [unit for line in text.splitlines() for unit in _units(line)]
    keys = [_without_counter(unit) for unit in units]
    times = Counter(keys)
    repeated = total = run = length = 0
    for unit, key in zip(units, keys, strict=True):
        total += len(unit)
        run, length = (run + 1, length + len(unit)) if times[key] >= _TIMES else (0, 0)
        # A run counts from its first line on, once it is long enough.
        repeated += length if run == _RUN else len(unit) if run > _RUN else 0
    return repeated / total if total else 0.0


def _may_repeat(text: str) -> bool:
    """Whether some line comes often where no digit and no mark counts: cheap, and true of few texts."""
    data = text.encode("utf-8", "surrogatepass").translate(None, _DIGITS)
    lines = data.decode("utf-8", "surrogatepass").splitlines()
    if max(map(len, lines), default=0) > _LONG_LINE:
        lines = [part for line in lines for part in _SENTENCE_END.split(line)]
    keys = [key for line in lines if (key := line.strip(_MARKS))]
    if len(keys) - len(set(keys)) < _TIMES - 1:
        return False
    return max(Counter(keys).values()) >= _TIMES


def _units(line: str) -> list[str]:
    """A line, or a long line's sentences, without what repeats in every good text, such as braces."""
    parts = [line] if len(line) <= _LONG_LINE else _SENTENCE_END.split(line)
    return [told for part in parts if len(told := part.strip(_MARKS)) > 1]


def _without_counter(line: str) -> str:
    """The line without a counter; more numbers are data, which tell lines apart."""
    shorter, count = _COUNTER.subn("#", line)
    return shorter if 0 < count <= _COUNTERS and any(map(str.isalpha, line)) else line
