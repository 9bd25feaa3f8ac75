"""Random strings by shape: UUIDs, hexadecimal, base64, base32."""

from __future__ import annotations

import re

from curator.gates.drop import Drop

_UUID = r"(?P<uuid>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"
# A whole run of base64's characters (both alphabets); what is random among them is decided by its letters.
_RUN = r"(?P<run>(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2})"
_CANDIDATE = re.compile(f"{_UUID}|{_RUN}")
_HEX = re.compile(r"\b(?:0x)?[0-9a-fA-F]{16,}\b")
_BASE32 = re.compile(r"[A-Z2-7]{24,}={0,6}")
# From one kind of character (upper, lower, digit) to another.
_CHANGE = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[a-z0-9])|(?<=[0-9])(?=[A-Za-z])")
_MIN_BASE64 = 24
# Neighbours of random base64 are of different kinds 64 times in 100 (26, 26 and 10 of 64 characters); in
# paths and in names written together fewer than 35 times.
_BASE64_CHANGES = 0.42
# Random base32 has 19 digits in 100 characters; constants written in capitals have none or a few.
_BASE32_DIGITS = 0.08


def random_share(text: str) -> float:
    """Share of the non-space characters that lie in random strings.

    These are UUIDs, hexadecimal (16 characters and more), base64 and base32 (24 and more).
    """
    solid = len("".join(text.split()))
    random = sum(
        len(match.group()) if match.lastgroup == "uuid" else _random_chars(match.group())
        for match in _CANDIDATE.finditer(text)
    )
    return random / solid if solid else 0.0


def check_random_text(text: str, max_share: float) -> Drop | None:
    """Refuse text with more random strings than ``max_share`` of its characters."""
    share = random_share(text)
    if share > max_share:
        return Drop("random_text", f"{share:.0%} of the characters are UUIDs, hexadecimal or base64")
    return None


def _random_chars(run: str) -> int:
    """Characters of a run that are random: all of it, or the hexadecimal in it."""
    if _is_base64(run) or _is_base32(run):
        return len(run)
    return sum(len(match.group()) for match in _HEX.finditer(run) if _is_hex(match.group()))


def _is_hex(run: str) -> bool:
    # Digits alone are a number; letters alone may be a word.
    return any(char in "abcdefABCDEF" for char in run) and any(char in "0123456789" for char in run[2:])


def _is_base64(run: str) -> bool:
    if len(run) < _MIN_BASE64:
        return False
    changes = sum(1 for _ in _CHANGE.finditer(run))
    mixed = re.search("[a-z]", run) and re.search("[A-Z]", run) and re.search("[0-9]", run)
    return bool(mixed) and changes >= _BASE64_CHANGES * (len(run) - 1)


def _is_base32(run: str) -> bool:
    digits = sum(char in "234567" for char in run)
    return _BASE32.fullmatch(run) is not None and digits >= _BASE32_DIGITS * len(run)
