"""Damaged results of a run are made again, not trusted and not fatal."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from curator._files import file_sha256, write_json
from curator._seal import sealed
from curator.rank.stored import read_result, read_table


@pytest.mark.parametrize("content", ["", "[]", "{", "null", "\x00"])
def test_what_is_no_object_counts_as_missing(tmp_path: Path, content: str) -> None:
    (tmp_path / "r.json").write_text(content)
    assert read_result(tmp_path / "r.json") is None
    assert read_result(tmp_path / "missing.json") is None


def test_tables_whole_cut_and_missing(tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    table = pd.DataFrame({"kl": [0.1, 0.2]})
    table.to_parquet(file)
    found = read_table(file)
    assert found is not None
    assert found.equals(table)
    file.write_bytes(file.read_bytes()[:-20])
    assert read_table(file) is None
    file.write_bytes(b"garbage")
    assert read_table(file) is None
    assert read_table(tmp_path / "missing.parquet") is None
    # pandas reads a folder as a table of all that is in it.
    (tmp_path / "folder.parquet").mkdir()
    assert read_table(tmp_path / "folder.parquet") is None


def test_a_table_with_other_scores_than_were_written_is_none(tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    pd.DataFrame({"kl": [0.1, 0.2]}).to_parquet(file)
    sha256 = file_sha256(file)
    assert read_table(file, sha256) is not None
    pd.DataFrame({"kl": [0.1, 0.1]}).to_parquet(file)
    assert read_table(file) is not None
    assert read_table(file, sha256) is None


def test_a_sealed_result_that_was_changed_is_none_and_one_of_before_is_read(tmp_path: Path) -> None:
    file = tmp_path / "r.json"
    value = {"used_sd": 0.125, "by_block": {10: 1, 9: [None, "é"]}}
    write_json(file, sealed(value))
    assert read_result(file) == {"used_sd": 0.125, "by_block": {"10": 1, "9": [None, "é"]}}
    file.write_text(file.read_text().replace("0.125", "0.0125"))
    assert read_result(file) is None
    write_json(file, {"used_sd": 0.5})
    assert read_result(file) == {"used_sd": 0.5}
