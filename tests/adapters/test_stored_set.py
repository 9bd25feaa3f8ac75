"""Reading a set folder: the ids that the manifest names, or a refusal with file and line."""

from __future__ import annotations

import hashlib
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from set_folders import RAGGED, save_set

from curator._errors import InputError
from curator.adapters import read_set
from curator.adapters.stored_set import set_sha256


def test_rows_texts_and_manifest_come_back_in_order(tmp_path: Path) -> None:
    texts = [f"row {number}\u2028\n" for number in range(len(RAGGED))]
    stored = read_set(str(save_set(tmp_path / "set", RAGGED, texts, name="mine")))
    assert stored.rows == RAGGED
    assert stored.texts == texts
    assert stored.manifest["name"] == "mine"


@given(st.lists(st.lists(st.integers(0, 2**31 - 1), max_size=9), max_size=9))
def test_the_hash_is_of_lengths_and_ids(rows: list[list[int]]) -> None:
    raw = b"".join(
        struct.pack("<I", len(row)) + b"".join(struct.pack("<i", token) for token in row) for row in rows
    )
    assert set_sha256(rows) == hashlib.sha256(raw).hexdigest()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"input_ids": [1, 2.0], "text": ""}', r"samples\.jsonl:2: input_ids must be a list of token ids"),
        ('{"input_ids": [1, true], "text": ""}', r"samples\.jsonl:2: input_ids"),
        ('{"input_ids": [-1], "text": ""}', r"samples\.jsonl:2: input_ids"),
        ('{"input_ids": [2147483648], "text": ""}', r"samples\.jsonl:2: input_ids"),
        ('{"input_ids": [], "text": ""}', r"samples\.jsonl:2: input_ids"),
        ('{"input_ids": "12", "text": ""}', r"samples\.jsonl:2: input_ids"),
        ('{"input_ids": [1], "text": null}', r"samples\.jsonl:2: text"),
        (r'{"input_ids": [1], "text": "a\ud83d"}', r"samples\.jsonl:2: text"),
        ("[1, 2]", r"samples\.jsonl:2: a row must be an object"),
        ('{"input_ids": [1', r"samples\.jsonl:2: not JSON"),
        ("\udcff", r"samples\.jsonl:2: not JSON"),
        ("[" * 100_000, r"samples\.jsonl:2: not JSON"),
        ('{"input_ids": [6], "text": "x"}', "does not match manifest.json's set_hash"),
    ],
)
def test_a_changed_set_is_refused(tmp_path: Path, line: str, told: str) -> None:
    folder = save_set(tmp_path / "set", [[1], [5]])
    first = (folder / "samples.jsonl").read_text().splitlines()[0]
    (folder / "samples.jsonl").write_bytes(f"{first}\n{line}\n".encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match=told):
        read_set(folder)


def test_rows_in_another_order_are_another_set(tmp_path: Path) -> None:
    folder = save_set(tmp_path / "set", [[1], [5]])
    lines = (folder / "samples.jsonl").read_text().splitlines()
    (folder / "samples.jsonl").write_text("\n".join(reversed(lines)) + "\n")
    with pytest.raises(InputError, match="set_hash"):
        read_set(folder)


def test_another_folder_is_told_from_a_set(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no set folder.*curate build"):
        read_set(tmp_path / "missing")
    (tmp_path / "manifest.json").write_text("[]")
    with pytest.raises(InputError, match=r"samples\.jsonl: cannot be read"):
        read_set(tmp_path)


def test_the_adapters_import_nothing_but_the_standard_library() -> None:
    # Where only `pip install --no-deps` was done, none of our other needs is there.
    code = (
        "import sys; before = set(sys.modules)\n"
        "from curator.adapters import auto_round, gptqmodel, imatrix, llm_compressor, modelopt, targets\n"
        "foreign = {name.partition('.')[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)\n"
        "print(sorted(foreign))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['curator']"
