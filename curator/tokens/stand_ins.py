"""Stand-ins for text that a chat template must pass through without seeing it."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from typing import Any

from curator.corpora.readers.plain_text import without_surrogates
from curator.tokens.plain_text import Parts, Span

# Private-use characters: templates neither trim, fold nor escape them, and no vocabulary has them.
_DIGIT = 0xF0000
_WIDTH = 6
# Drawn anew by every process, so that no document can know it.
_KEY = "".join(chr(_DIGIT + int(digit, 16)) for digit in secrets.token_hex(4))
_STAND_IN = re.compile(f"{_KEY}([{chr(_DIGIT)}-{chr(_DIGIT + 15)}]{{{_WIDTH}}})")


class StandIns:
    """Replaces control text in the values given to a template, and puts it back as plain text afterwards.

    Args:
        spans: finds control text.

    Attributes:
        hidden: whether any control text was found.
    """

    def __init__(self, spans: Callable[[str], list[Span]]) -> None:
        self.hidden = False
        self._spans = spans
        self._parts: list[str | int] = []

    def __bool__(self) -> bool:
        """Whether there is anything to be put back."""
        return bool(self._parts)

    def hide(self, value: Any) -> Any:
        """``value``, a JSON value, with a stand-in for every control text in it, keys of objects included."""
        if isinstance(value, str):
            return self._hide_text(without_surrogates(value))
        if isinstance(value, dict):
            return {self.hide(key): self.hide(entry) for key, entry in value.items()}
        if isinstance(value, list | tuple):
            return [self.hide(entry) for entry in value]
        return value

    def stand_in(self, part: str | int) -> str:
        """A stand-in for text, or for a control token by its id."""
        self._parts.append(part)
        return _KEY + _private(f"{len(self._parts) - 1:0{_WIDTH}x}")

    def restore(self, parts: Parts) -> Parts:
        """``parts`` of a text that a template made, with all that was hidden put back."""
        found: list[str | int] = []
        for part in parts:
            found += self._put_back(part) if isinstance(part, str) else [part]
        return found

    def _hide_text(self, text: str) -> str:
        found, begin = [], 0
        for start, end, _ in self._spans(text):
            found += [text[begin:start], self.stand_in(text[start:end])]
            begin = end
        self.hidden = self.hidden or bool(found)
        return "".join([*found, text[begin:]])

    def _put_back(self, text: str) -> list[str | int]:
        pieces = _STAND_IN.split(text)
        return [self._parts[_number(piece)] if place % 2 else piece for place, piece in enumerate(pieces) if piece]


def _private(digits: str) -> str:
    return "".join(chr(_DIGIT + int(digit, 16)) for digit in digits)


def _number(digits: str) -> int:
    return int("".join(f"{ord(digit) - _DIGIT:x}" for digit in digits), 16)
