"""Source code of the standard library of the running Python."""

from __future__ import annotations

from collections.abc import Iterator

from curator.corpora.card import Card
from curator.corpora.document import Document
from curator.corpora.readers.plain_text import tidy
from curator.corpora.readers.reader_options import card_options
from curator.corpora.readers.stdlib_files import library_files, library_source

_SHORTEST = 400


def read(card: Card) -> Iterator[Document]:
    """One document a source file of 400 characters or more, in order of path. Nothing is imported."""
    card_options(card, {})
    for file in library_files():
        text = tidy(library_source(file))
        if len(text) < _SHORTEST:
            continue
        yield Document(
            id=f"{card.id}/{file.name}",
            corpus=card.id,
            unit=file.unit,
            task=card.task,
            language=card.language,
            licence=card.licence,
            text=text,
        )
