from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import pickle
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from huggingface_hub import constants
from loopback_hub import LoopbackHub

from curator._errors import DependencyError, InputError
from curator.corpora.corpus import Corpus
from curator.corpora.document import Document
from curator.corpora.hub import hub_file, range_stream
from curator.corpora.hub.open_dataset import open_dataset
from curator.corpora.hub.place import DatasetPlace
from curator.corpora.reading import Columns, Reading

NAME = "us/letters"
CARD = "---\nconfigs:\n- config_name: en\n  data_files:\n  - {split: train, path: en/*}\n- config_name: de\n---\n"


def opened(
    dataset: str = NAME, seed: int = 1, folder: Path = Path(), reading: Reading | None = None, **keys: Any
) -> Corpus:
    place = DatasetPlace.model_validate({"id": dataset, **keys})
    return open_dataset(place, reading or Reading(), seed=seed, folder=folder, task="prose", licence="MIT")


def documents(corpus: Corpus) -> list[Document]:
    shards = pickle.loads(pickle.dumps(corpus.shards))
    records = [record for shard in shards for record in shard.records()]
    assert all(isinstance(record, Document) for record in records), records
    return records


def lines(name: str, count: int) -> bytes:
    return "".join(json.dumps({"text": f"{name} {row}"}) + "\n" for row in range(1, count + 1)).encode()


def table(name: str, count: int, group: int) -> bytes:
    sink = io.BytesIO()
    rows = pa.table({"n": range(count), "text": [f"{name} {row}" for row in range(1, count + 1)]})
    pq.write_table(rows, sink, row_group_size=group)
    return sink.getvalue()


def test_text_and_origin_come_through(hub: LoopbackHub) -> None:
    odd = '{"text": "1e3 NA no\\u2028 2024-01-01\\r\\n", "language": "x"}\n{"text": "  0x10 "}\n'
    commit = hub.add(NAME, {"README.md": CARD.encode(), "en/a.jsonl": odd.encode(), "de/b.jsonl": b"no"})
    corpus = opened(config="en", revision=commit)
    assert (corpus.name, corpus.task, corpus.licence, corpus.revision, corpus.notes) == (
        NAME,
        "prose",
        "MIT",
        commit,
        (),
    )
    first, second = documents(corpus)
    assert (first.text, second.text) == ("1e3 NA no\u2028 2024-01-01\r\n", "  0x10 ")
    assert (first.id, first.corpus, first.file, first.row) == (f"{NAME}/en/a.jsonl#1", NAME, "en/a.jsonl", 1)
    assert (first.revision, first.licence, first.unit) == (commit, "MIT", f"dataset:{NAME}/en/a.jsonl")


def test_small_set_is_read_whole(hub: LoopbackHub) -> None:
    commit = hub.add(NAME, {"a.jsonl": lines("a", 3), "b.jsonl.gz": gzip.compress(lines("b", 2))})
    corpus = opened(revision=commit)
    assert [document.text for document in documents(corpus)] == ["a 1", "a 2", "a 3", "b 1", "b 2"]
    assert corpus.notes == ()


def test_pool_of_many_text_files_is_spread_and_follows_the_seed(hub: LoopbackHub) -> None:
    files = {
        f"train-{number:05}-of-00040.jsonl.gz": gzip.compress(lines(f"f{number}", 300)) for number in range(40)
    }
    commit = hub.add(NAME, files)
    corpus = opened(revision=commit, pool_rows=80)
    assert corpus.notes == (
        f"80 rows at most are looked at, the first of each of {len(corpus.shards)} out of 40 files, "
        f"chosen by the seed (pool_rows)",
    )
    texts = [document.text for document in documents(corpus)]
    assert len(texts) == 80
    by_file = Counter(text.split()[0] for text in texts)
    assert len(by_file) >= 8 and max(by_file.values()) <= 11
    assert texts == [document.text for document in documents(opened(revision=commit, pool_rows=80))]
    other = [document.text for document in documents(opened(revision=commit, pool_rows=80, seed=2))]
    assert len(other) == 80 and other != texts


def test_pool_of_parquet_takes_row_groups_from_all_over(hub: LoopbackHub) -> None:
    files = {f"data/train-{number:05}-of-00012.parquet": table(f"f{number}", 100, 10) for number in range(12)}
    commit = hub.add(NAME, files)
    corpus = opened(revision=commit, pool_rows=120)
    found = documents(corpus)
    assert len(found) == 120
    assert all(document.text == f"f{int(document.file[11:16])} {document.row}" for document in found)
    starts = {(document.row or 0) // 10 for document in found}
    assert len(starts) > 4 and len({document.file for document in found}) >= 4
    assert "of 12 row groups in" in corpus.notes[0]
    assert [one.id for one in found] == [one.id for one in documents(opened(revision=commit, pool_rows=120))]
    assert {one.id for one in found} != {
        one.id for one in documents(opened(revision=commit, pool_rows=120, seed=2))
    }


def test_parquet_of_few_rows_is_read_whole(hub: LoopbackHub) -> None:
    commit = hub.add(NAME, {"train.parquet": table("a", 25, 10), "train2.parquet": table("b", 5, 10)})
    corpus = opened(revision=commit)
    assert len(documents(corpus)) == 30
    assert corpus.notes == ()


def test_large_row_group_gives_its_first_rows(hub: LoopbackHub) -> None:
    commit = hub.add(NAME, {"train.parquet": table("a", 500, 500)})
    found = documents(opened(revision=commit, pool_rows=20))
    assert [document.row for document in found] == list(range(1, 21))


@pytest.mark.parametrize("pool_rows", [1, 7, 99, 100, 101])
def test_pool_has_the_rows_asked_for(hub: LoopbackHub, pool_rows: int) -> None:
    tables = {f"data/train-{number:05}-of-00005.parquet": table(f"f{number}", 20, 3) for number in range(5)}
    commit = hub.add(NAME, tables)
    assert len(documents(opened(revision=commit, pool_rows=pool_rows))) == min(pool_rows, 100)
    texts = {f"t{number}.jsonl": lines(f"t{number}", 20) for number in range(5)}
    commit = hub.add(NAME, texts)
    found = len(documents(opened(revision=commit, pool_rows=pool_rows)))
    # Rows of so few bytes are cheaper to read than to count.
    assert found == (pool_rows if pool_rows < 28 else 100)


def test_streamed_parquet_fetches_what_it_reads(hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_file, "WHOLE_BYTES", 1000)
    monkeypatch.setattr(hub_file, "_BUFFER", 512)
    monkeypatch.setattr(range_stream, "BLOCK", 2048)
    content = table("a long text to fill a page of the file", 1200, 100)
    commit = hub.add(NAME, {"train.parquet": content})
    corpus = opened(revision=commit, pool_rows=80)
    assert len(documents(corpus)) == 80
    asked = [headers["range"] for _, path, headers in hub.asked if "/storage/" in path]
    assert asked and all(text.startswith("bytes=") for text in asked)


def test_fault_in_the_middle_of_a_stream_is_a_line_of_ours(
    hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_file, "WHOLE_BYTES", 1000)
    monkeypatch.setattr(range_stream, "BLOCK", 2048)
    files = {"train.parquet": table("a", 4000, 500)}
    commit = hub.add(NAME, files)
    corpus = opened(revision=commit, pool_rows=80)
    hub.fail("/resolve/", "status", 503, times=99)
    with pytest.raises(
        DependencyError, match=r"^file train.parquet of data set us/letters: 127.0.0.1 answers 503"
    ):
        documents(corpus)
    hub.faults.clear()
    commit = hub.add(NAME, {"train.jsonl": lines("a", 4000)})
    corpus = opened(revision=commit, pool_rows=80)
    hub.fail("/storage/", "no_range", times=99)
    with pytest.raises(DependencyError, match="does not give parts of files"):
        documents(corpus)


def test_everything_is_there_again_offline(hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.add(NAME, {"README.md": CARD.encode(), "en/a.jsonl": lines("a", 9)})
    online = documents(opened(config="en"))
    asked = len(hub.asked)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert documents(opened(config="en")) == online
    assert len(hub.asked) == asked


def test_script_set_of_the_hub(hub: LoopbackHub) -> None:
    commit = hub.add(NAME, {"letters.py": b"raise SystemExit", "rows.csv": b"text\na\n"})
    with pytest.raises(
        InputError, match=r"made by a script \(letters.py\), which is not run; .*data_files: rows.csv"
    ):
        opened(revision=commit)
    hub.repos[NAME].branches["refs/convert/parquet"] = hub.add(
        NAME, {"default/train/0000.parquet": table("a", 2, 2)}
    )
    assert [one.text for one in documents(opened(revision="refs/convert/parquet"))] == ["a 1", "a 2"]
    assert [one.text for one in documents(opened(revision=commit, data_files="rows.csv"))] == ["a"]
    assert not [path for path in hub.paths() if path.endswith("letters.py")]


def test_copy_of_a_script_set_has_a_folder_for_each_config(hub: LoopbackHub) -> None:
    files = {f"{name}/train/0000.parquet": table(name, 2, 2) for name in ("en", "de")}
    commit = hub.add(NAME, files)
    assert [one.text for one in documents(opened(revision=commit, config="de"))] == ["de 1", "de 2"]
    with pytest.raises(InputError, match=r"no config 'fr'; it has: default"):
        opened(revision=commit, config="fr")


def test_columns_of_the_reading_are_used(hub: LoopbackHub) -> None:
    rows = b'{"q": "Why?", "a": "So.", "lang": "en"}\n'
    commit = hub.add(NAME, {"train.jsonl": rows})
    reading = Reading(columns=Columns(prompt="q", response="a", language="lang"))
    (document,) = documents(opened(revision=commit, reading=reading))
    assert [message.content for message in document.messages or ()] == ["Why?", "So."]
    assert document.language == "en"
    with pytest.raises(InputError, match=r"letters/train\.jsonl: no column 'body'"):
        opened(revision=commit, reading=Reading(columns=Columns(text="body")))


def test_local_folder_is_read_anew_each_time(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    file = folder / "train.jsonl.gz"
    file.write_bytes(gzip.compress(lines("old", 1), mtime=0))
    stamp = file.stat()
    assert [one.text for one in documents(opened("./set", folder=tmp_path))] == ["old 1"]
    file.write_bytes(gzip.compress(lines("new", 1), mtime=0))
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    corpus = opened("set", folder=tmp_path)
    (document,) = documents(corpus)
    assert (document.text, document.id, corpus.revision) == ("new 1", "set/train.jsonl.gz#1", "")
    assert document.revision == hashlib.sha256(file.read_bytes()).hexdigest()


def test_local_name_that_is_not_utf8_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    Path(os.fsdecode(os.fsencode(tmp_path / "set") + b"/train-\xff.jsonl")).write_bytes(lines("a", 1))
    (document,) = documents(opened("./set", folder=tmp_path))
    assert (document.file, document.text) == (r"train-\xff.jsonl", "a 1")
    document.id.encode("utf-8")


def test_local_folder_that_is_none(tmp_path: Path) -> None:
    for name in ("./nothing", "/nowhere/at/all", "~/no-such-folder-here", "~nobody-is-called-this/x", "a/b/c"):
        with pytest.raises(InputError, match=f"data set {name}: no such folder"):
            opened(name, folder=tmp_path)
    (tmp_path / "rows.jsonl").write_text("{}")
    with pytest.raises(InputError, match=r"is a file; name it as a source of its own \(files: ./rows.jsonl\)"):
        opened("./rows.jsonl", folder=tmp_path)
    with pytest.raises(InputError, match="a local folder has no revisions; leave `revision` out"):
        opened(".", folder=tmp_path, revision="main")


PROGRAM = """
import sys
from pathlib import Path
from curator.corpora.hub.open_dataset import open_dataset
from curator.corpora.hub.place import DatasetPlace
from curator.corpora.reading import Reading
from curator._errors import CurateError
try:
    corpus = open_dataset(DatasetPlace(id="us/letters"), Reading(), seed=1, folder=Path("."), task="prose")
    print([record.text for shard in corpus.shards for record in shard.records()], corpus.revision)
except CurateError as error:
    print(type(error).__name__, error)
"""


def test_environment_variables_alone_are_enough(hub: LoopbackHub, tmp_path: Path) -> None:
    commit = hub.add(NAME, {"train.jsonl": lines("a", 2)}, gated=True)
    settings = {
        **os.environ,
        "HF_ENDPOINT": hub.endpoint,
        "HF_HOME": str(tmp_path / "home"),
        "PYTHONHASHSEED": "7",
    }

    def run(**more: str) -> tuple[str, str]:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env={**settings, **more}, capture_output=True, text=True, check=True
        )
        return done.stdout, done.stderr

    assert run(HF_TOKEN="hf_right") == (f"['a 1', 'a 2'] {commit}\n", "")
    assert run(HF_HUB_OFFLINE="1") == (f"['a 1', 'a 2'] {commit}\n", "")
