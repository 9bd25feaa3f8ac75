import hashlib
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from curator._errors import InputError
from curator.corpora.corpus import BadRow, Corpus
from curator.corpora.document import Document
from curator.corpora.files import open_files
from curator.corpora.reading import Columns, Reading

TURNS = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]


def read(corpus: Corpus) -> list[Document | BadRow]:
    return [record for shard in corpus.shards for record in pickle.loads(pickle.dumps(shard)).records()]


def test_documents_say_where_they_are_from(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d/a.jsonl").write_text('{"text": "one"}\n')
    corpus = open_files(["d/*.jsonl"], tmp_path, Reading(), task="prose", language="en", licence="MIT")
    (document,) = read(corpus)
    assert document == Document(
        id="d/a.jsonl#1",
        corpus="d/*.jsonl",
        unit="file:d/a.jsonl",
        task="prose",
        language="en",
        licence="MIT",
        text="one",
        revision=hashlib.sha256(b'{"text": "one"}\n').hexdigest(),
        file="d/a.jsonl",
        row=1,
    )
    assert (corpus.name, corpus.task, corpus.licence, corpus.shards[0].size) == ("d/*.jsonl", "prose", "MIT", 16)


def test_files_may_differ_in_the_types_of_columns_in_any_order(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "a", "lang": null, "tags": []}\n')
    (tmp_path / "b.jsonl").write_text('{"text": "b", "lang": "en", "tags": [{"k": 1}]}\n')
    (tmp_path / "c.csv").write_text("text,lang\nc,\n")
    for order in (["a.jsonl", "b.jsonl", "c.csv"], ["c.csv", "b.jsonl", "a.jsonl"]):
        found = read(open_files(order, tmp_path, Reading(columns=Columns(text="text", language="lang")), task="t"))
        assert [(row.text, row.language) for row in found if isinstance(row, Document)] == [
            ("a", "und"),
            ("b", "en"),
            ("c", "und"),
        ]


@pytest.mark.parametrize("parts", [1, 2, 5])
@pytest.mark.parametrize("name", ["a.jsonl", "a.txt"])
def test_a_large_file_gives_the_same_documents_in_any_number_of_parts(
    tmp_path: Path, name: str, parts: int
) -> None:
    rows = [json.dumps({"n": number, "body": f"text é {number}"}, ensure_ascii=False) for number in range(500)]
    (tmp_path / name).write_text("\n".join([*rows[:250], "{broken", *rows[250:]]) + "\n")
    (tmp_path / "small.jsonl").write_text('{"text": "small"}\n')
    reading = Reading(unit="line")
    whole = open_files([name, "small.jsonl"], tmp_path, reading, task="t")
    split = open_files([name, "small.jsonl"], tmp_path, reading, task="t", parts=parts, split_above=1000)
    assert (len(whole.shards), len(split.shards)) == (2, parts + 1)
    assert read(split) == read(whole)
    assert split.notes == whole.notes
    assert sum(shard.size for shard in split.shards) == pytest.approx(
        sum(shard.size for shard in whole.shards), abs=9
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b"text\n" + b"row\n" * 1000),
        ("a.txt", b"row\n" * 1000),
        ("a.jsonl", '{"text": "row"}\n'.encode("utf-16") + '{"text": "row"}\n'.encode("utf-16-le") * 200),
        ("a.json", json.dumps([{"text": "row"}] * 300).encode()),
    ],
)
def test_what_cannot_be_split_is_one_part(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    corpus = open_files([name], tmp_path, Reading(), task="t", parts=4, split_above=100)
    assert len(corpus.shards) == 1
    assert all(isinstance(record, Document) for record in read(corpus))


def test_faults_are_told_when_files_are_opened(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"instruction": "x", "output": "y"}\n')
    with pytest.raises(InputError, match=r"^a\.jsonl: no column 'text'; columns found: instruction, output\."):
        open_files(["*.jsonl"], tmp_path, Reading(columns=Columns(text="text")), task="t")
    (tmp_path / "b.csv").write_text("n,body\n1,A note.\n")
    assert open_files(["b.csv"], tmp_path, Reading(), task="t").notes == ("b.csv: text is column 'body'",)


def test_hashing_can_be_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    (document,) = read(open_files(["a.txt"], tmp_path, Reading(), task="t", hashed=False))
    assert isinstance(document, Document) and document.revision == ""


def test_a_folder_of_texts_is_read_and_told_what_is_not(tmp_path: Path) -> None:
    for name in ("README.md", "one.md", "two.rst", "model.bin", ".hidden"):
        (tmp_path / name).write_text(f"Of {name}.")
    corpus = open_files(["."], tmp_path, Reading(), task="t")
    assert [row.text for row in read(corpus) if isinstance(row, Document)] == ["Of one.md.", "Of two.rst."]
    assert corpus.notes == (".: passed over 2 files: README.md, model.bin",)


def test_a_file_that_changes_between_hashing_and_reading_stops_the_run(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "old"}\n' * 300)
    for parts in (1, 3):
        corpus = open_files(["a.jsonl"], tmp_path, Reading(), task="t", parts=parts, split_above=100)
        assert len(read(corpus)) == 300
        path.write_text(path.read_text().replace("old", "new") + '{"text": "more"}\n')
        for shard in corpus.shards:
            with pytest.raises(InputError, match=r"^a\.jsonl: changed while it was read; run again$"):
                list(shard.records())
        path.write_text('{"text": "old"}\n' * 300)


def test_two_readings_of_one_file_never_share_an_id_for_two_texts(tmp_path: Path) -> None:
    rows = {"question": "Q", "answer": "A", "context": "C", "system": "S", "text": "T", "conversations": TURNS}
    (tmp_path / "a.jsonl").write_text(json.dumps(rows) + "\n")
    (tmp_path / "a.txt").write_bytes("caf\u00e9\n\nmore\n".encode())
    pair = {"prompt": "question", "response": "answer"}
    readings: list[tuple[str, dict[str, Any]]] = [
        ("a.jsonl", {"columns": columns})
        for columns in (
            {}, {"text": "text"}, {"text": "question"}, pair, {**pair, "context": "context"},
            {**pair, "system": "system"}, {**pair, "reasoning": "text"}, {"messages": "conversations"},
        )
    ]  # fmt: skip
    readings += [
        ("a.txt", {"unit": unit, "encoding": encoding})
        for unit in ("document", "paragraph", "line")
        for encoding in ("utf-8", "latin-1")
    ]
    said: dict[str, set[str]] = {}
    for name, keys in readings:
        for row in read(open_files([name], tmp_path, Reading.model_validate(keys), task="t")):
            assert isinstance(row, Document)
            said.setdefault(row.id, set()).add(f"{row.text}\0{row.messages}")
    assert all(len(texts) == 1 for texts in said.values()), said
    assert {"a.jsonl#1", "a.txt#1"} < set(said)
