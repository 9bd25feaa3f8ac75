"""Text that says the same again: repeated lines, repeated word groups, text that packs to next to nothing."""

from __future__ import annotations

import re
import string
import zlib
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.gates.drop import Drop

# Part of every stored score: scores of two versions are not compared.
VERSION = "1"
MAX_LINES = 0.25
MAX_NGRAMS = 0.4
MAX_COMPRESSION = 10.0
# A shorter text repeats itself by chance or on purpose.
_MIN_CHARS = 200
# A longer line is a paragraph, and counts by sentences.
_LONG_LINE = 200
# One class of characters to begin with is what `re` finds fast.
_SENTENCE_END = re.compile(r"[.!?。！？](?:(?<=[。！？])|\s+)")
# A whole number that stands alone, as in "17." or "(17)"; one in a name or of a version tells things apart.
_COUNTER = re.compile(r"(?<!\S)[(#]?\d+[.:,)]?(?!\S)")
_COUNTERS = 2
_MARKS = " \t|+-=_*#~.,:;()[]{}<>/\\\"'`"
# Lines that come so often, so many in a row, are no refrain and no form.
_TIMES, _RUN = 5, 4
# Characters of a word group: six words or so. From every word's start on, or from every character on where
# words are longer than this on average, as in scripts without spaces.
_GROUP, _LONG_WORD = 32, 40
# Distances in a text at which zlib sees a repetition; text packs alike whatever its length from here on.
_PACKED = 1 << 15
# Of a window, in bytes, what zlib keeps for what comes; and the smallest window, in bits.
_LOOKAHEAD, _MIN_WINDOW = 262, 10
_FACTOR = 0x9E3779B97F4A7C15
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class Repetition:
    """How much of a text repeats itself.

    Attributes:
        lines: share of the characters that lie in four lines in a row and more, each of which the text has five
            times and more, counters set aside.
        ngrams: share of the groups of 32 characters, from each word's start on, that come round at one distance
            for the third time and more.
        compression: how many times smaller the text packs, 1 and more; 1 for a text too short to tell.
    """

    lines: float
    ngrams: float
    compression: float


def measure_repetition(text: str) -> Repetition:
    """Measure how much of a text repeats itself; a short text only where it says one thing over and over."""
    lines = _repeated_lines(text)
    if len(text) < _MIN_CHARS:
        return Repetition(lines, 0.0, 1.0)
    return Repetition(lines, _repeated_groups(text), _compression(text))


def check_repetition(
    measured: Repetition,
    max_lines: float = MAX_LINES,
    max_ngrams: float = MAX_NGRAMS,
    max_compression: float = MAX_COMPRESSION,
) -> Drop | None:
    """Refuse text that mostly repeats itself."""
    if measured.lines > max_lines:
        return Drop(
            "repetition", f"{measured.lines:.0%} of the characters are in repeated lines, over {max_lines:.0%}"
        )
    if measured.ngrams > max_ngrams:
        return Drop("repetition", f"{measured.ngrams:.0%} of the word groups are repeated, over {max_ngrams:.0%}")
    if measured.compression > max_compression:
        return Drop("repetition", f"packs {measured.compression:.1f} times smaller, over {max_compression:g}")
    return None


def _repeated_lines(text: str) -> float:
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
    for digit in string.digits:
        text = text.replace(digit, "")
    lines = text.splitlines()
    if max(map(len, lines), default=0) > _LONG_LINE:
        lines = [part for line in lines for part in _SENTENCE_END.split(line)]
    times = Counter(line.strip(_MARKS) for line in lines)
    del times[""]
    return max(times.values(), default=0) >= _TIMES


def _units(line: str) -> list[str]:
    """A line, or a long line's sentences, without what repeats in every good text, such as braces."""
    parts = [line] if len(line) <= _LONG_LINE else _SENTENCE_END.split(line)
    return [told for part in parts if len(told := part.strip(_MARKS)) > 1]


def _without_counter(line: str) -> str:
    """The line without a counter; more numbers are data, which tell lines apart."""
    shorter, count = _COUNTER.subn("#", line)
    return shorter if 0 < count <= _COUNTERS and any(map(str.isalpha, line)) else line


def _repeated_groups(text: str) -> float:
    found = [_group_hashes(text[start : start + _PIECE]) for start in range(0, len(text), _PIECE)]
    groups = sum(len(hashes) for hashes, _ in found)
    return sum(_in_cycles(hashes, starts) for hashes, starts in found) / groups if groups else 0.0


def _in_cycles(hashes: NDArray[np.uint64], starts: NDArray[np.intp]) -> int:
    """Groups that came before at one distance twice running."""
    ordered = np.sort(hashes)
    if not (ordered[1:] == ordered[:-1]).any():
        return 0
    order = np.argsort(hashes, kind="stable")
    same = np.flatnonzero(hashes[order[1:]] == hashes[order[:-1]])
    if not len(same):
        return 0
    here, before = order[same + 1], order[same]
    distance = np.zeros(len(hashes), np.intp)
    distance[here] = starts[here] - starts[before]
    return int(np.count_nonzero(distance[here] == distance[before]))


def _group_hashes(piece: str) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
    codes = np.frombuffer(piece.encode("utf-32-le", "surrogatepass"), np.uint32)
    if len(codes) <= _GROUP:
        return np.empty(0, np.uint64), np.empty(0, np.intp)
    powers = _powers()
    # A polynomial hash of all that stands before each place: two of them give the hash of what is between.
    before = np.zeros(len(codes) + 1, np.uint64)
    np.cumsum((codes + np.uint32(1)) * powers[: len(codes)], out=before[1:])
    last = len(codes) - _GROUP
    starts = np.flatnonzero((codes[1 : last + 1] > 32) & (codes[:last] <= 32)) + 1
    if len(starts) * _LONG_WORD < len(codes):
        starts = np.arange(0, last + 1)
    return (before[starts + _GROUP] - before[starts]) * powers[_PIECE - starts], starts


_POWERS: list[NDArray[np.uint64]] = []


def _powers() -> NDArray[np.uint64]:
    if not _POWERS:
        factors = np.full(_PIECE + 1, _FACTOR, np.uint64)
        factors[0] = 1
        _POWERS.append(np.cumprod(factors, dtype=np.uint64))
    return _POWERS[0]


def _compression(text: str) -> float:
    data = text[:_PACKED].encode("utf-8", "surrogatepass")
    # A window that holds all of the data packs it alike: the smallest one costs half of the largest.
    window = min(max((len(data) + _LOOKAHEAD).bit_length(), _MIN_WINDOW), zlib.MAX_WBITS)
    packer = zlib.compressobj(1, zlib.DEFLATED, window)
    return max(len(data) / (len(packer.compress(data)) + len(packer.flush())), 1.0)
