"""Real prose to hide things in: by language, side and kind, in tiers that are read when they are needed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from itertools import count

from curator._seed import rng as seeded
from curator.corpora.generators.qa.passages import sections
from curator.corpora.generators.runs import runs
from curator.corpora.heldout_split import is_heldout
from curator.corpora.readers import READERS
from curator.corpora.readers.docstrings import described
from curator.corpora.readers.python_topics import clean_topics
from curator.corpora.readers.stdlib_files import library_files, library_source
from curator.corpora.shelf import find_card

Paragraph = tuple[str, ...]
"""Sentences of one paragraph."""
Chapter = tuple[Paragraph, ...]
"""Paragraphs in their order."""
_SHORTEST = {"en": 60, "zh": 30}
_PROSE = {"en": 0.85, "zh": 0.6}
_CHINESE = re.compile("[一-鿿]")
_ENDS = (".", "!", "?", "。", "！", "？", "”", "》")
_SENTENCE = {
    "en": re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“‘(*`])"),
    "zh": re.compile(r"(?<=[。！？])(?![”’」』）])|(?<=[。！？][”’」』）])"),
}
_CARDS = {"en": "dataset-build-prose", "zh": "dataset-build-chinese"}
LICENCES = {"python": "Python-2.0", "dataset-build": "BSD-2-Clause"}


def origin(language: str, kind: str) -> str:
    """Where prose comes from: ``python`` (its own documentation) or ``dataset-build``.

    Args:
        language: of the prose.
        kind: ``prose`` or ``essays``.
    """
    return "python" if (language, kind) == ("en", "prose") else "dataset-build"


def sentences(key: int, language: str, kind: str, *, heldout: bool, tokens: int) -> Iterator[tuple[bool, str]]:
    """Sentences of whole chapters in a drawn order, each with whether it begins a paragraph; without end.

    Nothing comes twice before all was given once; then the chapters begin again in another order.

    Args:
        key: decides the order.
        language: of the prose.
        kind: ``prose``, or ``essays`` for the longer texts of the package dataset-build.
        heldout: the other side's texts.
        tokens: how much is wanted; decides how many tiers are read.

    Raises:
        DependencyError: the package that has the prose is not installed.
    """
    tiers = tiers_for(language, kind, heldout=heldout, tokens=tokens)
    for lap in count():
        rng = seeded("prose", key, lap)
        chapters = [chapter for tier in tiers for chapter in tier]
        rng.shuffle(chapters)
        # A new beginning as well, else every sample would start at the first paragraph of a chapter.
        first = chapters[0]
        start = rng.randrange(len(first))
        for chapter in (first[start:], *chapters[1:], first[:start]):
            for paragraph in chapter:
                yield from ((number == 0, sentence) for number, sentence in enumerate(paragraph))


def around(language: str, kind: str, *, heldout: bool, tokens: int) -> tuple[str, ...]:
    """All prose that a sample of this length can hold, in lower case, for names that must not be in it."""
    tiers = len(tiers_for(language, kind, heldout=heldout, tokens=tokens))
    return tuple(_lower(language, kind, heldout, place) for place in range(tiers))


def tiers_for(language: str, kind: str, *, heldout: bool, tokens: int) -> list[tuple[Chapter, ...]]:
    """The chapters to draw from, the first tier first; the next is only read when a sample may need it."""
    first = _tier(language, kind, heldout, 0)
    if origin(language, kind) != "python" or heldout or _chars(first) >= 6 * tokens:
        return [first]
    return [first, _tier(language, kind, heldout, 1)]


@lru_cache(maxsize=8)
def _tier(language: str, kind: str, heldout: bool, place: int) -> tuple[Chapter, ...]:
    """Samples for calibration read the Python language reference, and further docstrings of the library.

    Held-out samples read the docstrings of held-out modules, so that no sentence is on both sides.
    """
    if origin(language, kind) != "python":
        chapters = _chapters(_package_texts(language, heldout), language)
    elif heldout or place:
        chapters = _chapters(_docstrings(heldout), language)
    else:
        chapters = _chapters(clean_topics().values(), language)
    return chapters if heldout else _without(chapters, _heldout_runs(language, kind), language)


def _without(chapters: Iterable[Chapter], taboo: frozenset[str], language: str) -> tuple[Chapter, ...]:
    """Chapters without the paragraphs that have one of these runs of words: both sides quote some sentences."""
    kept = (tuple(part for part in one if taboo.isdisjoint(_runs(part, language))) for one in chapters)
    return tuple(chapter for chapter in kept if chapter)


@lru_cache(maxsize=4)
def _heldout_runs(language: str, kind: str) -> frozenset[str]:
    tier = _tier(language, kind, True, 0)
    return frozenset(run for chapter in tier for part in chapter for run in _runs(part, language))


def _runs(paragraph: Paragraph, language: str) -> list[str]:
    return runs(("" if language == "zh" else " ").join(paragraph), language)


@lru_cache(maxsize=8)
def _lower(language: str, kind: str, heldout: bool, place: int) -> str:
    space = "" if language == "zh" else " "
    tier = _tier(language, kind, heldout, place)
    return space.join(one for chapter in tier for paragraph in chapter for one in paragraph).lower()


@lru_cache(maxsize=8)
def _chars(tier: tuple[Chapter, ...]) -> int:
    return sum(len(sentence) + 1 for chapter in tier for paragraph in chapter for sentence in paragraph)


def _chapters(texts: Iterable[Iterable[str]], language: str) -> tuple[Chapter, ...]:
    seen: set[str] = set()
    chapters = []
    for parts in texts:
        chapter: list[Paragraph] = []
        for text in (" ".join(part.split()) for part in parts):
            if text not in seen and _is_prose(text, language):
                seen.add(text)
                chapter.append(tuple(filter(None, _SENTENCE[language].split(text))))
        if chapter:
            chapters.append(tuple(chapter))
    return tuple(chapters)


def _docstrings(heldout: bool) -> Iterator[list[str]]:
    for file in library_files():
        if is_heldout(file.unit) == heldout:
            described_parts = map(
                partial(re.split, r"\n\s*\n"), (one.text for one in described(library_source(file)))
            )
            yield [part for parts in described_parts for part in parts]


def _package_texts(language: str, heldout: bool) -> Iterator[list[str]]:
    card = find_card(_CARDS[language])
    for document in READERS[card.reader](card):
        if language == "en":
            if is_heldout(document.unit) == heldout:
                yield [part for _, paragraphs in sections(document, language) for part in paragraphs]
            continue
        # The Chinese texts are one file of unconnected essays: each is a unit of its own.
        for heading, paragraphs in sections(document, language):
            if is_heldout(f"{document.unit}/{heading}") == heldout:
                yield paragraphs


def _is_prose(text: str, language: str) -> bool:
    if len(text) < _SHORTEST[language] or not text.endswith(_ENDS) or (language == "en" and not text[0].isupper()):
        return False
    letters = (
        sum(char.isalpha() or char == " " for char in text) if language == "en" else len(_CHINESE.findall(text))
    )
    return letters >= _PROSE[language] * len(text)
