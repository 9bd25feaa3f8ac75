"""Random strings by their shape: UUIDs, hexadecimal, base64, base32, digits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from curator.gates.random_text.broken_encodings import find_broken_encodings
from curator.gates.random_text.byte_lists import find_byte_lists
from curator.gates.random_text.clues import Clues
from curator.gates.random_text.digit_groups import find_digit_groups
from curator.gates.random_text.found import RandomSpan
from curator.gates.random_text.stray_characters import find_stray_characters

Shape = tuple[int, int, str]
"""Where a string begins and ends, and its kind."""

_UUID = r"(?P<uuid>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"
# A whole run of base64's characters (both alphabets); what is random among them is decided by its letters.
_RUN = r"(?P<run>(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2})"
_CANDIDATE = re.compile(f"{_UUID}|{_RUN}")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?[0-9a-fA-F]{16,}(?![0-9A-Za-z])")
_BASE32 = re.compile(r"[A-Z2-7]{24,}={0,6}")
_DIGITS = re.compile(r"[0-9]{24,}")
_SMALL, _CAPITAL, _DIGIT = re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]")
# From one kind of character (upper, lower, digit) to another.
_CHANGE = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[a-z0-9])|(?<=[0-9])(?=[A-Za-z])")
_MIN_BASE64 = 24
# Neighbours of random base64 are of different kinds 64 times in 100 (26, 26 and 10 of 64 characters); in
# paths and in names written together fewer than 35 times.
_BASE64_CHANGES = 0.42
# Random base32 has 19 digits in 100 characters; constants written in capitals have none or a few.
_BASE32_DIGITS = 0.08
# The longest digest that files carry for a purpose: SHA-512 in hexadecimal.
_LONGEST_DIGEST = 128
_NEVER_CARRIED = ("mojibake", "characters")
# A name or a key before a digest, or a file's name behind it, are within this reach on the same line.
_REACH = 120
_NAME = re.compile(r"[^\W\d_]{2,}")
# UUIDs on end with no more than a key between are a list, whatever the key is; those of an object in JSON have
# quotes around them.
_KEY = re.compile(r"[\w\s:=.,;#-]{1,12}")
_LISTED = 4
# Where more of a text than this is digests, names between them do not make it a text.
_MAX_CARRIED = 0.85


def find_shapes(text: str) -> list[RandomSpan]:
    """See `find_all_shapes`."""
    return find_all_shapes([text])[0]


def find_all_shapes(texts: Sequence[str]) -> list[list[RandomSpan]]:
    """Random strings by shape in each text, in order, those left out that a text carries for a purpose.

    A digest of a lock file, the id of a commit or of an object in JSON stands next to a name, on its line and
    apart from other random strings. Lists of bare ids, and strings longer than any digest, have none.
    """
    return [_bare(text, shapes) if shapes else [] for text, shapes in zip(texts, _shapes(texts), strict=True)]


def _shapes(texts: Sequence[str]) -> list[list[Shape]]:
    """All shapes of each text, in no order; only what has a clue is searched."""
    clues = Clues(texts)
    found: list[list[Shape]] = [[] for _ in texts]
    for number, start, end in clues.runs():
        # Two signs of equality may follow.
        found[number] += _strings(texts[number], start, end + 2)
    for numbers, finder in (
        (clues.byte_lists(), find_byte_lists),
        (clues.digit_groups(), find_digit_groups),
        (clues.broken_encodings(), find_broken_encodings),
        (clues.stray_characters(), find_stray_characters),
    ):
        for number in numbers:
            found[number] += finder(texts[number])
    return found


def _bare(text: str, shapes: list[Shape]) -> list[RandomSpan]:
    spans = [RandomSpan(start, end, kind, 1.0) for start, end, kind in _apart(shapes)]
    listed = _listed(text, spans)
    bare = [span for place, span in enumerate(spans) if place in listed or not _is_carried(text, spans, place)]
    covered = sum(span.end - span.start for span in spans)
    return spans if covered > _MAX_CARRIED * len("".join(text.split())) else bare


def _apart(shapes: Iterable[Shape]) -> Iterator[Shape]:
    """Shapes in order, without those that begin within another."""
    end = 0
    for start, stop, kind in sorted(shapes):
        if start >= end:
            end = stop
            yield start, stop, kind


def _strings(text: str, start: int, end: int) -> Iterator[Shape]:
    for match in _CANDIDATE.finditer(text, start, end):
        if match.lastgroup == "uuid":
            yield (*match.span(), "uuid")
        else:
            yield from _in_run(match.group(), match.start())


def _in_run(run: str, offset: int) -> Iterator[Shape]:
    """What is random of a run: all of it, or the hexadecimal in it."""
    # Names and paths have none; random strings of every kind do.
    if _DIGIT.search(run) is None:
        return
    if _is_base64(run):
        yield offset, offset + len(run), "base64"
    elif _is_base32(run):
        yield offset, offset + len(run), "base32"
    elif _DIGITS.fullmatch(run):
        yield offset, offset + len(run), "digits"
    else:
        for match in _HEX.finditer(run):
            if _is_hex(match.group()):
                yield offset + match.start(), offset + match.end(), "hex"


def _listed(text: str, spans: list[RandomSpan]) -> set[int]:
    """Places of the UUIDs that are of a list."""
    listed: set[int] = set()
    first = 0
    for place in range(1, len(spans) + 1):
        if place < len(spans) and _goes_on(text, spans[place - 1], spans[place]):
            continue
        if place - first >= _LISTED:
            listed.update(range(first, place))
        first = place
    return listed


def _goes_on(text: str, one: RandomSpan, other: RandomSpan) -> bool:
    return one.kind == other.kind == "uuid" and _KEY.fullmatch(text, one.end, other.start) is not None


def _is_carried(text: str, spans: list[RandomSpan], place: int) -> bool:
    span = spans[place]
    if span.end - span.start > _LONGEST_DIGEST or span.kind in _NEVER_CARRIED:
        return False
    behind = spans[place - 1].end if place else 0
    before = spans[place + 1].start if place + 1 < len(spans) else len(text)
    line = max(text.rfind("\n", behind, span.start) + 1, behind, span.start - _REACH)
    stop = text.find("\n", span.end, min(before, span.end + _REACH))
    after = min(before, span.end + _REACH) if stop < 0 else stop
    return bool(_NAME.search(text, line, span.start) or _NAME.search(text, span.end, after))


def _is_hex(run: str) -> bool:
    # Digits alone are a number; letters alone may be a word.
    return any(char in "abcdefABCDEF" for char in run) and any(char in "0123456789" for char in run[2:])


def _is_base64(run: str) -> bool:
    if len(run) < _MIN_BASE64:
        return False
    mixed = _SMALL.search(run) and _CAPITAL.search(run) and _DIGIT.search(run)
    return bool(mixed) and sum(1 for _ in _CHANGE.finditer(run)) >= _BASE64_CHANGES * (len(run) - 1)


def _is_base32(run: str) -> bool:
    # Most runs are paths and names: not one of their characters is counted.
    if _BASE32.fullmatch(run) is None:
        return False
    return sum(char in "234567" for char in run) >= _BASE32_DIGITS * len(run)
