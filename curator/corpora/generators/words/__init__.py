"""Real words to draw from."""

from __future__ import annotations

from functools import lru_cache

from curator.corpora.generators.words.chinese import WORDS as CHINESE
from curator.corpora.generators.words.english import WORDS

_ALL = {"en": WORDS, "zh": CHINESE}


@lru_cache(maxsize=2)
def words(language: str) -> tuple[str, ...]:
    """The words of a language, none of which is found inside another: a scorer may look for parts of words."""
    joined = "\n".join(_ALL[language])
    return tuple(word for word in _ALL[language] if joined.count(word) == 1)
