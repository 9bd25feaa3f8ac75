"""Reading a set folder back, with nothing but the standard library."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator._errors import InputError
from curator._files import read_json

# Ids are hashed, and handed to torch, as signed 32-bit numbers.
_TOO_LARGE = 2**31


@dataclass(frozen=True, slots=True)
class StoredSet:
    """A set read from its folder.

    Attributes:
        rows: token ids, one list a sequence; lengths may differ.
        texts: what each row's ids decode to, special tokens included; empty where the set has no texts.
        manifest: the set's manifest.json.
    """

    rows: list[list[int]]
    texts: list[str]
    manifest: dict[str, Any]


def read_set(folder: str | Path) -> StoredSet:
    """Read a set folder and check that its token ids are those that its manifest names.

    Raises:
        InputError: not a set folder, damaged, or changed by hand.
    """
    folder = Path(folder)
    if not (folder / "manifest.json").is_file():
        raise InputError(
            f"{folder}: no set folder, it has no manifest.json; `curate build RECIPE --out SET` makes one"
        )
    manifest = read_json(folder / "manifest.json")
    rows: list[list[int]] = []
    texts: list[str] = []
    for place, row in _objects(folder / "samples.jsonl"):
        # A set of random tokens has no text.
        ids, text = row.get("input_ids"), row.get("text", "")
        if not isinstance(ids, list) or not ids or not all(_is_id(token) for token in ids):
            raise InputError(f"{place}: input_ids must be a list of token ids; build the set again")
        if not isinstance(text, str) or any("\ud800" <= letter <= "\udfff" for letter in text):
            raise InputError(f"{place}: text must be the row's text; build the set again")
        rows.append(ids)
        texts.append(text)
    if not isinstance(manifest, dict) or set_sha256(rows) != manifest.get("set_hash"):
        raise InputError(f"{folder}: samples.jsonl does not match manifest.json's set_hash; build the set again")
    return StoredSet(rows, texts, manifest)


def set_sha256(rows: Sequence[Sequence[int]]) -> str:
    """Hash of the token ids alone: each row's length, then its ids, as little-endian 32-bit numbers."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(struct.pack(f"<I{len(row)}i", len(row), *row))
    return digest.hexdigest()


def _objects(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows that we wrote: one JSON object a line, each with ``path:line``."""
    # Reading a pipe that nobody writes would never end.
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: is no file; name a set folder")
    try:
        with path.open("rb") as handle:
            for number, line in enumerate(handle, start=1):
                place = f"{path}:{number}"
                yield place, _object(place, line)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}); name a set folder") from error


def _object(place: str, line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: not JSON; build the set again") from error
    if not isinstance(row, dict):
        raise InputError(f"{place}: a row must be an object; build the set again")
    return row


def _is_id(token: Any) -> bool:
    return type(token) is int and 0 <= token < _TOO_LARGE
