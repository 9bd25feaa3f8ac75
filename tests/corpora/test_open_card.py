from __future__ import annotations

import gzip
import pickle
import platform
from pathlib import Path

import pytest
from loopback_hub import LoopbackHub

from curator._errors import InputError
from curator.corpora.card_file import read_card
from curator.corpora.document import Document
from curator.corpora.open_card import open_card
from curator.corpora.reading import Reading
from curator.corpora.shelf import find_card

CARD = "id: mine\ntitle: t\ntask: prose\nlanguage: zh\nlicence: MIT\norigin: o\n"


def mine(folder: Path, more: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(CARD + more)
    return path


def test_card_with_a_reader() -> None:
    corpus = open_card(find_card("python-topics"), seed=1)
    (shard,) = corpus.shards
    first = next(iter(pickle.loads(pickle.dumps(shard)).records()))
    assert isinstance(first, Document) and first.corpus == "python-topics"
    assert corpus.revision == f"Python {platform.python_version()}"
    assert (corpus.task, corpus.licence, corpus.chars_per_token) == ("prose", "Python-2.0", 4.2)


def test_card_of_an_installed_package_has_its_version() -> None:
    revision = open_card(find_card("dataset-build-math"), seed=1).revision
    assert revision.startswith("dataset-build ") and revision[14:].split(".")[0].isdigit()


def test_card_of_files_reads_them_from_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "a.txt").write_text("第一\n\n第二\n")
    (tmp_path / "text" / "b.txt.gz").write_bytes(gzip.compress("第三\n".encode()))
    path = mine(
        tmp_path, "files: ['text/*.txt*']\nreading: {format: text, unit: paragraph}\nchars_per_token: 1.5\n"
    )
    corpus = open_card(read_card(path), seed=1)
    assert (corpus.name, corpus.task, corpus.licence, corpus.chars_per_token) == ("mine", "prose", "MIT", 1.5)
    records = [record for shard in corpus.shards for record in shard.records()]
    assert all(isinstance(record, Document) for record in records)
    found = [(one.text, one.id, one.corpus, one.language) for one in records if isinstance(one, Document)]
    end = Reading(format="text", unit="paragraph").suffix()
    assert found == [
        ("第一", f"mine/text/a.txt#1{end}", "mine", "zh"),
        ("第二", f"mine/text/a.txt#3{end}", "mine", "zh"),
        ("第三", f"mine/text/b.txt.gz#1{end}", "mine", "zh"),
    ]


def test_card_whose_text_is_not_here(tmp_path: Path) -> None:
    path = mine(tmp_path, "files: [/nowhere/book.txt]\ninstall: apt-get install a-book\n")
    with pytest.raises(InputError, match=r"^corpus mine: its text is not installed; apt-get install a-book$"):
        open_card(read_card(path), seed=1)


def test_card_of_a_data_set(hub: LoopbackHub, tmp_path: Path) -> None:
    rows = b'{"question": "Which?", "choices": ["one", "two"], "answer": 1}\n'
    commit = hub.add("us/letters", {"all/auxiliary_train-00000.jsonl": rows, "all/test-0.jsonl": b"never"})
    path = mine(
        tmp_path,
        f"dataset: {{id: us/letters, revision: {commit}, data_files: all/auxiliary_train-*}}\n"
        "reading:\n  columns: {prompt: question, choices: choices, response: answer}\n",
    )
    corpus = open_card(read_card(path), seed=1)
    assert (corpus.name, corpus.revision, corpus.notes) == ("mine", commit, ())
    (record,) = [record for shard in corpus.shards for record in shard.records()]
    assert isinstance(record, Document) and record.messages is not None
    assert [message.content for message in record.messages] == ["Which?\n\nA. one\nB. two", "B. two"]
    assert record.id.startswith("mine/all/auxiliary_train-00000.jsonl#1")


def test_card_of_a_local_data_set_starts_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "train.jsonl").write_text('{"text": "a"}\n')
    corpus = open_card(read_card(mine(tmp_path, "dataset: {id: ./set}\n")), seed=1)
    (record,) = [record for shard in corpus.shards for record in shard.records()]
    assert isinstance(record, Document) and (record.text, record.id) == ("a", "mine/train.jsonl#1")
