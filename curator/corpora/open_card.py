"""From a corpus card to a corpus."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterator
from dataclasses import dataclass, replace

from curator._errors import InputError
from curator.corpora.card import Card
from curator.corpora.corpus import BadRow, Corpus
from curator.corpora.document import Document
from curator.corpora.files import open_files
from curator.corpora.hub.open_dataset import open_dataset
from curator.corpora.readers import READERS
from curator.corpora.rows.file_shard import FileShard
from curator.corpora.shelf import available

# Readers whose text is that of the running Python.
_OF_PYTHON = "python_"


@dataclass(frozen=True, slots=True)
class CardShard:
    """All documents of a card with a reader; see `Shard`."""

    card: Card
    size: int = 0

    def records(self) -> Iterator[Document | BadRow]:
        """See `Shard`."""
        yield from READERS[self.card.reader](self.card)


def open_card(card: Card, seed: int) -> Corpus:
    """Open a card's source.

    Args:
        card: the card.
        seed: the recipe's; chooses among the rows of a large data set.

    Raises:
        InputError: the card's package or files are not here, with the line that brings them; or as
            `open_dataset`.
        DependencyError: as `open_dataset`.
    """
    install = available(card)
    if install:
        raise InputError(f"corpus {card.id}: its text is not installed; {install}")
    if card.dataset is not None:
        return open_dataset(
            card.dataset,
            card.reading,
            seed=seed,
            folder=card.folder,
            task=card.task,
            language=card.language,
            licence=card.licence,
            name=card.id,
            chars_per_token=card.chars_per_token,
        )
    if card.files is not None:
        return _open_files(card, card.files)
    return Corpus(card.id, card.task, card.licence, card.chars_per_token, (CardShard(card),), _revision(card))


def _open_files(card: Card, patterns: list[str]) -> Corpus:
    found = open_files(
        patterns,
        card.folder,
        card.reading,
        task=card.task,
        language=card.language,
        licence=card.licence,
        lazy=True,
    )
    shards = tuple(_of_card(card, shard) for shard in found.shards if isinstance(shard, FileShard))
    return replace(found, name=card.id, chars_per_token=card.chars_per_token, shards=shards)


def _of_card(card: Card, shard: FileShard) -> FileShard:
    called = f"{card.id}/{shard.labels.file.lstrip('/')}"
    return replace(shard, labels=replace(shard.labels, corpus=card.id, prefix=called, unit=f"file:{called}"))


def _revision(card: Card) -> str:
    """The version of what the text comes from; empty when documents say it themselves."""
    if card.reader.startswith(_OF_PYTHON):
        return f"Python {platform.python_version()}"
    if card.reader and card.requires:
        return f"{card.requires} {importlib.metadata.version(card.requires)}"
    return ""
