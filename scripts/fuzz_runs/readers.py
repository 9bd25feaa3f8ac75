"""Readers of texts: every format in every compression, in many readings."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard
from hypothesis import strategies as st

from curator.corpora.corpus import BadRow
from curator.corpora.reading import Reading
from curator.corpora.rows.byte_source import Labels, LocalFile
from curator.corpora.rows.file_shard import FileShard
from fuzz_runs.changes import changed_bytes
from fuzz_runs.target import Ready, Target

ROWS: list[dict[str, Any]] = [
    {"text": f"The boat number {number} left at noon. Ωβ", "language": "en", "n": number, "extra": [number, None]}
    for number in range(5)
]
TURNS = [{"messages": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}]}] * 3
_COMPRESS = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": zstandard.ZstdCompressor().compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}
_READINGS: tuple[dict[str, Any], ...] = (
    {},
    {"bad_rows": "stop"},
    {"encoding_errors": "replace"},
    {"encoding": "utf-16"},
    {"encoding": "shift_jis", "encoding_errors": "replace"},
    {"columns": {"text": "extra.0"}},
    {"columns": {"messages": "messages", "tools": "extra"}},
    {"columns": {"prompt": "text", "response": "language", "choices": "extra"}},
    {"join": "{text}\n{n}"},
    {"unit": "paragraph"},
    *({"format": name} for name in ("jsonl", "json", "parquet", "arrow", "csv", "tsv", "text")),
)
_PAYLOADS = (
    b'{"text": "', b'"}', b'"', b",", b"[", b"]", b"\r", b"\n\n", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"NaN",
    b"1e999", b"9" * 5000, b"\\ud800", b"\xf0\x9f", b"[" * 3000, b"PAR1", b"ARROW1", b"\x1f\x8b\x08",
    b"\x28\xb5\x2f\xfd", b"BZh91AY&SY", b"\xfd7zXZ\x00", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"text,n\n",
)  # fmt: skip


def plain_files() -> dict[str, bytes]:
    """A small valid file of each format, by its ending."""
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
    table = pa.Table.from_pylist(ROWS)
    csv = "text,language,n,extra\n" + "".join(f'"{row["text"]}",en,{row["n"]},"a ""b"""\n' for row in ROWS)
    return {
        "jsonl": lines.encode(),
        "turns.jsonl": "".join(json.dumps(row) + "\n" for row in TURNS).encode(),
        "json": json.dumps({"data": ROWS, "version": 1}).encode(),
        "csv": csv.encode(),
        "tsv": csv.replace(",", "\t").encode(),
        "txt": ("\n\n".join(row["text"] for row in ROWS)).encode(),
        "utf16.txt": ("\n\n".join(row["text"] for row in ROWS)).encode("utf-16"),
        "parquet": _parquet(table, "snappy"),
        "zstd.parquet": _parquet(table, "zstd"),
        "arrow": _arrow(table, pa.ipc.new_file),
        "stream.arrow": _arrow(table, pa.ipc.new_stream),
    }


def _parquet(table: pa.Table, codec: str) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, compression=codec, row_group_size=2)
    return sink.getvalue()


def _arrow(table: pa.Table, opened: Any) -> bytes:
    sink = io.BytesIO()
    with opened(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return sink.getvalue()


@contextmanager
def _ready(folder: Path) -> Iterator[Ready]:
    plain = plain_files()
    names = [f"a.{kind}{ending}" for kind in plain for ending in _COMPRESS] + ["a"]

    def check(case: tuple[str, bytes, str, dict[str, Any]]) -> bool:
        name, content, ending, reading = case
        # The same name for all: what crashed the interpreter itself lies there afterwards.
        path = folder / "input"
        path.write_bytes(_COMPRESS[ending](content) if ending else content)
        labels = Labels(corpus="c", prefix=name, file=name, unit="u", task="prose")
        return read_all(FileShard(LocalFile(path, name), Reading.model_validate(reading), labels))

    before = changed_bytes(list(plain.values()), _PAYLOADS)
    after = changed_bytes([pack(data) for data in plain.values() for pack in _COMPRESS.values()], _PAYLOADS)
    name, reading = st.sampled_from(names), st.sampled_from(_READINGS)
    # Damage of the texts inside a compressed file, and of what is stored.
    inside = st.tuples(name, before, st.sampled_from(list(_COMPRESS)), reading)
    yield Ready(inside | st.tuples(name, after, st.just(""), reading), check)


def read_all(shard: FileShard) -> bool:
    """Read a shard to its end; each text can be written, each reason is one line."""
    for record in shard.records():
        if isinstance(record, BadRow):
            assert "\n" not in record.where + record.reason + record.detail, record
        else:
            record.text.encode("utf-8")
            record.id.encode("utf-8")
    return True


READERS = Target("readers", "texts of eleven kinds of file, plain and in four compressions", _ready)
