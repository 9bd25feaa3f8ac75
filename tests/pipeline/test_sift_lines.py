"""Lines of the file come back byte for byte, and ids as the file has them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from curator.corpora.document import Document, Message
from curator.pipeline.sift import Sifted
from curator.pipeline.sift_lines import RowLines

LINES = [
    b'{"id": 0,  "text": "Le caf\xc3\xa9 de la gare."}\r\n',
    b'{"id": "7", "text":"d\\u00e9j\\u00e0 vu"}\n',
    b"\n",
    b'{"id": 12345678901234567890, "text": "x", "extra": [1, {"a": null}]}\n',
    b'{"id": "blank", "text": " "}\n',
    b'{"id": true, "text": "y"}',
]


def sifted(row: int, known: str | None, document: bool = True, **more: Any) -> Sifted:
    made = Document("d", "c", "u", "text", "en", "MIT", "y", row=row, row_id=known or "", **more)
    return Sifted(row, known, "text", "en", True, None, None, {}, "y", made if document else None)


@pytest.fixture(params=["plain", "gzip", "mark"])
def lines(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RowLines]:
    held = {"plain": b"", "gzip": b"", "mark": b"\xef\xbb\xbf"}[request.param] + b"".join(LINES)
    file = tmp_path / ("rows.jsonl.gz" if request.param == "gzip" else "rows.jsonl")
    file.write_bytes(gzip.compress(held) if request.param == "gzip" else held)
    with RowLines(file) as opened:
        yield opened


def test_lines_are_the_files_own_bytes(lines: RowLines) -> None:
    assert [lines.line(sifted(row, None)) for row in (1, 2, 4, 6)] == [
        LINES[0],
        LINES[1],
        LINES[3],
        LINES[5] + b"\n",
    ]


def test_lines_may_be_asked_for_twice_and_some_passed_over(lines: RowLines) -> None:
    assert lines.line(sifted(4, None)) == lines.line(sifted(4, None)) == LINES[3]


@pytest.mark.parametrize(
    ("row", "known", "document", "expected"),
    [
        (1, "0", True, 0),
        (2, "7", True, "7"),
        (4, "12345678901234567890", True, 12345678901234567890),
        # A row that gave no document had an id all the same.
        (5, None, False, "blank"),
        (6, None, True, None),
        (6, None, False, None),
        (1, "name", True, "name"),
    ],
)
def test_ids_are_numbers_where_the_file_has_numbers(
    lines: RowLines, row: int, known: str | None, document: bool, expected: Any
) -> None:
    found = lines.id(sifted(row, known, document))
    assert found == expected
    assert type(found) is type(expected)


def test_a_broken_line_has_no_id(tmp_path: Path) -> None:
    for content in (b"{broken\n", b"[1]\n", b'{"id": {}}\n', b'{"id": NaN}\n', b"[" * 100_000 + b"\n", b"\xff\n"):
        file = tmp_path / "rows.jsonl"
        file.write_bytes(content)
        with RowLines(file) as lines:
            assert lines.id(sifted(1, None, document=False)) is None


def test_rows_of_other_formats_are_written_as_what_they_say(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("id,text\n1,y\n")
    lines = RowLines(file)
    assert json.loads(lines.line(sifted(2, "1"))) == {
        "id": "1", "task": "text", "language": "en", "licence": "MIT", "text": "y",
    }  # fmt: skip
    turns = (Message("user", "Open?"), Message("assistant", "At seven."))
    written = json.loads(lines.line(sifted(2, None, messages=turns, tools=({"name": "t"},))))
    assert written["messages"] == [
        {"role": "user", "content": "Open?"},
        {"role": "assistant", "content": "At seven."},
    ]
    assert (written["tools"], "text" in written, "id" in written) == ([{"name": "t"}], False, False)
    assert lines.id(sifted(2, "1")) == "1"
