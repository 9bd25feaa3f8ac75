import json
from pathlib import Path
from typing import Any

import pytest
from row_files import bad, kept, records, texts

from curator._errors import InputError
from curator.corpora.rows import json_file


def of(tmp_path: Path, value: Any, **reading: Any) -> list[str]:
    return texts(records(tmp_path, "a.json", json.dumps(value, indent=1).encode(), **reading))


def test_an_array_an_object_with_one_and_one_object(tmp_path: Path) -> None:
    rows = [{"text": "a"}, {"text": "b"}]
    assert of(tmp_path, rows) == ["a", "b"]
    assert of(tmp_path, {"version": 1, "tags": ["x"], "data": rows}) == ["a", "b"]
    assert of(tmp_path, {"text": "a", "notes": [{"n": 1}]}) == ["a"]
    assert of(tmp_path, {"body": "a", "notes": [{"n": 1}]}, columns={"text": "body"}) == ["a"]
    turns = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]
    assert of(tmp_path, {"messages": turns}) == ["hi\n\nho"]
    assert of(tmp_path, []) == []


def test_an_object_on_one_line(tmp_path: Path) -> None:
    assert texts(records(tmp_path, "a.json", b'{"data": [{"text": "a"}, {"text": "b"}]}\n')) == ["a", "b"]


def test_json_lines_that_are_called_json(tmp_path: Path) -> None:
    assert kept(records(tmp_path, "a.json", b'{"text": "a"}\n{"text": "b"}\n')) == [(1, "a"), (2, "b")]


def test_a_bad_row_of_an_array_is_told_and_the_rest_is_kept(tmp_path: Path) -> None:
    content = (
        b'\xef\xbb\xbf [\n{"text": "a"}, {"text": NaN},\n {"text": "c", "text": "d"}, [1], {"text": "e"}\n]\n'
    )
    found = records(tmp_path, "a.json", content)
    assert kept(found) == [(1, "a"), (5, "e")]
    assert bad(found) == [
        ("a.json row 2", "not JSON"),
        ("a.json row 3", "key twice"),
        ("a.json row 4", "not an object"),
    ]


def test_a_bad_byte_is_mended_in_its_row(tmp_path: Path) -> None:
    content = b'[{"text": "a"}, {"text": "caf\xe9"}]'
    found = records(tmp_path, "a.json", content, encoding_errors="replace")
    assert kept(found) == [(1, "a"), (2, "caf\ufffd")]
    assert bad(found) == [("a.json row 2", "mended and kept")]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'[{"text": "a"},\n{"text": "b"', r"^a\.json:2: not JSON"),
        (b'[{"text": "a"}\n{"text": "b"}]', r"^a\.json:2: a comma or the end of the array is missing"),
        (b'[{"text": "a"},\n', r"^a\.json:2: not JSON"),
        (b'[{"text": "a"}]\n[1]', r"^a\.json:2: more text after the JSON value; .* format: jsonl"),
        (b'{\n"text": }', r"^a\.json:2: not JSON"),
        (b'{\n"a": 1, "a": 2}', r"^a\.json:1: the key 'a' is there twice"),
        (b"3", r"^a\.json: the file holds a number"),
        (
            b'{"train": [{"text": "a"}],\n"test": [{"text": "b"}]}',
            r"^a\.json: lists of objects under 'train', 'test'",
        ),
        (b'[\n{"text": "caf\xe9"}]', r"^a\.json:2: not UTF-8 \(byte 13 of the line, 15 of the file\)"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(tmp_path: Path, content: bytes, told: str) -> None:
    with pytest.raises(InputError, match=told):
        records(tmp_path, "a.json", content)


def test_a_large_file_is_refused_with_advice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_file, "LARGEST", 100)
    with pytest.raises(InputError, match=r"^a\.json: JSON of over .* convert it to JSON Lines"):
        records(tmp_path, "a.json", json.dumps([{"text": "a" * 200}]).encode())
