"""The texts by which a set's meaning is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from curator._seed import stable_hash
from curator.adapters.stored_set import StoredSet
from curator.compare.embedding_shift import Sample
from curator.export.pool import POOL_FILE, read_pool

# Texts of a set that are embedded at most: beyond it the mean hardly moves.
_EMBEDDED = 400


def has_pool(folder: Path) -> bool:
    """Whether a set keeps the beginnings of its documents."""
    return (folder / POOL_FILE).is_file()


def documents_of(folder: Path, pieces: Sequence[Mapping[str, Any]]) -> Sample:
    """One text a document: the beginning of the first of its pieces that was taken.

    Args:
        folder: of a set with a pool.
        pieces: of its manifest.

    Raises:
        InputError: the pool is damaged.
    """
    tokens: dict[str, float] = {}
    for piece in pieces:
        document = str(piece.get("document", piece["id"]))
        tokens[document] = tokens.get(document, 0.0) + float(piece["tokens"])
    texts: dict[str, str] = {}
    for row in read_pool(folder / POOL_FILE):
        if row.taken and row.document in tokens:
            texts.setdefault(row.document, row.text)
    chosen = _some(sorted(texts))
    return Sample(tuple(texts[name] for name in chosen), tuple(tokens[name] for name in chosen))


def sequences_of(stored: StoredSet) -> Sample:
    """The texts of a set's sequences; those of random tokens have none."""
    rows = [number for number, text in enumerate(stored.texts) if text]
    by_id = {str(number): number for number in rows}
    chosen = [by_id[name] for name in _some(list(by_id))]
    return Sample(
        tuple(stored.texts[number] for number in chosen),
        tuple(float(len(stored.rows[number])) for number in chosen),
    )


def _some(names: Sequence[str]) -> list[str]:
    """At most so many as are embedded, chosen by nothing but their names."""
    return sorted(sorted(names, key=lambda name: (stable_hash("embedding-shift", name), name))[:_EMBEDDED])
