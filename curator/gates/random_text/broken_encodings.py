"""Text that was read in another encoding than it was written in: UTF-8 taken for cp1252, KOI8-R, GBK ..."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from curator.gates.random_text.symbols import code_points

_SINGLE = ("cp1252", "koi8_r", "cp437", "cp850", "mac_roman", "cp1251", "cp866", "cp1250")
"""Encodings of one byte a character; a bit for each."""
_SPARSE = ("cp1252", "koi8_r")
"""Those whose broken letters cannot be mistaken: they count with good ones between, as in French."""
_CYRILLIC = ("cp1251", "cp866")
"""In these only pairs count: three small letters of theirs may look like one of UTF-8."""
_NEAR, _FAR = 3, 60
"""Characters from one broken letter to the next at most, and for ``_SPARSE``."""
_DOUBLE = {"gbk": (0xC2, 0x80, 0xA0), "shift_jis": (0xE0, 0x80, 0xBF), "big5": (0xE3, 0xA1, 0xBF)}
"""Encodings of two bytes, with the least first and the least and most second byte of the characters that UTF-8 is
turned into and text seldom has."""
_LAST_ASCII = 0x7F
_INDIC, _LAST_LEAD = 0xE0, 0xEF
LEAST_BROKEN = 8
"""Letters of UTF-8, near to each other, that no text in the other encoding has by chance."""
_DECODED = 0.6
"""Share of the bytes that must be letters of UTF-8."""
_RIGHT = 0.8
"""Share of bytes of an encoding of two that are letters of UTF-8; by chance they are in a few words on end."""
_DISTINCT = 3
_RARE = 0.03
"""Share of a text that such characters are where any of it is looked at: in Japanese they are up to 0.02."""
_LETTERS = (0.1, 0.8)
"""Share of letters among the signs that broken letters are made of: pictures have none, good words little else."""
_LATIN = "\u036f"
"""Of two bytes, as are some kana in Big5; in Latin letters there would be others between."""
_DRAWING = ("cp437", "cp850", "cp866")
_LOST = "\ufffd"
# As readers do that replace each byte that they cannot decode.
_REPLACED = re.compile("\ufffd[\ufffd\x00-@]{22,}\ufffd")
_MOSTLY = 0.7
_FOREIGN = re.compile(r"[^\x00-\x7f]+(?:[\x00-@]{1,4}[^\x00-\x7f]+)*")

_LEAD, _REST, _RARE_ONE = (np.uint8(1 << bit) for bit in range(3))

Bits = NDArray[np.uint8]
Places = NDArray[np.intp]


def find_broken_encodings(text: str) -> Iterator[tuple[int, int, str]]:
    """Stretches, as (start, end, kind), in no order; two may overlap."""
    if text.count(_LOST) > LEAST_BROKEN:
        yield from _replaced(text)
    codes = code_points(text)
    foreign = codes > _LAST_ASCII
    first = np.flatnonzero(foreign[:-1] & foreign[1:])
    leads, rests, rare = _tables()
    for codec in _often(leads.take(codes.take(first)) & rests.take(codes.take(first + 1)), _SINGLE, LEAST_BROKEN):
        yield from _single(text, codec)
    for codec in _often(rare.take(codes.compress(foreign)), _DOUBLE, max(LEAST_BROKEN, round(_RARE * len(codes)))):
        yield from _double(text, codec)


def suspicious_places(codes: NDArray[np.uint32]) -> tuple[Places, Places, Places]:
    """Where texts have what they must have `LEAST_BROKEN` times and more of one kind to be searched.

    Args:
        codes: code points of one or more texts.

    Returns:
        Places of lost characters, of two that may be a letter, and of the rare ones of two bytes.
    """
    plane = np.minimum(codes, len(_roles()) - 1)
    roles = _roles().take(plane)
    pairs = np.flatnonzero((roles[:-1] & roles[1:] >> 1 & _LEAD) != 0)
    leads, rests, _ = _tables()
    both = leads.take(plane.take(pairs)) & rests.take(plane.take(pairs + 1))
    return np.flatnonzero(codes == ord(_LOST)), pairs.compress(both != 0), np.flatnonzero((roles & _RARE_ONE) != 0)


def _often(bits: Bits, codecs: Iterable[str], least: int) -> Iterator[str]:
    """Encodings whose bit is set at least so often."""
    if np.count_nonzero(bits) >= least:
        for place, codec in enumerate(codecs):
            if np.count_nonzero(bits & np.uint8(1 << place)) >= least:
                yield codec


def _replaced(text: str) -> Iterator[tuple[int, int, str]]:
    for found in _REPLACED.finditer(text):
        if found.group().count(_LOST) >= _MOSTLY * (found.end() - found.start()):
            yield (*found.span(), "mojibake")


def _single(text: str, codec: str) -> Iterator[tuple[int, int, str]]:
    run: list[re.Match[str]] = []
    reach = _FAR if codec in _SPARSE else _NEAR
    for found in _letter(codec).finditer(text):
        if run and found.start() - run[-1].end() > reach:
            yield from _broken(run, codec)
            run = []
        run.append(found)
    yield from _broken(run, codec)


def _broken(run: list[re.Match[str]], codec: str) -> Iterator[tuple[int, int, str]]:
    if len(run) < LEAST_BROKEN:
        return
    chars = "".join(letter.group() for letter in run)
    letters = sum(map(str.isalpha, chars)) / sum(not char.isspace() for char in chars)
    if letters < _LETTERS[0] or (codec in _SPARSE and letters > _LETTERS[1]):
        return
    raw = bytes(_bytes(codec).get(char, ord("?")) for char in chars)
    decoded = [char for char in raw.decode("utf-8", "ignore") if char > "\x7f"]
    # Frames and shades are drawn with the others' signs; broken twice, letters are no letters.
    least = _DECODED if codec in _DRAWING else 0
    if len(set(decoded)) >= _DISTINCT and sum(map(str.isalpha, decoded)) >= least * len(decoded):
        yield run[0].start(), run[-1].end(), "mojibake"


def _double(text: str, codec: str) -> Iterator[tuple[int, int, str]]:
    for found in _FOREIGN.finditer(text):
        raw = found.group().replace(_LOST, "?").encode(codec, "replace")
        decoded = raw.decode("utf-8", "ignore")
        foreign = [char for char in decoded if char > "\x7f"]
        letters = [char for char in foreign if char.isalpha() and char > _LATIN]
        right = sum(len(char.encode()) for char in foreign) / max(sum(byte > 0x7F for byte in raw), 1)
        if (
            right >= _RIGHT
            and len(letters) >= max(_DECODED * len(foreign), LEAST_BROKEN)
            and len(set(letters)) >= _DISTINCT
        ):
            yield (*found.span(), "mojibake")


@functools.cache
def _tables() -> tuple[Bits, Bits, Bits]:
    """What a character stands for, by code point of the first plane, with a bit for each encoding.

    The first byte of a letter in UTF-8; a further byte; and in encodings of two bytes one that broken text has.
    """
    leads, rests, rare = (np.zeros(1 << 16, np.uint8) for _ in range(3))
    for bit, codec in enumerate(_SINGLE):
        for char, byte in _bytes(codec).items():
            table = rests if byte < 0xC0 else leads
            table[ord(char)] |= 1 << bit
    rests[ord(_LOST)] = 0xFF
    for bit, (codec, (least, low, high)) in enumerate(_DOUBLE.items()):
        for first in range(least, _LAST_LEAD + 1):
            # Thai and Indic letters begin so; of GBK's characters there few are in use.
            for second in range(low, 0xC0 if first == _INDIC else high + 1):
                char = bytes((first, second)).decode(codec, "ignore")
                if len(char) == 1 and char > "\x7f":
                    rare[ord(char)] |= 1 << bit
    return leads, rests, rare


@functools.cache
def _roles() -> Bits:
    """By code point, bits for a first byte of any of the encodings, a further one, and a rare character."""
    leads, rests, rare = _tables()
    foreign = np.arange(len(leads)) > _LAST_ASCII
    return ((leads > 0) * _LEAD | (rests > 0) * _REST | (rare > 0) * _RARE_ONE) * foreign.view(np.uint8)


@functools.cache
def _bytes(codec: str) -> dict[str, int]:
    """Byte of each character that stands for one of a letter of two bytes and more in UTF-8."""
    out = {bytes([byte]).decode(codec, "replace"): byte for byte in (*range(0x80, 0xC0), *range(0xC2, 0xF5))}
    if codec == "cp1252":
        # Latin-1 has controls there.
        out |= {chr(byte): byte for byte in range(0x80, 0xA0)}
    out.pop(_LOST, None)
    return out


@functools.cache
def _letter(codec: str) -> re.Pattern[str]:
    """A letter of UTF-8; a further byte may be lost, or a space where it was one that breaks no line."""
    two, three, four, rest = (
        "".join(re.escape(char) for char, byte in _bytes(codec).items() if low <= byte < high)
        for low, high in ((0xC0, 0xE0), (0xE0, 0xF0), (0xF0, 0xF8), (0x80, 0xC0))
    )
    rest = f"[{rest}{_LOST} ]"
    longer = "" if codec in _CYRILLIC else f"|[{three}]{rest}{{2}}|[{four}]{rest}{{3}}"
    return re.compile(f"[{two}]{rest}{longer}")
