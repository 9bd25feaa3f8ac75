"""Too short to teach a quantiser anything."""

from __future__ import annotations

import re

from curator.gates.drop import Drop

# White space, and characters that show nothing: a text of these alone is blank.
_UNSEEN = re.compile("[\\s\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]*")


def visible_chars(text: str) -> int:
    """Characters of a text without the unseen ones that surround it; 0 for a blank text."""
    before = _unseen(text)
    return 0 if before == len(text) else len(text) - before - _unseen(text[::-1])


def check_length(chars: int, min_chars: int) -> Drop | None:
    """Refuse blank text, and text of fewer than ``min_chars`` visible characters."""
    if chars == 0:
        return Drop("empty", "no visible character")
    return Drop("short", f"{chars} characters, fewer than {min_chars}") if chars < min_chars else None


def _unseen(text: str) -> int:
    match = _UNSEEN.match(text)
    return match.end() if match else 0
