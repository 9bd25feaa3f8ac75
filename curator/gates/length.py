"""Too short to teach a quantiser anything."""

from __future__ import annotations

from curator.gates.drop import Drop

# Characters that show nothing: a text of these alone is blank.
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff"


def check_length(text: str, min_chars: int) -> Drop | None:
    """Refuse blank text and text shorter than ``min_chars`` characters without surrounding space."""
    visible = text.strip().strip(_INVISIBLE).strip()
    if not visible:
        return Drop("empty", "no visible character")
    if len(visible) < min_chars:
        return Drop("short", f"{len(visible)} characters, fewer than {min_chars}")
    return None
