"""Too short to teach a quantiser anything."""

from __future__ import annotations

from curator.gates.drop import Drop

# White space, and characters that show nothing: a text of these alone is blank.
_UNSEEN = "".join(filter(str.isspace, map(chr, range(0x3001)))) + "".join(
    map(chr, [0xAD, 0x180E, *range(0x200B, 0x2010), *range(0x2060, 0x2065), 0xFEFF])
)


def visible_chars(text: str) -> int:
    """Characters of a text without the unseen ones that surround it; 0 for a blank text."""
    return len(text.strip(_UNSEEN))


def check_length(chars: int, min_chars: int) -> Drop | None:
    """Refuse blank text, and text of fewer than ``min_chars`` visible characters."""
    if chars == 0:
        return Drop("empty", "no visible character")
    return Drop("short", f"{chars} characters, fewer than {min_chars}") if chars < min_chars else None
