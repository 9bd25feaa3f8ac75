import json
import os
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from row_files import bad, kept, records, shard

from curator._errors import InputError
from curator.corpora.corpus import BadRow
from curator.corpora.document import Document
from curator.corpora.reading import Columns, Reading
from curator.corpora.rows.byte_source import Labels, LocalFile
from curator.corpora.rows.file_shard import FileShard


def test_a_row_becomes_a_document(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('\n{"body": "A line.", "lang": "en", "lic": null}\n')
    labels = Labels("c", "c/a", "a.jsonl", "u", "prose", "und", "MIT", "abc")
    reading = Reading(columns=Columns(text="body", language="lang", licence="lic"))
    part = FileShard(LocalFile(path, "a.jsonl"), reading, labels)
    assert list(pickle.loads(pickle.dumps(part)).records()) == [
        Document(
            id="c/a#2",
            corpus="c",
            unit="u",
            task="prose",
            language="en",
            licence="MIT",
            text="A line.",
            revision="abc",
            file="a.jsonl",
            row=2,
        )
    ]


@pytest.mark.parametrize(
    ("row", "columns", "licence"),
    [
        ({"license": "GPL-3.0-only"}, {}, "GPL-3.0-only"),
        ({"licence": " CC0-1.0 ", "license": "GPL-3.0-only"}, {}, "CC0-1.0"),
        ({"licence": None, "license": "GPL-3.0-only"}, {"text": "text"}, "GPL-3.0-only"),
        ({"license": ["GPL-3.0-only"]}, {}, "GPL-3.0-only"),
        ({"license": "", "licence": 3}, {}, "unknown"),
        ({"license": ["MIT", "GPL-2.0-only OR MIT"]}, {}, "MIT AND (GPL-2.0-only OR MIT)"),
        ({"license": {"spdx": "GPL-3.0-only"}}, {}, "unknown"),
        ({"license": {"spdx": "GPL-3.0-only"}}, {"licence": "license.spdx"}, "GPL-3.0-only"),
        ({"license": "", "licence": None}, {}, "MIT"),
        ({"terms": 0.5}, {"licence": "terms"}, "unknown"),
        ({"license": "GPL-3.0-only", "terms": "CC0-1.0"}, {"licence": "terms"}, "CC0-1.0"),
        ({"license": "GPL-3.0-only", "terms": None}, {"licence": "terms"}, "MIT"),
    ],
)
def test_the_licence_of_a_row_wins_in_every_format(
    tmp_path: Path, row: dict[str, Any], columns: dict[str, str], licence: str
) -> None:
    rows = [{"text": "one", **row}]
    (tmp_path / "a.jsonl").write_text(json.dumps(rows[0]))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    labels = Labels("c", "a", "a", "u", "t", licence="MIT")
    for name in ("a.jsonl", "a.parquet"):
        source = LocalFile(tmp_path / name, name)
        (found,) = FileShard(source, Reading(columns=Columns.model_validate(columns)), labels).records()
        assert isinstance(found, Document) and (found.licence, found.text) == (licence, "one")


def test_a_task_that_is_no_text_is_never_that_of_the_source(tmp_path: Path) -> None:
    rows = [
        {"text": "one", "kind": kind, "lang": kind} for kind in ("qa", ["qa"], None, 3, {"of": "qa"}, ["a", "b"])
    ]
    content = "\n".join(map(json.dumps, rows)).encode()
    found = records(tmp_path, "a.jsonl", content, columns={"text": "text", "task": "kind"})
    assert [row.task for row in found if isinstance(row, Document)] == ["qa", "qa", "prose"]
    assert bad(found) == [(f"a.jsonl:{line}", "no task") for line in (4, 5, 6)]
    found = records(tmp_path, "a.jsonl", content, columns={"text": "text", "language": "lang"})
    assert [row.language for row in found if isinstance(row, Document)] == ["qa", "qa", *["und"] * 4]


@pytest.mark.parametrize("content", [b'{"text": "two"}\n', b'{"text": "one"}\n{"text": "two"}\n', b""])
def test_a_file_that_changes_after_it_was_stamped_stops_the_run(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "one"}\n')
    part = shard(path)
    part = replace(part, source=LocalFile(path, "a.jsonl").stamped())
    assert kept(list(part.records())) == [(1, "one")]
    # Before it is read, and while it is read.
    while_read = part.records()
    next(while_read)
    path.write_bytes(content)
    os.utime(path, ns=(1, 1))
    for rows in (part.records(), while_read):
        with pytest.raises(InputError, match=r"^a\.jsonl: changed while it was read; run again$"):
            list(rows)
    path.unlink()
    with pytest.raises(InputError, match=r"^a\.jsonl: cannot be read"):
        list(part.records())


def test_rows_without_text_are_counted_each_under_its_reason(tmp_path: Path) -> None:
    rows = [
        '{"text": "one"}',
        '{"text": ""}',
        '{"text": " \\t"}',
        '{"text": null}',
        '{"id": 4}',
        '{"text": "\\u200b"}',
    ]
    found = records(tmp_path, "a.jsonl", "\n".join(rows).encode())
    assert kept(found) == [(1, "one")]
    assert bad(found) == [
        ("a.jsonl:2", "empty"),
        ("a.jsonl:3", "blank"),
        ("a.jsonl:4", "null"),
        ("a.jsonl:5", "missing column"),
        ("a.jsonl:6", "zero-width"),
    ]


def test_a_bad_row_stops_the_run_when_the_recipe_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^a\.jsonl:2: column 'text' must be text, not a number; convert it"):
        records(tmp_path, "a.jsonl", b'{"text": "one"}\n{"text": 2}\n', bad_rows="stop")


def test_two_shapes_in_one_file(tmp_path: Path) -> None:
    rows = b'{"text": "a"}\n{"messages": [{"role": "user", "content": "b"}]}\n{"prompt": "c", "response": "d"}\n'
    assert kept(records(tmp_path, "a.jsonl", rows)) == [(1, "a"), (2, "b"), (3, "c\n\nd")]


def test_the_column_is_found_without_losing_rows_and_limits_count_all_rows(tmp_path: Path) -> None:
    content = b"not JSON\n" + b"".join(b'{"n": %d, "body": "t%d"}\n' % (row, row) for row in range(2, 203))
    assert len(kept(records(tmp_path, "a.jsonl", content))) == 201
    part = shard(tmp_path / "a.jsonl")
    limited = FileShard(part.source, part.reading, part.labels, limit=150)
    assert [row for row, _ in kept(list(limited.records()))] == list(range(2, 151))


def test_nested_values_do_not_end_the_run(tmp_path: Path) -> None:
    rows = [
        b'{"text": "x\\ud800", "v": ' + b"[" * 700 + b"]" * 700 + b"}",
        b'{"question": "q", "answer": "a", "context": ' + b"[" * 900 + b"]" * 900 + b"}",
        b'{"text": "last"}',
    ]
    assert kept(records(tmp_path, "a.jsonl", b"\n".join(rows)))[-1] == (3, "last")


def test_the_file_is_read_as_its_rows_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "a"}\n' * 40_000 + b"\xff\n")
    rows = shard(path).records()
    for _ in range(1000):
        assert isinstance(next(rows), Document)
    with pytest.raises(InputError, match="not UTF-8"):
        list(rows)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            '{"text": "a\tb"}',
            "Invalid control character at column 12); write one object a line, and line ends and tabs in a string "
            "as \\n and \\t",
        ),
        ('{"text": "open', "Unterminated string starting at column 10); write one object a line"),
        ('{"text": }', "Expecting value at column 10); write one object a line"),
    ],
)
def test_a_fault_of_json_is_told_in_whole_words(tmp_path: Path, line: str, told: str) -> None:
    (found,) = records(tmp_path, "a.jsonl", line.encode())
    assert isinstance(found, BadRow) and found.detail == f"not JSON ({told}"
    with pytest.raises(InputError) as caught:
        records(tmp_path, "a.json", b'[{"text": "b"},\n' + line.encode() + b"]")
    words = told.partition(" at column")[0]
    assert str(caught.value) == f"a.json:2: not JSON ({words})"
