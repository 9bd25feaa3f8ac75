"""Marks around what a row gives to a chat template, so that the template's own text can be told from it."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable
from typing import Any

# Private-use characters, as those of stand-ins; drawn anew by every process, so that no document can know them.
_KEY = "".join(chr(0xF0010 + int(digit, 16)) for digit in secrets.token_hex(4))
_OPEN, _CLOSE = f"{_KEY}\U000f0020", f"{_KEY}\U000f0021"
_EITHER = re.compile(f"{_OPEN}|{_CLOSE}")
# Templates trim: the white space at a value's ends stays outside of the marks.
_WHOLE = re.compile(r"\S(?:.*\S)?", re.DOTALL)
# Templates look things up by keys, and compare these values with fixed words.
_COMPARED = frozenset({"role", "type"})


class Marks:
    """Puts marks around the values of a row.

    A control token whose text came together from a value, or from a value and the template, has a mark in it.

    Args:
        written: the texts of all control tokens.
    """

    def __init__(self, written: Iterable[str]) -> None:
        signs = sorted({sign for text in written for sign in text if not sign.isalnum() and not sign.isspace()})
        self._signs = re.compile(f"[{re.escape(''.join(signs))}]") if signs else None

    def whole(self, value: Any) -> Any:
        """``value``, a JSON value, with marks around each text in it; of keys around the signs alone."""
        return _mapped(value, lambda text: _WHOLE.sub(_between, text), self._around_signs)

    def signs(self, value: Any) -> Any:
        """``value`` with marks around each sign that control tokens are written with, such as ``<``.

        A template that looks into a text mostly finds what it looks for in this one still.
        """
        return _mapped(value, self._around_signs, self._around_signs)

    def _around_signs(self, text: str) -> str:
        return self._signs.sub(_between, text) if self._signs else text


def unmarked(text: str) -> str:
    """``text`` without marks."""
    return _EITHER.sub("", text)


def _between(match: re.Match[str]) -> str:
    return f"{_OPEN}{match.group()}{_CLOSE}"


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
