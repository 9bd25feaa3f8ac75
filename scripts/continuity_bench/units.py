"""Texts the continuity score is measured on, as sentences in their order, from what is installed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from curator.corpora.document import Document
from curator.corpora.readers import READERS
from curator.corpora.shelf import find_card
from curator.scores.code import code_lines
from curator.scores.sentences import split_sentences

# The longest part of a document that is used: the table's longest window twice.
_MOST = 128
_SECTION_CHARS = 6000
_SHORT_SECTION = 4000
LANGUAGES = ("zh", "ja", "ko", "de", "es", "ru", "ar", "hi", "tr", "vi", "th")


@dataclass(frozen=True, slots=True)
class Unit:
    """What is drawn as one in the bootstrap.

    Attributes:
        name: which document.
        lines: its sentences or lines of code, in order.
    """

    name: str
    lines: tuple[str, ...]

    @property
    def chosen_on(self) -> bool:
        """Whether constants may be chosen by it; results are reported on the others."""
        return hashlib.sha256(self.name.encode()).digest()[0] % 2 == 0


def english_documents() -> list[Unit]:
    """Sections of books, and the Python reference."""
    return [unit for card in ("dataset-build-prose", "python-topics") for unit in _units(card)]


def readmes() -> list[Unit]:
    """Documentation of installed packages: prose among lists, code and change logs."""
    return list(_units("package-docs"))


def english_paragraphs() -> list[Unit]:
    """Single paragraphs: one topic throughout, where order shows least."""
    documents = _documents("dataset-build-prose")
    paragraphs = [
        (f"{document.id}/{at}", part) for document in documents for at, part in enumerate(_parts(document))
    ]
    units = [Unit(name, tuple(split_sentences(part))) for name, part in paragraphs]
    return [unit for unit in units if len(unit.lines) >= 16]


def languages() -> dict[str, list[Unit]]:
    """Documents in eleven languages other than English, at most twelve of each."""
    found: dict[str, list[Unit]] = {}
    for language in LANGUAGES:
        card = "dataset-build-chinese" if language == "zh" else "dataset-build-languages"
        documents = (one for one in _documents(card, _SHORT_SECTION) if one.language == language)
        units = (Unit(one.id, tuple(split_sentences(one.text)[: _MOST // 2])) for one in documents)
        found[language] = list(islice((unit for unit in units if not unit.chosen_on), 12))
    return found


def code() -> dict[str, list[Unit]]:
    """Files of source code by their lines: twenty-one languages, and Python's own library."""
    found = {}
    for name, card in (("code, 21 languages", "dataset-build-code"), ("code, Python library", "python-stdlib")):
        documents = _documents(card, 0)
        units = [Unit(one.id, tuple(line.text for line in code_lines(one.text)[:_MOST])) for one in documents]
        found[name] = [unit for unit in units if len(unit.lines) >= 32]
    return found


def _units(card: str) -> Iterator[Unit]:
    for document in _documents(card):
        yield Unit(document.id, tuple(split_sentences(document.text)[:_MOST]))


def _documents(name: str, section_chars: int = _SECTION_CHARS) -> list[Document]:
    card = find_card(name)
    if card.reader == "dataset_build":
        options: dict[str, Any] = {**card.options, "section_chars": section_chars}
        card = card.model_copy(update={"options": options})
    if card.reader is None:
        raise ValueError(f"{name} has no reader")
    return list(READERS[card.reader](card))


def _parts(document: Document) -> list[str]:
    return document.text.split("\n\n")
