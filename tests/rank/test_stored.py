"""Damaged results of a run are made again, not trusted and not fatal."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

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
