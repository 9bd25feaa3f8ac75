"""Which format a file has."""

from __future__ import annotations

import json
from typing import Literal

from curator._errors import InputError
from curator.corpora.rows.arrow_file import FILE_MAGIC, STREAM_MAGIC

Format = Literal["jsonl", "json", "parquet", "arrow", "csv", "tsv", "text"]

BY_NAME: dict[str, Format] = {
    "jsonl": "jsonl", "ndjson": "jsonl", "jsonlines": "jsonl", "json": "json", "parquet": "parquet",
    "pq": "parquet", "arrow": "arrow", "feather": "arrow", "ipc": "arrow", "csv": "csv", "tsv": "tsv",
    "tab": "tsv", "txt": "text", "text": "text", "md": "text", "markdown": "text", "rst": "text",
}  # fmt: skip
_COMPRESSED = ("gz", "gzip", "zst", "zstd", "bz2", "xz")
_PARQUET_MAGIC = b"PAR1"
# The first row of JSON Lines ends within this; a longer line is one JSON value, as `.json` files often are.
HEAD_BYTES = 1 << 20


def format_by_name(name: str) -> Format | None:
    """The format that a file's name tells, without ``.gz`` and the like; ``None`` when it tells none."""
    stem = name.rpartition("/")[2].lower()
    rest, dot, last = stem.rpartition(".")
    if dot and last in _COMPRESSED:
        rest, dot, last = rest.rpartition(".")
    return BY_NAME.get(last) if dot else None


def format_of(name: str, head: bytes) -> Format:
    """The format of a file whose recipe says ``auto``.

    Args:
        name: its name, or a path or address that ends in it.
        head: its first bytes, decompressed.

    Raises:
        InputError: neither name nor bytes tell.
    """
    if head.startswith(_PARQUET_MAGIC):
        return "parquet"
    if head.startswith((FILE_MAGIC, STREAM_MAGIC)):
        return "arrow"
    named = format_by_name(name)
    if named in ("parquet", "arrow"):
        raise InputError(
            f"{name}: no {named.capitalize()} file, although its name says so; set format in the recipe"
        )
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    # JSON Lines are often called .json, and the other way round, so the first line decides.
    if named == "jsonl" and _is_spread(start):
        return "json"
    if named not in (None, "json"):
        return named
    if start.startswith(b"{"):
        return "jsonl" if _is_first_of_many(start) else "json"
    if start.startswith(b"[") or named == "json":
        return "json"
    known = ", ".join(f".{ending}" for ending in BY_NAME)
    raise InputError(
        f"{name}: its format is not clear; set format (jsonl, json, parquet, arrow, csv, tsv or text) in the "
        f"recipe, or name the file by it ({known})"
    )


def refuse_table(name: str, head: bytes, wanted: str) -> None:
    """Refuse a table whose recipe says that it is something else.

    Raises:
        InputError: ``head`` is that of a Parquet or Arrow file.
    """
    magic = {_PARQUET_MAGIC: "parquet", FILE_MAGIC: "arrow"}
    found = next((kind for mark, kind in magic.items() if head.startswith(mark)), "")
    if found:
        raise InputError(f"{name}: a {found.capitalize()} file, not {wanted}; set format: {found}")


def _is_spread(start: bytes) -> bool:
    """Whether the first line begins an array or object that goes on below, or is an array of objects."""
    line, _, rest = start.partition(b"\n")
    line = line.strip()
    if line in (b"[", b"{"):
        return True
    goes_on, is_all = line.endswith(b"},"), line.endswith(b"}]") and not rest.strip()
    return line.startswith(b"[") and (goes_on or is_all)


def _is_first_of_many(start: bytes) -> bool:
    """Whether the first line is an object and more lines follow."""
    line, _, rest = start.partition(b"\n")
    try:
        return bool(rest.strip()) and isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
