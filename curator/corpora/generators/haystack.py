"""Real text for the generators: prose to hide needles in, and words to draw from."""

from __future__ import annotations

import random
import re
from functools import lru_cache

from curator._errors import InputError
from curator.corpora.heldout_split import is_heldout
from curator.corpora.readers.docstrings import described
from curator.corpora.readers.python_topics import clean_topics
from curator.corpora.readers.stdlib_files import library_files, library_source

_SHORTEST = 60
_PROSE = 0.85
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“‘(*`])")
_WORD = re.compile(r"(?<![\w'’.\-_])[a-z]{4,10}(?![\w'’(=\-_])")

Paragraph = tuple[str, ...]
"""Sentences of one paragraph."""


@lru_cache(maxsize=2)
def prose(*, heldout: bool) -> tuple[tuple[Paragraph, ...], ...]:
    """Chapters of real prose, each a run of paragraphs in their order; no paragraph comes twice.

    Samples for calibration read the Python language reference. Held-out samples read the docstrings of
    held-out standard library modules, so that no haystack sentence is on both sides of the split.
    """
    seen: set[str] = set()
    chapters = []
    for texts in _heldout_texts() if heldout else clean_topics().values():
        chapter: list[Paragraph] = []
        for text in (" ".join(text.split()) for text in texts):
            if text not in seen and _is_prose(text):
                seen.add(text)
                chapter.append(tuple(_SENTENCE.split(text)))
        if chapter:
            chapters.append(tuple(chapter))
    return tuple(chapters)


@lru_cache(maxsize=1)
def words() -> tuple[str, ...]:
    """Every plain lower-case word of 4 to 10 letters in the language reference's prose, sorted."""
    found: set[str] = set()
    for paragraphs in prose(heldout=False):
        for paragraph in paragraphs:
            found.update(_WORD.findall(re.sub(r"[\"“‘`][^\"”’`]*[\"”’`]|\*\w+\*", " ", " ".join(paragraph))))
    return tuple(sorted(found))


@lru_cache(maxsize=2)
def compounds(*, heldout: bool) -> tuple[str, ...]:
    """Every hyphenated lower-case word of the prose, sorted: pairs that a key or value must not be."""
    text = " ".join(sentence for chapter in prose(heldout=heldout) for part in chapter for sentence in part)
    return tuple(sorted(set(re.findall(r"[a-z]+(?:-[a-z]+)+", text.lower()))))


def draw_haystack(rng: random.Random, chars: int, *, heldout: bool, name: str) -> list[Paragraph]:
    """Paragraphs of ``chars`` characters together, to within one sentence: whole chapters in a drawn order.

    Raises:
        InputError: there is not that much prose; text is never repeated to fill a haystack.
    """
    chapters = list(prose(heldout=heldout))
    rng.shuffle(chapters)
    # A new beginning as well, else every sample would start at the first paragraph of a chapter.
    first = chapters[0]
    start = rng.randrange(len(first))
    paragraphs = [*first[start:], *(part for chapter in chapters[1:] for part in chapter), *first[:start]]
    taken: list[Paragraph] = []
    left = chars
    for paragraph in paragraphs:
        if left <= 0:
            return taken
        kept: list[str] = []
        for sentence in paragraph:
            if left > 0:
                kept.append(sentence)
                left -= len(sentence) + 1
        taken.append(tuple(kept))
    if left > 0:
        raise InputError(
            f"generate {name}: {chars:,} characters of prose asked, there are {chars - left:,}; "
            f"ask for {(chars - left) // 4:,} tokens or fewer"
        )
    return taken


def _heldout_texts() -> list[list[str]]:
    files = [file for file in library_files() if is_heldout(file.unit)]
    return [
        [part for item in described(library_source(file)) for part in re.split(r"\n\s*\n", item.text)]
        for file in files
    ]


def _is_prose(text: str) -> bool:
    letters = sum(char.isalpha() or char == " " for char in text)
    starts = text[0].isupper() if text else False
    return len(text) >= _SHORTEST and starts and text.endswith((".", "!", "?")) and letters >= _PROSE * len(text)
