"""Bytes written one by one in hexadecimal, and lists of hardware addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

LEAST_BYTES = 12
"""Bytes of the shortest list: two hardware addresses."""
_HEXADECIMAL, _GAP = b"0123456789abcdefABCDEF", b" :-,\n\t"
_CLASSES = bytes.maketrans(_HEXADECIMAL + _GAP, b"." * len(_HEXADECIMAL) + b"," * len(_GAP))
# Few texts have any of these, and no others are searched.
_CANDIDATES = tuple(byte * (LEAST_BYTES - 1) for byte in (b"..,", b"..,,", b".x..,", b".x..,,"))
_BYTE = "(?:0x)?[0-9a-fA-F]{2}"
_LIST = re.compile(rf"(?<![0-9A-Za-z]){_BYTE}(?:[ :,\n\t-]{{1,3}}{_BYTE}){{{LEAST_BYTES - 1},}}(?![0-9A-Za-z])")
_HEX = re.compile("[0-9a-fA-F]{2}(?![0-9a-zA-Z])")
_MIXED = 0.2
"""Of random bytes 61 in 100 have a letter, and 86 a digit."""
_DISTINCT, _MOST_DISTINCT = 0.4, 40
"""Share of the bytes that differ, in a list that is not mostly zeros; random ones are 256."""


def find_byte_lists(text: str) -> Iterator[tuple[int, int, str]]:
    """Lists of random bytes as (start, end, kind)."""
    classes = text.encode("ascii", "replace").translate(_CLASSES)
    if any(candidate in classes for candidate in _CANDIDATES):
        for found in _LIST.finditer(text):
            if _is_random(found.group()):
                yield (*found.span(), "hex")


def _is_random(run: str) -> bool:
    listed = _HEX.findall(run.lower())
    with_letter = sum(not one.isdigit() for one in listed)
    with_digit = sum(not one.isalpha() for one in listed)
    distinct = len(set(listed)) >= min(_DISTINCT * len(listed), _MOST_DISTINCT)
    return distinct and min(with_letter, with_digit) >= _MIXED * len(listed)
