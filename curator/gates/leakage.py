"""Overlap with the held-out prompts: sets are filtered against the prompts, never the reverse."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from curator.gates.drop import Drop

WORDS = 13
# A prompt shorter than this is too common to be evidence; one between counts when it is there as a whole.
MIN_WORDS = 8
# Scripts without spaces between words count by characters.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|[^\W\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+")

Run = tuple[str, ...]


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _runs(words: list[str], size: int) -> Iterator[Run]:
    return (tuple(words[start : start + size]) for start in range(len(words) - size + 1))


class Leakage:
    """The 13-word runs of the held-out prompts; of a shorter prompt the whole, from eight words on.

    Args:
        texts: the prompts' texts.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._runs: dict[int, set[Run]] = {}
        for text in texts:
            words = _words(text)
            size = min(len(words), WORDS)
            if size >= MIN_WORDS:
                self._runs.setdefault(size, set()).update(_runs(words, size))

    def check(self, text: str) -> Drop | None:
        """Refuse a text that shares thirteen words in a row, or a whole short prompt, with the held-out ones."""
        words = _words(text)
        for size in sorted(self._runs, reverse=True):
            shared = self._runs[size].intersection(_runs(words, size))
            if shared:
                return Drop("leakage", f"shares with a held-out prompt: {' '.join(min(shared))!r}")
        return None
