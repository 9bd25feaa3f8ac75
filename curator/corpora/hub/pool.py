"""Which rows of a data set are looked at: a set of terabytes is sampled, by the seed alone.

The choice depends on the seed, the commit and the list of files, never on what was read before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from curator._seed import stable_hash
from curator.corpora.hub.repository import Listed, Repository
from curator.corpora.rows.parquet_file import row_groups

# Rows of one file, or of one group in it, are often of one kind: a pool comes from at least so many.
FEWEST = 8
# What a row takes when it is stored, on the small side: decides how many files are opened.
_BYTES_A_ROW = 2048
# Hardly any row of text takes less, so that a smaller set is read whole.
_FEWEST_BYTES_A_ROW = 64

Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class Part:
    """Rows that follow each other in one file.

    Attributes:
        file: the file.
        group: the row group of a Parquet file; ``None`` for the whole file.
        first_row: number of the part's first row in the file, from 1.
        limit: rows that are read at most; ``None`` for all.
        size: bytes that are read, roughly.
    """

    file: Listed
    size: int
    group: int | None = None
    first_row: int = 1
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Pool:
    """The parts of a data set that are read, in its order.

    Attributes:
        parts: what is read.
        notes: what was sampled, in words.
    """

    parts: tuple[Part, ...]
    notes: tuple[str, ...] = ()


def text_pool(repository: Repository, files: tuple[Listed, ...], rows: int, seed: int) -> Pool:
    """The first rows of files chosen by the seed; each file gives rows by its size.

    Args:
        repository: where the files are.
        files: those of the split.
        rows: about how many rows are wanted.
        seed: the recipe's.
    """
    total = sum(file.size for file in files)
    if total <= rows * _FEWEST_BYTES_A_ROW:
        return Pool(tuple(Part(file, file.size) for file in sorted(files)))
    order = _shuffled(files, lambda file: stable_hash("pool", seed, repository.name, repository.commit, file.path))
    chosen = _enough(order, lambda file: file.size, rows * _BYTES_A_ROW)
    limits = _spread([file.size for file in chosen], rows)
    parts = [
        Part(file, min(file.size, limit * _BYTES_A_ROW), limit=limit)
        for file, limit in zip(chosen, limits, strict=True)
        if limit
    ]
    note = (
        f"{rows:,} rows at most are looked at, the first of each of {len(parts):,} out of "
        f"{len(files):,} files, chosen by the seed (pool_rows)"
    )
    return Pool(tuple(sorted(parts, key=_place)), (note,))


def parquet_pool(repository: Repository, files: tuple[Listed, ...], rows: int, seed: int) -> Pool:
    """Row groups chosen by the seed, of files chosen by the seed.

    Args:
        repository: where the files are.
        files: Parquet files, those of the split.
        rows: how many rows are wanted.
        seed: the recipe's.

    Raises:
        InputError: a file is no Parquet file.
        DependencyError: the hub failed.
    """
    order = _shuffled(files, lambda file: stable_hash("pool", seed, repository.name, repository.commit, file.path))
    opened: list[Listed] = []
    groups: list[tuple[Part, int]] = []
    for file in order:
        if len(opened) >= FEWEST and sum(count for _, count in groups) >= rows:
            break
        opened.append(file)
        groups += list(_groups(repository, file))
    if len(opened) == len(files) and sum(count for _, count in groups) <= rows:
        return Pool(tuple(Part(file, file.size) for file in sorted(files)))
    shuffled = _shuffled(
        groups,
        lambda item: stable_hash(
            "group", seed, repository.name, repository.commit, item[0].file.path, item[0].group or 0
        ),
    )
    chosen = _enough(shuffled, lambda item: item[1], rows)
    limits = _spread([count for _, count in chosen], rows)
    parts = [
        replace(part, limit=limit, size=part.size * limit // count)
        for (part, count), limit in zip(chosen, limits, strict=True)
        if limit
    ]
    note = (
        f"{rows:,} rows at most are looked at, of {len(parts):,} row groups in "
        f"{len({part.file.path for part in parts}):,} out of {len(files):,} files, chosen by the seed (pool_rows)"
    )
    return Pool(tuple(sorted(parts, key=_place)), (note,))


def _groups(repository: Repository, file: Listed) -> Iterator[tuple[Part, int]]:
    source = repository.source(file)
    with source.open() as handle:
        counts = row_groups(handle, source.name)
    first = 1
    for number, count in enumerate(counts):
        yield Part(file, file.size * count // max(sum(counts), 1), number, first), count
        first += count


def _shuffled(things: tuple[Thing, ...] | list[Thing], key: Callable[[Thing], int]) -> list[Thing]:
    return sorted(things, key=key)


def _enough(order: list[Thing], weight: Callable[[Thing], int], wanted: int) -> list[Thing]:
    """The first things that weigh ``wanted`` together, and at least `FEWEST` of them."""
    chosen: list[Thing] = []
    total = 0
    for thing in order:
        if len(chosen) >= FEWEST and total >= wanted:
            break
        chosen.append(thing)
        total += weight(thing)
    return chosen


def _spread(weights: list[int], rows: int) -> list[int]:
    """Rows for each weight, in proportion, ``rows`` together; a part of the total is rounded where it falls."""
    total = sum(weights)
    limits, before, done = [], 0, 0
    for weight in weights:
        before += weight
        upto = -(-rows * before // total) if total else 0
        limits.append(upto - done)
        done = upto
    return limits


def _place(part: Part) -> tuple[str, int]:
    return part.file.path, part.group or 0
