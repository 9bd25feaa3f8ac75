"""A corpus of a million documents: real text, cut at other places again and again, in files of about 128 MB."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from curation_bench.debian_packages import Unpacked
from curation_bench.real_documents import documents_of, package_blocks
from curator.engine.local import map_in_order

FEWEST, MOST = 500, 8000
"""Characters of a document."""
_FILE = 128 << 20


def write_million(folder: Path, packages: Sequence[Unpacked], count: int, workers: int = 1) -> int:
    """Write documents of English packages to ``00.jsonl`` and so on, in an order that is no package's.

    The same text stands in several documents, among other text each time: few of them are near duplicates.

    Args:
        folder: new, or empty.
        packages: unpacked; those of other languages are left out.
        count: documents.
        workers: processes that take the packages apart.

    Returns:
        Characters of all documents.
    """
    # Pages are laid end to end: a short one would give the same document each time.
    english = [package for package in packages if package.language == "en"]
    taken_apart = map_in_order(_blocks_of, english, workers)
    held = {package.name: blocks for package, blocks in zip(english, taken_apart, strict=True)}
    folder.mkdir(parents=True, exist_ok=True)
    written, chars, file, room = 0, 0, 0, 0
    opened = None
    for text in _texts(held):
        if opened is None or room <= 0:
            if opened is not None:
                opened.close()
            opened, room = (folder / f"{file:02}.jsonl").open("w", encoding="utf-8"), _FILE
            file += 1
        line = json.dumps({"id": f"d{written}", "text": text}, ensure_ascii=False) + "\n"
        opened.write(line)
        written, chars, room = written + 1, chars + len(text), room - len(line)
        if written == count:
            break
    if opened is not None:
        opened.close()
    return chars


def _blocks_of(package: Unpacked) -> list[str]:
    return [block for blocks in package_blocks(package) for block in blocks]


def link_ten_times(folder: Path, out: Path) -> None:
    """A corpus ten times as large: ten names for each file. Its documents are others by their names alone."""
    out.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.glob("*.jsonl")):
        for copy in range(10):
            place = out / f"{path.stem}-{copy}.jsonl"
            if not place.exists():
                os.link(path, place)


def _texts(held: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Cut again and again, packages in an order of their own each time."""
    again = 0
    while True:
        for name in sorted(held, key=lambda name: _order(name, again)):
            yield from documents_of(held[name], f"{name}/{again}", FEWEST, MOST)
        again += 1


def _order(name: str, again: int) -> bytes:
    return hashlib.sha256(f"{again}:{name}".encode()).digest()
