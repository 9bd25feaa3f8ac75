"""Cheap looks at many texts at once: which of them may hold a string of some shape.

Nearly all texts hold none, and cost a few passes over bytes. A clue may be there without a string, never the other
way round.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from string import ascii_letters, digits, hexdigits

import numpy as np
from numpy.typing import NDArray

from curator.gates.random_text.broken_encodings import LEAST_BROKEN, suspicious_places
from curator.gates.random_text.byte_lists import LEAST_BYTES
from curator.gates.random_text.digit_groups import LEAST_DIGITS
from curator.gates.random_text.stray_characters import LEAST_STRAY, stray_places

# A byte's bits say what it may be part of. A gap's is the one above a hexadecimal digit's.
_RUN, _GROUP, _DIGIT, _HYPHEN, _HEXADECIMAL, _GAP = (np.uint8(1 << bit) for bit in range(6))
_CHARS = {
    _RUN: f"{ascii_letters}{digits}+/_-",
    _GROUP: f"{digits}. \n",
    _DIGIT: digits,
    _HYPHEN: "-",
    _HEXADECIMAL: hexdigits,
    _GAP: " :-,\n\t",
}
_BITS = bytes(sum(int(bit) for bit, chars in _CHARS.items() if chr(code) in chars) for code in range(256))
_LEAST_RUN = 16
"""Characters of the shortest run of base64's characters that is looked at."""
_LONGEST_STEP = 6
"""Characters from one byte of a list to the next: ``0x``, two digits and two gaps."""
_HYPHENS = 4
"""Of a UUID, each between hexadecimal digits."""
# Stands between texts: in no string of any shape.
_BETWEEN = "\0"
_LAST_BYTE = np.uint32(0xFF)

Bits = NDArray[np.uint8]
Places = NDArray[np.intp]


class Clues:
    """What texts may hold.

    Args:
        texts: any texts, at least one.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._ends = np.array(list(itertools.accumulate(len(text) + 1 for text in texts)))
        joined = _BETWEEN.join([*texts, ""])
        self._codes: NDArray[np.uint32] | None = None
        if joined.isascii():
            data = joined.encode("ascii")
        else:
            self._codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
            data = np.minimum(self._codes, _LAST_BYTE).astype(np.uint8).tobytes()
        self._bits = np.frombuffer(data.translate(_BITS), np.uint8)

    def runs(self) -> Iterator[tuple[int, int, int]]:
        """Runs of base64's characters that have a digit, or may be a UUID: number of the text, start and end."""
        within = _places(_all_of(self._bits, _LEAST_RUN) & _RUN)
        if not len(within):
            return
        breaks = np.flatnonzero(np.diff(within) > 1)
        starts = within.take(np.append(0, breaks + 1))
        ends = within.take(np.append(breaks, -1)) + _LEAST_RUN
        # Names and paths have no digit; random strings of every kind do.
        kept = self._count(_DIGIT, starts, ends) > 0
        kept |= self._count(_HYPHEN, starts, ends) >= _HYPHENS
        starts, ends = starts.compress(kept), ends.compress(kept)
        owners = np.searchsorted(self._ends, starts, "right").tolist()
        for text, start, end in zip(owners, starts.tolist(), ends.tolist(), strict=True):
            first = int(self._ends[text - 1]) if text else 0
            yield text, start - first, end - first

    def byte_lists(self) -> list[int]:
        """Texts with bytes in hexadecimal, each before a gap, at equal steps."""
        listed = _places((_all_of(self._bits, 2)[:-1] & _HEXADECIMAL) << np.uint8(1) & self._bits[2:])
        steps = np.diff(listed)
        even = (steps[1:] == steps[:-1]) & (steps[1:] <= _LONGEST_STEP)
        # A list's last byte may stand before anything; of the others two steps each are compared.
        return self._often(listed.take(_places(_all_of(even.view(np.uint8), LEAST_BYTES - 3))), 1)

    def digit_groups(self) -> list[int]:
        """Texts with a long run of digits, points and white space."""
        return self._often(_places(_all_of(self._bits, LEAST_DIGITS) & _GROUP), 1)

    def broken_encodings(self) -> list[int]:
        """Texts with characters that another encoding has for letters of UTF-8."""
        places = () if self._codes is None else suspicious_places(self._codes)
        return sorted({text for one in places for text in self._often(one, LEAST_BROKEN)})

    def stray_characters(self) -> list[int]:
        """Texts with many characters beyond the first plane."""
        return [] if self._codes is None else self._often(stray_places(self._codes), LEAST_STRAY)

    def _count(self, bit: np.uint8, starts: Places, ends: Places) -> Places:
        """How many characters of a kind are between."""
        places = _places(self._bits & bit)
        return places.searchsorted(ends) - places.searchsorted(starts)

    def _often(self, places: Places, least: int) -> list[int]:
        """Texts that have at least so many of the places."""
        if len(places) < least:
            return []
        counts = np.diff(places.searchsorted(self._ends), prepend=0)
        found: list[int] = np.flatnonzero(counts >= least).tolist()
        return found


def _all_of(bits: Bits, length: int) -> Bits:
    """The bits that so many neighbours from each place on have in common; none where too few follow."""
    reached, common = 1, bits
    while reached < length and len(common):
        step = min(reached, length - reached)
        common = common[:-step] & common[step:]
        reached += step
    return common


def _places(bits: Bits) -> Places:
    # Of flags numpy finds those that are set several times as fast as of numbers.
    return np.flatnonzero(bits != 0)
