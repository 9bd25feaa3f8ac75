"""What kind of thing a gold answer is, and its texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from curator.corpora.readers.plain_text import without_surrogates
from curator.profile.item import GoldType

# A, (a), B. and C): the letter of a choice.
_LETTER = re.compile(r"\(?[A-Za-z][).:]?\)?")
_NUMBER = re.compile(r"[-+−]?[$€£]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][-+]?\d+)?\s?%?")


def gold_type(gold: Any) -> GoldType:
    """``letter``, ``number``, ``string``, ``list``, or ``none`` for what is null, empty or missing.

    A string that is nothing but a number is a number: that is how it is compared.
    """
    if isinstance(gold, list):
        return "list" if any(gold_texts(gold)) else "none"
    text = next(gold_texts(gold), "").strip()
    if not text:
        return "none"
    if _LETTER.fullmatch(text):
        return "letter"
    return "number" if any(map(str.isdigit, text)) and _NUMBER.fullmatch(text) else "string"


def gold_texts(gold: Any) -> Iterator[str]:
    """The texts of a gold; those of nested lists one after another, numbers as JSON writes them."""
    # A list of what is left, not recursion: JSON nests deeper than Python calls.
    left = [gold]
    while left:
        part = left.pop()
        if isinstance(part, list):
            left += reversed(part)
        elif isinstance(part, dict):
            left += reversed(part.values())
        elif isinstance(part, str):
            if part:
                yield without_surrogates(part)
        elif part is not None:
            yield json.dumps(part, default=str)
