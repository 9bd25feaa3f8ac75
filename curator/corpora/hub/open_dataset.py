"""From a part of a data set to a corpus."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from curator.corpora.corpus import Corpus
from curator.corpora.hub.layout import find_layout
from curator.corpora.hub.local_repository import local_folder, open_local
from curator.corpora.hub.place import DatasetPlace
from curator.corpora.hub.pool import Part, Pool, parquet_pool, text_pool
from curator.corpora.hub.repository import Listed, Repository
from curator.corpora.reading import Reading
from curator.corpora.rows.byte_source import ByteSource, Labels
from curator.corpora.rows.file_shard import FileShard
from curator.corpora.rows.resolve import resolve_reading

CHARS_PER_TOKEN = 4.0


def open_dataset(
    place: DatasetPlace,
    reading: Reading,
    *,
    seed: int,
    folder: Path,
    task: str,
    language: str = "und",
    licence: str = "unknown",
    name: str | None = None,
    chars_per_token: float = CHARS_PER_TOKEN,
) -> Corpus:
    """Find the commit, the files and the rows that are looked at; the rows are read later, by the shards.

    Args:
        place: which part of which data set.
        reading: how rows become texts.
        seed: the recipe's; chooses among the rows of a data set that has more than ``place.pool_rows``.
        folder: what a relative path of a local data set starts from.
        task: task type of the documents.
        language: BCP 47 tag, ``und`` when unknown.
        licence: SPDX expression, ``unknown`` when unknown.
        name: what documents and reports call it; the data set's id by default.
        chars_per_token: see `Corpus`.

    Returns:
        The corpus; equal arguments, commit and files give equal shards.

    Raises:
        InputError: no such data set, revision, configuration, split or file; or the data set is a script.
        DependencyError: the hub, the network, the disk, or terms that were not accepted.
    """
    repository = _repository(place, folder)
    layout = find_layout(repository, place)
    pool = _pool(repository, layout.files, reading, place.pool_rows, seed)
    # Before the files are hashed: a change from here on stops the run.
    sources = {part.file: repository.source(part.file) for part in pool.parts}
    called = name or repository.name
    # One decision for all files: columns that differ between them would be read by different rules.
    suffix = reading.suffix()
    reading, notes = resolve_reading(sources[pool.parts[0].file], reading)
    labels = {
        file: dataclasses.replace(_labels(repository, file, called, task, language, licence), suffix=suffix)
        for file in sources
    }
    shards = tuple(_shard(sources[part.file], part, reading, labels[part.file]) for part in pool.parts)
    return Corpus(
        name=called,
        task=task,
        licence=licence,
        chars_per_token=chars_per_token,
        shards=shards,
        revision=repository.commit,
        notes=(*repository.notes, *layout.notes, *pool.notes, *notes),
    )


def _repository(place: DatasetPlace, folder: Path) -> Repository:
    here = local_folder(place.id, folder)
    if here is not None:
        return open_local(place, here)
    # The hub library takes a third of a second to import.
    from curator.corpora.hub.hub_repository import open_hub

    return open_hub(place)


def _pool(repository: Repository, files: tuple[Listed, ...], reading: Reading, rows: int, seed: int) -> Pool:
    is_parquet = reading.format == "parquet" or (
        reading.format == "auto" and all(file.path.lower().endswith(".parquet") for file in files)
    )
    return (parquet_pool if is_parquet else text_pool)(repository, files, rows, seed)


def _labels(repository: Repository, file: Listed, called: str, task: str, language: str, licence: str) -> Labels:
    # A local name that is not UTF-8 could not be written into a set.
    path = file.path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return Labels(
        corpus=called,
        prefix=f"{called}/{path}",
        file=path,
        unit=f"dataset:{repository.name}/{path}",
        task=task,
        language=language,
        licence=licence,
        revision=repository.revision(file),
    )


def _shard(source: ByteSource, part: Part, reading: Reading, labels: Labels) -> FileShard:
    group = part.group
    return FileShard(
        source=source,
        reading=reading if group is None else reading.model_copy(update={"format": "parquet"}),
        labels=labels,
        start=group or 0,
        end=None if group is None else group + 1,
        first_row=part.first_row,
        limit=part.limit,
        size=part.size,
        resolved=True,
    )
