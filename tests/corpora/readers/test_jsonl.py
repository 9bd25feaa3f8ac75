import os
from pathlib import Path

import pytest

from curator._errors import InputError
from curator.corpora.document import Document, Message
from curator.corpora.readers.jsonl import read_jsonl


def rows(tmp_path: Path, content: bytes, field: str = "text") -> list[Document]:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    return list(read_jsonl(path, field=field, task="prose", language="en", licence="MIT"))


def test_a_row_becomes_a_document(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, b'{"body": "A line.", "n": 1}\n', field="body")
    assert row == Document(
        id="rows.jsonl#1",
        corpus=str(tmp_path / "rows.jsonl"),
        unit="file:rows.jsonl",
        task="prose",
        language="en",
        licence="MIT",
        text="A line.",
    )


def test_chat_shapes_all_give_the_same_turns(tmp_path: Path) -> None:
    found = rows(
        tmp_path,
        b'{"messages": [{"role": "user", "content": "Late?"}, {"role": "assistant", "content": "Yes."}]}\n'
        b'{"conversations": [{"from": "human", "value": "Late?"}, {"from": "gpt", "value": "Yes."}]}\n'
        b'{"messages": [{"role": "user", "content": [{"type": "text", "text": "La"},'
        b' {"type": "text", "text": "te?"}]},'
        b' {"role": "assistant", "content": "Yes."}]}\n',
    )
    turns = (Message("user", "Late?"), Message("assistant", "Yes."))
    assert [row.messages for row in found] == [turns] * 3
    assert {row.text for row in found} == {"Late?\n\nYes."}


def test_empty_rows_are_given_and_blank_lines_are_not_rows(tmp_path: Path) -> None:
    found = rows(tmp_path, b'{"text": ""}\n\n{"text": null}\r\n{"text": " "}\n')
    assert [(row.id, row.text) for row in found] == [
        ("rows.jsonl#1", ""),
        ("rows.jsonl#3", ""),
        ("rows.jsonl#4", " "),
    ]


def test_only_line_feeds_end_a_line(tmp_path: Path) -> None:
    content = '{"text": "one\u2028still\u0085one"}\r\n{"text": "two"}'.encode()
    assert [row.text for row in rows(tmp_path, content)] == ["one\u2028still\u0085one", "two"]


def test_byte_order_mark_and_lone_surrogate(tmp_path: Path) -> None:
    content = b'\xef\xbb\xbf{"text": "cut \\ud83d here"}\n{"text": "\\ud83d\\udc1f"}\n'
    assert [row.text for row in rows(tmp_path, content)] == ["cut \ufffd here", "\U0001f41f"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            b'{"text": "a"}\n{"text": "caf\xe9"}\n',
            r":2: not UTF-8 at byte 13 of the line \(byte 27 of the file\)",
        ),
        (b'{"text": "a"}\n{"text": \n', r":2: not JSON"),
        (b'{"text": "a"}\n[1]\n', r":2: a row must be an object"),
        (b'{"instruction": "a", "output": "b"}\n', r":1: no field 'text'.*fields found: instruction, output"),
        (b'{"text": ["a"]}\n', r":1: field 'text' must be text, not list"),
        (b'{"text": 42}\n', r":1: field 'text' must be text, not int"),
        ('{"text": "a"}\n'.encode("utf-16"), r":1: the file is UTF-16; save it as UTF-8"),
        (b'{"text": "a", "n": ' + b"9" * 5000 + b"}\n", r":1: a number has too many digits to be read"),
        (b'{"messages": "hi"}\n', r":1: messages must be a list of turns, not text"),
        (b'{"messages": [{"role": "user"}]}\n', r":1: turn 1 needs role and content; it has: role"),
        (
            b'{"messages": [{"role": "robot", "content": ""}]}\n',
            r":1: turn 1 has role 'robot'; allowed: system",
        ),
        (b'{"messages": [{"role": "user", "content": [{"type": "image"}]}]}\n', r":1: turn 1: .*only text"),
    ],
)
def test_faults_are_told_with_file_and_line(tmp_path: Path, content: bytes, told: str) -> None:
    with pytest.raises(InputError, match=r"rows\.jsonl" + told):
        rows(tmp_path, content)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        list(read_jsonl(tmp_path / "none.jsonl", task="prose"))


def test_what_is_no_file_is_refused_before_it_is_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(InputError, match="a pipe or device, not a file"):
            next(read_jsonl(path, task="prose"))
    with pytest.raises(InputError, match="is a folder"):
        next(read_jsonl(tmp_path, task="prose"))


def test_a_file_name_that_is_not_utf8_gives_writable_records(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jsonl"))
    path.write_text('{"text": "a"}\n')
    (row,) = read_jsonl(path, task="prose")
    assert (row.id, row.unit) == ("caf\ufffd.jsonl#1", "file:caf\ufffd.jsonl")
    row.corpus.encode()
