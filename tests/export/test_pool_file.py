"""The pool's file gives back what was written, repeats byte for byte, and is told apart from any other."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curator._errors import InputError
from curator.export.pool import pool_frame, read_pool, write_pool
from curator.pipeline.pool import PoolRow

KEPT = PoolRow(
    id="a#1:0", document="a#1", corpus="a.jsonl", task="prose", language="en", licence="MIT", low_continuity=False,
    conversation=False, keep=True, taken=True, reason=None, detail=None,
    scores={
        "chars": 812, "duplicate_of": None, "random_share": 0.0625, "personal_kinds": {"ip": 1, "email": 2},
        "language": "fr", "continuity": None,
    },
    text="Low tide.\x00 \u202e 是",
)  # fmt: skip
SHORT = dataclasses.replace(
    KEPT, id="a#2:0", keep=False, taken=False, reason="short", detail="3 characters", scores={"chars": 3}, text=""
)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    write_pool(tmp_path / "pool.parquet", [KEPT, SHORT])
    assert read_pool(tmp_path / "pool.parquet") == [KEPT, SHORT]


def test_found_nothing_is_told_from_never_asked(tmp_path: Path) -> None:
    write_pool(tmp_path / "pool.parquet", [KEPT, SHORT])
    first, second = read_pool(tmp_path / "pool.parquet")
    assert first.scores["duplicate_of"] is None
    assert "duplicate_of" not in second.scores


def test_types_of_the_columns_are_those_of_the_scores(tmp_path: Path) -> None:
    write_pool(tmp_path / "pool.parquet", [KEPT, SHORT])
    frame = pd.read_parquet(tmp_path / "pool.parquet", dtype_backend="numpy_nullable")
    assert {name: str(frame[name].dtype) for name in ("chars", "random_share", "keep", "id")} == {
        "chars": "Int64", "random_share": "Float64", "keep": "boolean", "id": "string",
    }  # fmt: skip
    # The score and the document's own language stand side by side.
    assert (frame["language"][0], frame["language_found"][0]) == ("en", "fr")
    assert frame["language_found"].isna()[1] and frame["random_share"].isna()[1]
    assert list(frame.columns[-2:]) == ["measured", "text"]


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_pool(tmp_path / name, [KEPT, SHORT] * 40)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_an_empty_pool_is_one(tmp_path: Path) -> None:
    write_pool(tmp_path / "pool.parquet", [])
    assert read_pool(tmp_path / "pool.parquet") == []


NAMES = st.sampled_from(["chars", "random_share", "duplicate_of", "personal_kinds", "language"])
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "chars": st.integers(0, 2**53),
    "random_share": st.floats(allow_nan=False, allow_infinity=False),
    "duplicate_of": st.none() | st.text(st.characters(exclude_categories=["Cs"])),
    "personal_kinds": st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 9)),
    "language": st.sampled_from(["en", "und", "zh-Hant"]),
}
SCORES = st.lists(NAMES, unique=True).flatmap(lambda names: st.fixed_dictionaries({n: VALUES[n] for n in names}))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scores=st.lists(SCORES, max_size=6), text=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_scores_come_back(tmp_path: Path, scores: list[dict[str, Any]], text: str) -> None:
    rows = [dataclasses.replace(KEPT, scores=one, text=text) for one in scores]
    write_pool(tmp_path / "any.parquet", rows)
    assert read_pool(tmp_path / "any.parquet") == rows


def refused(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_pool(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value) and "build the set again" in str(caught.value)
    return str(caught.value)


def test_what_is_no_pool_is_told(tmp_path: Path) -> None:
    assert "no such file" in refused(tmp_path / "none.parquet")
    (tmp_path / "text").write_text("PAR1 is how it begins")
    assert "no Parquet file" in refused(tmp_path / "text")
    pd.DataFrame({"id": ["x"]}).to_parquet(tmp_path / "other")
    assert "no column 'document'" in refused(tmp_path / "other")


@pytest.mark.parametrize("attrs", [{}, {"pool": 2, "json": []}, {"pool": "1"}])
def test_another_version_is_told(tmp_path: Path, attrs: dict[str, Any]) -> None:
    frame = pool_frame([KEPT])
    frame.attrs = attrs
    frame.to_parquet(tmp_path / "old")
    assert "version is not 1" in refused(tmp_path / "old")


@pytest.mark.parametrize(
    ("column", "values"),
    [("measured", ["chars nowhere"]), ("personal_kinds", ["{"]), ("measured", [None]), ("measured", [5])],
)
def test_a_pool_changed_by_hand_is_told(tmp_path: Path, column: str, values: list[Any]) -> None:
    frame = pool_frame([KEPT])
    frame[column] = values
    frame.to_parquet(tmp_path / "changed")
    assert "damaged" in refused(tmp_path / "changed")


def test_a_pool_cut_short_is_told(tmp_path: Path) -> None:
    write_pool(tmp_path / "whole", [KEPT] * 100)
    (tmp_path / "cut").write_bytes((tmp_path / "whole").read_bytes()[:-200])
    assert "no Parquet file" in refused(tmp_path / "cut")
