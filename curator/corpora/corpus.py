"""What every kind of text source comes down to: shards that give documents, and rows that could not be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from curator.corpora.document import Document


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that gives no document.

    Attributes:
        where: ``file:line``, or ``file`` and the row's number where there are no lines.
        reason: one word or two, the same for all rows with this fault, such as ``not JSON`` or ``null``.
        detail: what is wrong and what to do, in one line.
    """

    where: str
    reason: str
    detail: str


class Shard(Protocol):
    """A part of a source that one worker reads: a file, a range of its bytes, a package's texts.

    Shards are small, can be pickled, and give the same records whenever they are read again.

    Attributes:
        size: bytes to be read, roughly; 0 when not known.
    """

    @property
    def size(self) -> int:
        """See the class."""

    def records(self) -> Iterator[Document | BadRow]:
        """The shard's documents and bad rows, in the order of the source.

        Raises:
            InputError: the shard cannot be read at all, or the recipe says that a bad row stops the run.
            DependencyError: a hub, a network or a disk failed.
        """


@dataclass(frozen=True, slots=True)
class Corpus:
    """A text source, opened: its shards and what is known about it before a row is read.

    Attributes:
        name: what reports call it.
        task: default task type; empty when the recipe must say it.
        licence: SPDX expression, ``per-document`` when every document carries its own, or ``unknown``.
        chars_per_token: rough ratio, used to cut long documents into pieces and to judge supply.
        shards: its parts, in the order of the source.
        revision: a commit, a package's version, or empty when every document carries its own.
        notes: what the user should know, in words (a revision that is not pinned, a part that is sampled).
    """

    name: str
    task: str
    licence: str
    chars_per_token: float
    shards: tuple[Shard, ...]
    revision: str = ""
    notes: tuple[str, ...] = ()
