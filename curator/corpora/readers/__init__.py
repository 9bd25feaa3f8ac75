"""Readers: from a corpus card to documents, always in the same order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from curator.corpora.card import Card
from curator.corpora.document import Document
from curator.corpora.readers import (
    dataset_build,
    package_docs,
    python_mcq,
    python_qa,
    python_stdlib,
    python_topics,
)

Reader = Callable[[Card], Iterator[Document]]

READERS: dict[str, Reader] = {
    "dataset_build": dataset_build.read,
    "package_docs": package_docs.read,
    "python_mcq": python_mcq.read,
    "python_qa": python_qa.read,
    "python_stdlib": python_stdlib.read,
    "python_topics": python_topics.read,
}
