from pathlib import Path

import pytest
from row_files import records

from curator._errors import InputError
from curator.corpora.rows.detect import format_by_name, format_of


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a/b.jsonl", "jsonl"), ("b.JSONL.gz", "jsonl"), ("b.ndjson.zst", "jsonl"), ("b.json.bz2", "json"),
        ("b.parquet", "parquet"), ("b.arrow", "arrow"), ("b.csv.xz", "csv"), ("b.tsv", "tsv"), ("b.txt", "text"),
        ("b.gz", None), ("jsonl", None), ("b.dat", None), ("dir.csv/b", None),
    ],
)  # fmt: skip
def test_by_name(name: str, told: str | None) -> None:
    assert format_by_name(name) == told


@pytest.mark.parametrize(
    ("name", "head", "told"),
    [
        ("b", b"PAR1xx", "parquet"),
        ("b.csv", b"PAR1xx", "parquet"),
        ("b", b"ARROW1xx", "arrow"),
        ("b", b'\n{"a": 1}\n{"a": 2}\n', "jsonl"),
        ("b", b'{\n "a": 1}\n', "json"),
        ("b", b' [{"a": 1}]', "json"),
        ("b.json", b'{"a": 1}\n{"a": 2', "jsonl"),
        ("b.json", b'\xef\xbb\xbf{"a": 1}\n{"a": 2', "jsonl"),
        ("b.json", b'{"a": 1}\n\n', "json"),
        ("b.jsonl", b"[1]\n", "jsonl"),
        ("b.jsonl", b"{broken\n", "jsonl"),
        ("b.jsonl", b'[\n {"a": 1}', "json"),
        ("b.jsonl", b'{\r\n "a": 1}', "json"),
        ("b.jsonl", b'[{"a": 1},\n{"a": 2}]', "json"),
        ("b.jsonl", b'[{"a": 1}]\n', "json"),
        ("b.jsonl", b'[{"a": 1}]\n{"a": 2}\n', "jsonl"),
        ("b.json", b"", "json"),
    ],
)
def test_by_bytes(name: str, head: bytes, told: str) -> None:
    assert format_of(name, head) == told


def test_what_is_not_clear_is_refused_with_the_fix(tmp_path: Path) -> None:
    for content in (b"some words\n", b"a,b\n1,2\n", b""):
        with pytest.raises(InputError, match=r"^notes: its format is not clear; set format \(jsonl, json"):
            records(tmp_path, "notes", content)
    assert len(records(tmp_path, "notes", b"some words\n", format="text")) == 1
    with pytest.raises(InputError, match=r"^a\.jsonl: a zip archive; unpack it"):
        records(tmp_path, "a.jsonl", b"PK\x03\x04more")
