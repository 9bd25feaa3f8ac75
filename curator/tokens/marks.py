"""Marks around what a row gives to a chat template, so that the template's own text can be told from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

# Private-use characters, of another plane than stand-ins.
_FIRST = 0x100000
# Templates trim: the white space at a value's ends stays outside of the marks.
_WHOLE = re.compile(r"\S(?:.*\S)?", re.DOTALL)
# Keys that templates look up are made of these and of letters, and no bracket is among them.
_OF_KEYS = frozenset("_-.")
# Templates compare these values with fixed words.
_COMPARED = frozenset({"role", "type"})


def signs_of(written: Iterable[str]) -> re.Pattern[str] | None:
    """Finds the signs that control tokens are written with, such as ``<``; ``None`` when they have none."""
    signs = {sign for text in written for sign in text if not (sign.isalnum() or sign.isspace())} - _OF_KEYS
    return re.compile(f"[{re.escape(''.join(sorted(signs)))}]") if signs else None


class Marks:
    """Puts marks around the values of a row.

    A control token whose text came together from a value, or from a value and the template, has a mark in it.

    Args:
        signs: as `signs_of` makes it.
        text: what the template made of the values; the mark is a character that is not in it.
    """

    def __init__(self, signs: re.Pattern[str] | None, text: str) -> None:
        self._signs = signs
        self._mark = next(chr(code) for code in range(_FIRST, _FIRST + 0xFFFE) if chr(code) not in text)

    def whole(self, value: Any) -> Any:
        """``value``, a JSON value, with marks around each text in it, and around each sign, in keys too."""
        return _mapped(value, lambda text: _WHOLE.sub(self._between, self._around_signs(text)), self._around_signs)

    def signs(self, value: Any) -> Any:
        """``value`` with marks around each sign.

        A template that looks into a text mostly finds what it looks for in this one still.
        """
        return _mapped(value, self._around_signs, self._around_signs)

    def removed(self, text: str) -> str:
        """``text`` without marks."""
        return text.replace(self._mark, "")

    def _around_signs(self, text: str) -> str:
        return self._signs.sub(self._between, text) if self._signs else text

    def _between(self, match: re.Match[str]) -> str:
        return f"{self._mark}{match.group()}{self._mark}"


def _mapped(value: Any, change: Callable[[str], str], change_word: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {
            change_word(key): _mapped(entry, change_word if key in _COMPARED else change, change_word)
            for key, entry in value.items()
        }
    if isinstance(value, list | tuple):
        return [_mapped(entry, change, change_word) for entry in value]
    return value
