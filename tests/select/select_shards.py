"""Sources for tests: shards that hold their records."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from curator.corpora.corpus import BadRow
from curator.corpora.document import Document
from curator.select.scan import Rule


@dataclass(frozen=True)
class Held:
    """A shard of given records."""

    given: tuple[Document | BadRow, ...]
    size: int = 0

    def records(self) -> Iterator[Document | BadRow]:
        yield from self.given


def document(number: int, text: str = "") -> Document:
    return Document(f"d{number}", "c", "u", "t", "en", "MIT", text or f"text {number}")


def documents(count: int) -> list[Document]:
    return [document(number) for number in range(count)]


def rule(*, chars: int = 100, seed: int = 1) -> Rule:
    return Rule("t", chars, seed, without_heldout=False)


def split(records: Sequence[Document | BadRow], parts: int) -> list[Held]:
    """``records`` in ``parts`` shards, in order."""
    bounds = [len(records) * part // parts for part in range(parts + 1)]
    return [Held(tuple(records[low:high])) for low, high in itertools.pairwise(bounds)]
