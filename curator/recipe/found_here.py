"""What a folder holds that a first recipe can be made of: models and an evaluation file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator._errors import InputError

_EVALUATION_KEYS = {"task", "question", "gold"}
_TOKENIZERS = ("tokenizer.json", "tokenizer_config.json", "tokenizer.model")
# The first row of a file tells its kind; a line longer than this is no evaluation item that we could name.
_FIRST_BYTES = 4 * 1024 * 1024
# With a byte order mark.
_BLANK = b"\xef\xbb\xbf \t\r\n"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An evaluation file.

    Attributes:
        path: the file.
        items: number of items by task, in the order of the file.
        unusable: rows without a task.
    """

    path: Path
    items: dict[str, int]
    unusable: int


def is_model(folder: Path) -> bool:
    """Whether a folder has a configuration and a tokenizer."""
    return (folder / "config.json").is_file() and any((folder / name).is_file() for name in _TOKENIZERS)


def find_models(folder: Path) -> list[Path]:
    """Model folders: this one and those directly in it."""
    places = [place for place in (folder, *_inside(folder)) if str(place).isprintable()]
    return [place for place in places if place.is_dir() and is_model(place)]


def find_evaluations(folder: Path) -> list[Path]:
    """JSON Lines files directly in a folder whose first row is an evaluation item."""
    files = [path for path in _inside(folder) if path.suffix == ".jsonl" and path.is_file()]
    return [path for path in files if is_item(_first_row(path))]


def is_item(row: Mapping[str, Any]) -> bool:
    """Whether a row has the keys of an evaluation item."""
    return set(row) >= _EVALUATION_KEYS


def read_evaluation(path: Path) -> Evaluation:
    """Count an evaluation file's items by task.

    Raises:
        InputError: it cannot be read, or no row of it has ``task``, ``question`` and ``gold``.
    """
    items: Counter[str] = Counter()
    unusable = 0
    for row in _rows(path):
        task = row.get("task")
        if isinstance(task, str) and task.strip() and is_item(row):
            items[task] += 1
        else:
            unusable += 1
    if not items:
        raise InputError(f"{path}: no row has task, question and gold; give an evaluation file as JSON Lines")
    return Evaluation(path, dict(items), unusable)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """One object a line; what is none comes as an empty one."""
    try:
        with path.open("rb") as handle:
            for line in handle:
                if line.strip(_BLANK):
                    yield _object(line)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error


def _first_row(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as handle:
            return next((_object(line) for line in handle.readlines(_FIRST_BYTES) if line.strip(_BLANK)), {})
    except OSError:
        return {}


def _object(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}


def _inside(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:
        return []
