"""At most 400 characters of a text, from three places."""

from __future__ import annotations

MAX_CHARS = 400
_PART = MAX_CHARS // 3 - 1


def sample(text: str) -> str:
    """Head, middle and tail of a text, a line each, cut between words; a short text as it is.

    What a language costs to tell then does not grow with the text, and a text with a licence, an abstract or
    a foreword in another language at its head is judged by the rest of it too.
    """
    if len(text) <= MAX_CHARS:
        return text
    middle = (len(text) - _PART) // 2
    parts = (
        _without_last_word(text[:_PART]),
        _without_first_word(_without_last_word(text[middle : middle + _PART])),
        _without_first_word(text[-_PART:]),
    )
    return "\n".join(parts)


def _without_last_word(part: str) -> str:
    """Up to the last space; all of it where there is none, as in Chinese."""
    words = part.rsplit(maxsplit=1)
    return part[: len(part) - len(words[1])] if len(words) == 2 and not part[-1].isspace() else part


def _without_first_word(part: str) -> str:
    words = part.split(maxsplit=1)
    return words[1] if len(words) == 2 and not part[0].isspace() else part
