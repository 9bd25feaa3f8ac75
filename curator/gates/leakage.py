"""Overlap with the held-out prompts: sets are filtered against the prompts, never the reverse."""

from __future__ import annotations

import re
from collections.abc import Iterable

from curator.gates.drop import Drop

WORDS = 13
_WORD = re.compile(r"\w+")


def _grams(text: str) -> set[tuple[str, ...]]:
    words = [word.lower() for word in _WORD.findall(text)]
    return {tuple(words[start : start + WORDS]) for start in range(len(words) - WORDS + 1)}


class Leakage:
    """The 13-word runs of the held-out prompts.

    Args:
        texts: the prompts' texts.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._grams: set[tuple[str, ...]] = set()
        for text in texts:
            self._grams |= _grams(text)

    def check(self, text: str) -> Drop | None:
        """Refuse a text that shares thirteen words in a row with a held-out prompt."""
        shared = self._grams & _grams(text)
        return (
            Drop("leakage", f"shares with a held-out prompt: {' '.join(min(shared))!r}") if shared else None
        )
