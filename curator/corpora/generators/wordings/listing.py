"""Words in a row, as the two languages write them."""

from __future__ import annotations

from collections.abc import Sequence

# Texts, because lists of twenty would take twenty lines each.
_ENGLISH = (  # noqa: SIM905
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
).split()
_CHINESE = "零一两三四五六七八九十"


def listed(language: str, words: Sequence[str]) -> str:
    """``a``, ``a and b``, or ``a, b and c``."""
    comma, last = (", ", " and ") if language == "en" else ("、", "和")
    return comma.join(words[:-1]) + last + words[-1] if len(words) > 1 else words[0]


def numeral(language: str, number: int) -> str:
    """A number from 0 to 20 in words, in Chinese as it is said before a counter; others in digits."""
    if language == "en":
        return _ENGLISH[number] if number < len(_ENGLISH) else str(number)
    if number < len(_CHINESE):
        return _CHINESE[number]
    if number > 20:
        return str(number)
    return "二十" if number == 20 else "十" + ("二" if number == 12 else _CHINESE[number - 10])


def quoted(language: str, name: str) -> str:
    """A name in the language's quotation marks."""
    return f'"{name}"' if language == "en" else f"“{name}”"
