"""Text that says the same again: repeated lines, repeated word groups, text that packs to next to nothing."""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from curator.gates.drop import Drop

if TYPE_CHECKING:
    from zstandard import ZstdCompressor

# Part of every stored score: scores of two versions are not compared.
VERSION = "2"
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
_DIGITS = b"0123456789"
_MARKS = " \t|+-=_*#~.,:;()[]{}<>/\\\"'`"
# Lines that come so often, so many in a row, are no refrain and no form.
_TIMES, _RUN = 5, 4
# Characters of a word group: six words or so. From every word's start on, or from every character on where
# words are longer than this on average, as in scripts without spaces.
_GROUP, _LONG_WORD, _SPACE = 32, 40, 32
# Characters of a text that are packed; it packs alike whatever its length from here on.
_PACKED, _LEVEL = 1 << 15, 1
_FACTOR, _HALF = 0x9E3779B97F4A7C15, np.uint64(32)
# Characters of a text in which word groups are looked for at a time, and of many texts looked at together: more of
# them fill the processor's caches, fewer not the arrays.
_PIECE, _TOGETHER = 1 << 16, 1 << 15
_BETWEEN = "\n"


Hashes = NDArray[np.uint64]
Places = NDArray[np.intp]


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
    """See `measure_repetitions`."""
    return measure_repetitions([text])[0]


def measure_repetitions(texts: Sequence[str]) -> list[Repetition]:
    """Measure how much of each text repeats itself; a short text only where it says one thing over and over.

    The same, and faster, for many texts at once.
    """
    long = [text for text in texts if len(text) >= _MIN_CHARS]
    ngrams, packed = iter(_repeated_groups(long)), map(_compression, long)
    return [
        Repetition(_repeated_lines(text), next(ngrams), next(packed))
        if len(text) >= _MIN_CHARS
        else Repetition(_repeated_lines(text), 0.0, 1.0)
        for text in texts
    ]


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


def _repeated_groups(texts: Sequence[str]) -> list[float]:
    found, groups = [0] * len(texts), [0] * len(texts)
    for pieces in _pieces_together(texts):
        hashed = _group_hashes([piece for _, piece in pieces])
        for (number, _), (hashes, starts) in zip(pieces, hashed, strict=True):
            found[number] += _in_cycles(hashes, starts)
            groups[number] += len(hashes)
    return [repeated / max(total, 1) for repeated, total in zip(found, groups, strict=True)]


def _pieces_together(texts: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
    """Pieces of texts to be hashed together, each with its text's number."""
    pieces: list[tuple[int, str]] = []
    chars = 0
    for number, text in enumerate(texts):
        for start in range(0, len(text), _PIECE):
            piece = text[start : start + _PIECE]
            if pieces and chars + len(piece) > _TOGETHER:
                yield pieces
                pieces, chars = [], 0
            pieces.append((number, piece))
            chars += len(piece) + len(_BETWEEN)
    if pieces:
        yield pieces


def _group_hashes(pieces: list[str]) -> Iterator[tuple[Hashes, Places]]:
    """Hashes of each piece's word groups, with the places where they begin."""
    joined = _BETWEEN.join(pieces)
    codes = (
        np.frombuffer(joined.encode("ascii"), np.uint8)
        if joined.isascii()
        else np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
    )
    ends = list(itertools.accumulate(len(piece) + len(_BETWEEN) for piece in pieces))
    starts = np.flatnonzero(_group_starts(codes > _SPACE, [0, *ends]))
    powers = _powers()
    # A polynomial hash of all that stands before each place: two of them give the hash of what is between.
    values = codes.astype(np.uint64)
    values += np.uint64(1)
    values *= powers[: len(codes)]
    before = np.zeros(len(codes) + 1, np.uint64)
    np.cumsum(values, out=before[1:])
    hashes = (before.take(starts + _GROUP) - before.take(starts)) * powers.take(len(powers) - 1 - starts)
    bounds = np.searchsorted(starts, ends).tolist()
    return ((hashes[first:last], starts[first:last]) for first, last in itertools.pairwise([0, *bounds]))


def _group_starts(visible: NDArray[np.bool_], bounds: list[int]) -> NDArray[np.bool_]:
    """Where word groups begin: at each word but a piece's first, and no later than a group before its end.

    Args:
        visible: whether each character is none that separates words.
        bounds: where each piece begins, and behind the last.
    """
    found = np.zeros(len(visible), bool)
    np.greater(visible[1:], visible[:-1], out=found[1:])
    for start, end in itertools.pairwise(bounds):
        last = max(end - len(_BETWEEN) - _GROUP + 1, start)
        found[start], found[last:end] = False, False
        if np.count_nonzero(found[start:last]) * _LONG_WORD < end - len(_BETWEEN) - start:
            found[start:last] = True
    return found


def _in_cycles(hashes: Hashes, starts: Places) -> int:
    """Groups that came before at one distance twice running."""
    # Half of a hash is sorted faster, and tells all but a few texts that have no group twice.
    ordered = (hashes >> _HALF).astype(np.uint32)
    ordered.sort()
    if not np.count_nonzero(ordered[1:] == ordered[:-1]):
        return 0
    order = np.argsort(hashes, kind="stable")
    same = np.flatnonzero(hashes[order[1:]] == hashes[order[:-1]])
    if not len(same):
        return 0
    here, before = order[same + 1], order[same]
    distance = np.zeros(len(hashes), np.intp)
    distance[here] = starts[here] - starts[before]
    return int(np.count_nonzero(distance[here] == distance[before]))


@functools.cache
def _powers() -> Hashes:
    factors = np.full(_PIECE + len(_BETWEEN) + 1, _FACTOR, np.uint64)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)


def _compression(text: str) -> float:
    data = text[:_PACKED].encode("utf-8", "surrogatepass")
    return max(len(data) / len(_packer().compress(data)), 1.0)


@functools.cache
def _packer() -> ZstdCompressor:
    import zstandard

    # Its tables are made once: a third of what zlib costs, which makes them for every text.
    return zstandard.ZstdCompressor(level=_LEVEL, write_content_size=False)
