"""Random strings by shape: UUIDs, hexadecimal, base64."""

from __future__ import annotations

import re

from curator.gates.drop import Drop

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_HEX = r"\b(?=[0-9a-fA-F]*[0-9])(?=[0-9a-fA-F]*[a-fA-F])[0-9a-fA-F]{16,}\b"
# Mixed case and digits, no vowel pattern to check: 24 such characters in a row are no word of a language.
_BASE64 = r"(?<![A-Za-z0-9+/])(?=[A-Za-z0-9+/]*[0-9])(?=[A-Za-z0-9+/]*[a-z])(?=[A-Za-z0-9+/]*[A-Z])[A-Za-z0-9+]{24,}={0,2}"
_RANDOM = re.compile(f"{_UUID}|{_HEX}|{_BASE64}")


def random_share(text: str) -> float:
    """Share of the non-space characters that lie in UUIDs, hexadecimal (16 and more) or base64 (24 and more)."""
    solid = len("".join(text.split()))
    return sum(len(match.group()) for match in _RANDOM.finditer(text)) / solid if solid else 0.0


def check_random_text(text: str, max_share: float) -> Drop | None:
    """Refuse text with more random strings than ``max_share`` of its characters."""
    share = random_share(text)
    if share > max_share:
        return Drop("random_text", f"{share:.0%} of the characters are UUIDs, hexadecimal or base64")
    return None
