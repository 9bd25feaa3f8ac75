"""Files of a few kilobytes that say gigabytes: refused in one line, with little memory, in every format.

Each is read in a process of its own whose memory is limited, so that a reader that believes a file fails here.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import struct
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from row_files import records, texts

from curator._errors import InputError
from curator.corpora.rows.compression import decompressed
from curator.corpora.rows.inflation import FREE_BYTES, STREAM_RATIO, TABLE_RATIO, Inflation
from curator.corpora.rows.parquet_pages import page_sizes
from curator.corpora.rows.table_sizes import VALUE, row_sizes

MB = 1 << 20
# What the process may take beyond what it has once everything is imported.
ROOM = 768 * MB
READER = textwrap.dedent("""
    import json, resource, sys
    from pathlib import Path
    from curator._errors import InputError
    from curator.corpora.reading import Reading
    from curator.corpora.rows import inflation
    from curator.corpora.rows.byte_source import LocalFile
    from curator.corpora.rows.row_reader import read_span
    import pandas, pyarrow.parquet, pyarrow.compute
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    inflation.FREE_BYTES = int(sys.argv[3])
    limit = pages * resource.getpagesize() + int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    said = {}
    for path in sorted(Path(sys.argv[1]).iterdir()):
        form = path.name.split("-")[0]
        rows, error = 0, ""
        try:
            for row in read_span(LocalFile(path, "bomb"), Reading.model_validate({"format": form})):
                rows += 1
        except InputError as refused:
            error = str(refused)
        said[path.name] = [rows, error]
    print(json.dumps(said))
""")
KINDS = ("gzip", "zstd", "bzip2", "xz")
LINES = ("jsonl", "csv", "text")
Said = dict[str, tuple[int, str]]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Said:
    """Rows and refusal of every bomb but those of `said_of_lines`; little is read freely, to save time."""
    folder = tmp_path_factory.mktemp("bombs")
    for kind in KINDS:
        (folder / f"json-{kind}").write_bytes(zeros(kind, b" ", 10_240 * MB))
    for form in LINES:
        (folder / f"{form}-zstd").write_bytes(zeros("zstd", b"\n", 10_240 * MB))
    (folder / "jsonl-line").write_bytes(rle_frame(b"0", 10_240 * MB))
    tables(folder)
    return read_apart(folder, free=4 * MB)


@pytest.fixture(scope="module")
def said_of_lines(tmp_path_factory: pytest.TempPathFactory) -> Said:
    """The same of blank lines, of which a reader goes through tens of millions before it is enough."""
    folder = tmp_path_factory.mktemp("lines")
    for kind in KINDS:
        blank = zeros(kind, b"\n", 10_240 * MB)
        for form in LINES:
            (folder / f"{form}-{kind}").write_bytes(blank)
    return read_apart(folder, free=FREE_BYTES)


def read_apart(folder: Path, free: int) -> Said:
    """Read every file of a folder one after the other in one process with little memory."""
    assert max(path.stat().st_size for path in folder.iterdir() if "gzip" not in path.name) < 2 * MB
    done = subprocess.run(
        [sys.executable, "-c", READER, str(folder), str(ROOM), str(free)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return {name: (rows, error) for name, (rows, error) in json.loads(done.stdout).items()}


def tables(folder: Path) -> None:
    parquet(folder / "auto-names.parquet", pa.table({"text": one_name(1_000_000)}))
    turns = pa.StructArray.from_arrays([one_name(100_000, 4), one_name(100_000)], ["role", "content"])
    parquet(folder / "auto-turns.parquet", pa.table({"messages": lists_of(turns, 100_000)}))
    large = pa.array(["a" * (80 * MB)], pa.large_string())
    parquet(
        folder / "auto-page.parquet", pa.table({"text": large}), use_dictionary=False, data_page_size=2**31 - 1
    )
    same = pa.table({"text": ["a" * MB] * 80})
    encoding = {"text": "DELTA_BYTE_ARRAY"}
    parquet(folder / "auto-prefix.parquet", same, use_dictionary=False, column_encoding=encoding)
    nothing = pa.table({"text": pa.nulls(8_000_000, pa.string())})
    parquet(folder / "auto-nothing.parquet", nothing, row_group_size=8_000_000)
    small = pa.record_batch({"text": pa.array(["x"], pa.large_string())})
    arrow(folder / "auto-file.arrow", small, pa.record_batch({"text": large}))
    arrow(folder / "auto-stream.arrow", small, pa.record_batch({"text": large}), new=pa.ipc.new_stream)
    zero, one = pa.array(np.zeros(100_000, dtype=np.int32)), pa.array(np.ones(100_000, dtype=np.int32))
    columns = {
        "names": one_name(100_000),
        "lists": lists_of(one_name(100_000), 100_000),
        "views": pa.ListViewArray.from_arrays(zero, one, pa.array(["a" * MB])),
        "runs": pa.RunEndEncodedArray.from_arrays(pa.array([100_000], pa.int32()), pa.array(["a" * MB])),
        "nothing": pa.nulls(2**27),
    }
    for name, column in columns.items():
        arrow(folder / f"auto-{name}.arrow", pa.record_batch({"text": column}))


def bomb(said: Said, name: str, rows: int = 0) -> None:
    assert said[name][0] == rows
    assert "decompression bomb" in said[name][1] and "\n" not in said[name][1]


def zeros(kind: str, unit: bytes, count: int) -> bytes:
    """``count`` bytes of one kind, compressed without being made."""
    if kind == "zstd":
        return rle_frame(unit, count)
    pack = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}[kind]
    # Members one behind the other are one file.
    return pack(unit * (8 * MB)) * (count // (8 * MB))


def rle_frame(unit: bytes, count: int) -> bytes:
    """A zstd frame by hand (RFC 8878): blocks of 128 KB, each said in four bytes."""
    size = 128 * 1024
    block = struct.pack("<I", (size << 3) | (1 << 1))[:3] + unit[:1]
    head = bytes([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38])
    last = struct.pack("<I", 1)[:3]
    return head + block * (count // size) + last


@pytest.mark.parametrize("file", [*(f"json-{kind}" for kind in KINDS), *(f"{form}-zstd" for form in LINES)])
def test_ten_gigabytes_of_nothing_in_a_compressed_file(said: Said, file: str) -> None:
    bomb(said, file)


@pytest.mark.full
@pytest.mark.parametrize("form", LINES)
@pytest.mark.parametrize("kind", KINDS)
def test_ten_billion_blank_lines(said_of_lines: Said, kind: str, form: str) -> None:
    bomb(said_of_lines, f"{form}-{kind}")


def test_one_line_without_end(said: Said) -> None:
    bomb(said, "jsonl-line")


def test_a_few_bytes_of_zstd_do_not_come_out_at_once() -> None:
    # 16 KB of these blocks say 512 MB.
    sizes = []
    with pytest.raises(InputError, match=f"expands to over {STREAM_RATIO} times its size"):
        for block in decompressed([rle_frame(b"\0", 2048 * MB)], "zstd", "f"):
            sizes.append(len(block))
    assert max(sizes) <= 64 * MB
    assert sum(sizes) <= FREE_BYTES + 64 * MB


def test_what_repeats_a_lot_and_is_small_is_read() -> None:
    text = b"the same line\n" * (2 * MB)
    assert len(text) > STREAM_RATIO * len(zstandard.compress(text))
    assert b"".join(decompressed([zstandard.compress(text)], "zstd", "f")) == text


def test_what_is_large_and_expands_little_is_read() -> None:
    inflation = Inflation("f", STREAM_RATIO, stored=FREE_BYTES)
    inflation.add(STREAM_RATIO * FREE_BYTES)
    with pytest.raises(InputError, match=r"^f: expands to over 200 times its size"):
        inflation.add(1)


def one_name(rows: int, size: int = MB) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, dtype=np.int32)), pa.array(["a" * size]))


def lists_of(values: pa.Array, each: int) -> pa.ListArray:
    return pa.ListArray.from_arrays(pa.array(np.arange(0, len(values) + 1, each, dtype=np.int32)), values)


def parquet(path: Path, table: pa.Table, **options: Any) -> Path:
    pq.write_table(table, path, compression="zstd", store_schema=False, **options)
    return path


def arrow(path: Path, *batches: pa.RecordBatch, new: Callable[..., Any] = pa.ipc.new_file) -> Path:
    out = io.BytesIO()
    with new(out, batches[0].schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        for batch in batches:
            writer.write_batch(batch)
    path.write_bytes(out.getvalue())
    return path


def test_a_megabyte_that_a_million_rows_name_in_parquet(said: Said) -> None:
    bomb(said, "auto-names.parquet", said["auto-names.parquet"][0])
    # Some were read before it was clear; 64 MB of them.
    assert said["auto-names.parquet"][0] <= 64


def test_the_same_within_the_turns_of_one_row(said: Said) -> None:
    bomb(said, "auto-turns.parquet")


def test_a_page_that_is_packed_a_thousandfold(said: Said) -> None:
    bomb(said, "auto-page.parquet")
    assert said["auto-page.parquet"][1].startswith("bomb, column text: expands to over 1000 times its size")


def test_values_that_begin_with_all_of_the_one_before(said: Said) -> None:
    bomb(said, "auto-prefix.parquet", said["auto-prefix.parquet"][0])
    assert said["auto-prefix.parquet"][0] <= 64


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_a_buffer_that_unpacks_a_thousandfold_in_arrow(said: Said, kind: str) -> None:
    bomb(said, f"auto-{kind}.arrow", rows=1)


@pytest.mark.parametrize("kind", ["names", "lists", "views", "runs"])
def test_one_value_in_many_places_in_arrow(said: Said, kind: str) -> None:
    bomb(said, f"auto-{kind}.arrow")


def test_rows_of_nothing(said: Said) -> None:
    bomb(said, "auto-nothing.arrow")
    bomb(said, "auto-nothing.parquet", said["auto-nothing.parquet"][0])
    assert said["auto-nothing.parquet"][0] < 8_000_000


def test_an_index_that_leads_elsewhere_is_not_followed(tmp_path: Path) -> None:
    """A file's own index of messages may name a place that was not looked at."""
    path = arrow(tmp_path / "a.arrow", pa.record_batch({"text": ["one"]}), pa.record_batch({"text": ["two"]}))
    content = path.read_bytes()
    end = struct.unpack("<I", content[-10:-6])[0]
    # Without its index the file is still all there.
    spoilt = content[: -10 - end] + bytes(end) + content[-10:]
    assert texts(records(tmp_path, "b.arrow", spoilt)) == ["one", "two"]


def test_names_that_are_used_as_they_should_be(tmp_path: Path) -> None:
    """A long system prompt in every row, written once: the rows are all there, by the same words."""
    system = "You are a careful assistant. " * 2000
    turns = [
        [{"role": "system", "content": system}, {"role": "user", "content": f"Question {n}?"}] for n in range(300)
    ]
    kind = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
    out = io.BytesIO()
    pq.write_table(pa.table({"messages": pa.array(turns, kind)}), out)
    found = texts(
        records(
            tmp_path,
            "a.parquet",
            out.getvalue(),
        )
    )
    assert found == [f"{system}\n\nQuestion {n}?" for n in range(300)]
    out = io.BytesIO()
    # Nearly the same text in 1,000 rows is 58 MB, which is little enough to be read whatever it is packed to.
    pq.write_table(pa.table({"text": [system + str(n % 7) for n in range(1000)]}), out)
    assert texts(records(tmp_path, "b.parquet", out.getvalue())) == [system + str(n % 7) for n in range(1000)]


@pytest.mark.parametrize(
    ("array", "bytes_of"),
    [
        (pa.array(["abc", None, "é"]), [3, 0, 2]),
        (pa.array([b"abc", None, b""]), [3, 0, 0]),
        (pa.array(["abc", "x"], pa.large_string()), [3, 1]),
        (pa.array(["abc", "a text that is longer than a view"]).cast(pa.string_view()), [3, 33]),
        (pa.array(["abc", "x"]).cast(pa.string_view()).slice(1), [1]),
        (pa.array(["abc", "x", "abc"]).dictionary_encode(), [3, 1, 3]),
        (pa.array([1, 2], pa.int64()), [0, 0]),
        (pa.array([{"a": "abc", "b": "x"}, {"a": None, "b": None}]), [4 + 2 * VALUE, 2 * VALUE]),
        (pa.array([["abc", "x"], [], None]), [4 + 2 * VALUE, 0, 0]),
        (pa.array([["abc", "x"], ["y"]]).slice(1), [1 + VALUE]),
        (pa.array([["abc", "x"], ["y", "z"]], pa.list_(pa.string(), 2)).slice(1), [2 + 2 * VALUE]),
        (pa.array([[("k", "abc")], []], pa.map_(pa.string(), pa.string())), [4 + 3 * VALUE, 0]),
    ],
)
def test_sizes_are_those_of_the_values_written_out(array: pa.Array, bytes_of: list[int]) -> None:
    # Each value of a row, and the row itself, counts a little besides.
    assert row_sizes(pa.record_batch({"c": array})).tolist() == [size + 2 * VALUE for size in bytes_of]


def test_sizes_of_pages_are_read_from_their_headers() -> None:
    # Thrift's compact protocol by hand: i32 fields 1, 2, 3 as zigzag numbers; 300 is 600 is D8 04.
    assert page_sizes(bytes([0x15, 4, 0x15, 0xD8, 0x04, 0x15, 20, 0x4C])) == (300, 10)
    for other in (b"", b"\x15", b"\x15\x04\x15\xd8", b"\x16\x04\x15\x04\x15\x04", b"\x15\x04\x15\x05\x15\x04"):
        assert page_sizes(other) is None
    assert TABLE_RATIO > STREAM_RATIO
