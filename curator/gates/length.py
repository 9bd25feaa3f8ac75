"""Too short to teach a quantiser anything."""

from __future__ import annotations

import re

from curator.gates.drop import Drop

# White space, and characters that show nothing: a text of these alone is blank.
_UNSEEN = re.compile("[\\s\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]*")


def check_length(text: str, min_chars: int) -> Drop | None:
    """Refuse blank text and text shorter than ``min_chars`` characters without what surrounds it unseen."""
    before, behind = _unseen(text), _unseen(text[::-1])
    if before == len(text):
        return Drop("empty", "no visible character")
    visible = len(text) - before - behind
    if visible < min_chars:
        return Drop("short", f"{visible} characters, fewer than {min_chars}")
    return None


def _unseen(text: str) -> int:
    match = _UNSEEN.match(text)
    return match.end() if match else 0
