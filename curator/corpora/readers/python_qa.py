"""Questions and answers made from the docstrings of the standard library."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from curator._seed import stable_hash
from curator.corpora.card import Card
from curator.corpora.document import Document, Message, conversation_text
from curator.corpora.heldout_split import is_heldout
from curator.corpora.readers.docstrings import described, prose_length
from curator.corpora.readers.qa_wordings import ask_about
from curator.corpora.readers.reader_options import card_options
from curator.corpora.readers.stdlib_files import LibraryFile, library_files, library_source

_SHORTEST_ANSWER = 120


def read(card: Card) -> Iterator[Document]:
    """One conversation an object: a question about it, and its docstring as the answer.

    Options:
        per_module: most objects of a top-level module (default 40), chosen by hash of their names.

    Objects of private modules and answers with under 120 characters of prose are left out. An answer that
    a module gives twice (an inherited docstring, copied) is asked once.
    """
    limit = card_options(card, {"per_module": 40})["per_module"]
    public = (file for file in library_files() if "._" not in f".{file.module}")
    for _, files in groupby(sorted(public, key=_place), key=lambda file: _place(file)[0]):
        found: dict[str, Document] = {}
        for file in files:
            for document in _conversations(card, file):
                found.setdefault(_answer(document), document)
        kept = sorted(found.values(), key=lambda document: stable_hash("qa-cap", document.id))[:limit]
        yield from sorted(kept, key=lambda document: document.id)


def _conversations(card: Card, file: LibraryFile) -> Iterator[Document]:
    heldout = is_heldout(file.unit)
    for item in described(library_source(file)):
        if item.kind == "module" or prose_length(item.text) < _SHORTEST_ANSWER:
            continue
        name = f"{file.module}.{item.name}"
        question = ask_about(item.kind, name, heldout=heldout)
        messages = (Message("user", question), Message("assistant", item.text))
        yield Document(
            id=f"{card.id}/{name}",
            corpus=card.id,
            unit=file.unit,
            task=card.task,
            language=card.language,
            licence=card.licence,
            text=conversation_text(messages),
            messages=messages,
        )


def _place(file: LibraryFile) -> tuple[str, str]:
    return file.module.partition(".")[0], file.name


def _answer(document: Document) -> str:
    assert document.messages is not None
    return document.messages[-1].content
