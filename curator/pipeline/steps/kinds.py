"""Kinds of documents that some steps leave alone."""

from __future__ import annotations

from curator.corpora.document import Document
from curator.gates.language import NO_LINGUISTIC_CONTENT

# Code has no sentences; its language is that of its comments at best. A source of the user's own says so by its
# task, a card by its language.
CODE, CODE_TASK = NO_LINGUISTIC_CONTENT, "code"


def is_code(document: Document) -> bool:
    """Whether a document is code, by what its source says."""
    return document.language == CODE or document.task == CODE_TASK


def is_generated(document: Document) -> bool:
    """Whether one of our generators made a document."""
    return document.corpus.startswith("generate:")
