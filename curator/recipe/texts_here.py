"""The text files in a folder and below it that could be sources of a first recipe."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from curator._errors import CurateError
from curator.corpora.reading import Reading
from curator.corpora.rows.byte_source import LocalFile
from curator.corpora.rows.records import Row, UnusableError
from curator.corpora.rows.row_reader import read_span
from curator.corpora.rows.shapes import content_of
from curator.recipe.found_here import is_item, is_model

_PLAIN = {".md", ".txt"}
_ROWS = {".csv", ".jsonl", ".parquet", ".tsv"}
_CONVERSATIONS = {"messages", "conversations", "conversation"}
_PACKED = {".bz2", ".gz", ".xz", ".zst"}
# What `curate heldout` writes in each row: what a set is measured by is never in it.
_HELDOUT = {"corpus", "unit", "text"}
# Folders of other things than texts: sets, runs, virtual environments.
_MARKS = ("manifest.json", "plan.json", "pyvenv.cfg")
_MAGIC = set("*?[")
# A home folder is looked into, but not to its end.
_MOST, _FOLDERS, _DEPTH = 12, 500, 4
# The largest file of rows whose first row is read: some kinds are read in large parts.
_LARGEST = 1 << 30


@dataclass(frozen=True, slots=True)
class Texts:
    """A source to suggest.

    Attributes:
        path: a file, or the pattern of several in one folder.
        task: ``chat`` for conversations, ``qa`` for questions with answers, else ``prose``.
    """

    path: Path
    task: str = "prose"


def find_texts(folder: Path, without: set[Path]) -> list[Texts]:
    """The first dozen that could be sources; files of one kind below the folder itself become one pattern.

    Args:
        folder: where to look, hidden folders, models, sets and runs excepted.
        without: files that are none, such as the evaluation.
    """
    return list(islice(_suggested(folder, without), _MOST))


def _suggested(folder: Path, without: set[Path]) -> Iterator[Texts]:
    for place, files in _folders(folder):
        groups: dict[tuple[str, str], list[Path]] = {}
        whole = place != folder and not _MAGIC & set(str(place))
        for path in files[:_FOLDERS]:
            kind = _kind(path)
            task = "" if not kind or path in without else _task(path, kind)
            if task:
                groups.setdefault((_ending(path), task), []).append(path)
            elif kind:
                # A pattern would take this one in too.
                whole = False
        endings = [ending for ending, _ in groups]
        for (ending, task), paths in groups.items():
            if whole and len(paths) > 1 and endings.count(ending) == 1:
                yield Texts(place / f"*{ending}", task)
            else:
                yield from (Texts(path, task) for path in paths)


def _folders(top: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Folders with the files in them, in the order of their names, this one first."""
    for at, (name, below, files) in enumerate(os.walk(top)):
        place = Path(name)
        skipped = at and (any(mark in files for mark in _MARKS) or is_model(place))
        deep = len(place.relative_to(top).parts) >= _DEPTH
        kept = [] if skipped or deep else sorted(one for one in below if _is_shown(one) and one != "node_modules")
        below[:] = kept
        if not skipped:
            yield place, [place / file for file in sorted(files) if _is_shown(file) and (place / file).is_file()]
        if at >= _FOLDERS:
            return


def _is_shown(name: str) -> bool:
    return not name.startswith(".")


def _ending(path: Path) -> str:
    packed = path.suffix.lower() in _PACKED
    return "".join(path.suffixes[-2:]) if packed else path.suffix


def _kind(path: Path) -> str:
    """``plain``, ``rows``, or nothing for what is no text."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    last = suffixes[-1] if suffixes else ""
    return "plain" if last in _PLAIN else "rows" if last in _ROWS else ""


def _task(path: Path, kind: str) -> str:
    """What the first row is good for; nothing for an evaluation item or a held-out prompt."""
    if kind == "plain":
        return "prose"
    # Whatever is wrong with a file is told when it is used.
    with suppress(CurateError, UnusableError, OSError):
        if path.stat().st_size > _LARGEST:
            return "prose"
        for row in islice(read_span(LocalFile(path, path.name), Reading()), 1):
            if isinstance(row, Row):
                if is_item(row.values) or set(row.values) >= _HELDOUT:
                    return ""
                made = content_of(row.values, Reading())
                return "prose" if made.messages is None else _of_turns(set(row.values))
    return "prose"


def _of_turns(columns: set[str]) -> str:
    return "qa" if "question" in columns and not columns & _CONVERSATIONS else "chat"
