"""Files made in a test, read back as records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from curator.corpora.corpus import BadRow
from curator.corpora.document import Document
from curator.corpora.reading import Reading
from curator.corpora.rows.byte_source import Labels, LocalFile
from curator.corpora.rows.file_shard import FileShard


def shard(path: Path, **reading: Any) -> FileShard:
    labels = Labels(corpus="c", prefix=path.name, file=path.name, unit="u", task="prose")
    return FileShard(LocalFile(path, path.name), Reading.model_validate(reading), labels)


def records(tmp_path: Path, name: str, content: bytes, **reading: Any) -> list[Document | BadRow]:
    path = tmp_path / name
    path.write_bytes(content)
    return list(shard(path, **reading).records())


def texts(found: list[Document | BadRow]) -> list[str]:
    assert all(isinstance(record, Document) for record in found), found
    return [record.text for record in found if isinstance(record, Document)]


def kept(found: list[Document | BadRow]) -> list[tuple[int | None, str]]:
    return [(record.row, record.text) for record in found if isinstance(record, Document)]


def bad(found: list[Document | BadRow]) -> list[tuple[str, str]]:
    return [(record.where, record.reason) for record in found if isinstance(record, BadRow)]
