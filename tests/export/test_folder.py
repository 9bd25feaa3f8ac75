"""A set folder on disk: whole, honest about itself, refused when changed."""

from __future__ import annotations

import hashlib
import itertools
import json
import struct
from pathlib import Path

import pytest

from curator._errors import InputError
from curator.adapters.stored_set import read_set, set_sha256
from curator.export.card import dataset_card
from curator.export.folder import write_set
from curator.pipeline.build import CalibrationSet, build_draws
from curator.recipe.load import load_recipe
from curator.tokens.tokenizer import Tokenizer

TEXTS = [
    "The river rises in the hills and runs through three valleys before it meets the sea.",
    "A lighthouse keeper writes down the hour of every passing ship, and the weather.",
    "Bread rises because yeast eats sugar and breathes out gas, which the dough holds.",
    "The oldest bridge of the town has seven arches, and no two of them are alike.",
]


@pytest.fixture
def made(tiny_model: Path, tmp_path: Path) -> tuple[CalibrationSet, Tokenizer]:
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    (tmp_path / "recipe.yaml").write_text(
        "name: local\nsize: {samples: 3, tokens: 32}\ntarget: {tasks: {prose: 1}}\n"
        "sources:\n  - {files: rows.jsonl, task: prose, licence: CC0-1.0}\n"
        "gates: {length: {min_chars: 10}}\ncontinuity: {min: false}\nexport: [jsonl, parquet, datasets]\n"
    )
    tokenizer = Tokenizer(tiny_model)
    return build_draws(load_recipe(tmp_path / "recipe.yaml"), tokenizer, 1, [])[0], tokenizer


def test_set_hash_is_of_lengths_and_ids_only() -> None:
    # Written out by hand: a row of two ids, then a row of one.
    raw = struct.pack("<I2i", 2, 7, 300) + struct.pack("<Ii", 1, 5)
    assert set_sha256([[7, 300], [5]]) == hashlib.sha256(raw).hexdigest()
    assert set_sha256([[7], [300, 5]]) != set_sha256([[7, 300], [5]])


def test_what_is_written_is_what_is_read(made: tuple[CalibrationSet, Tokenizer], tmp_path: Path) -> None:
    calibration_set, tokenizer = made
    manifest = write_set(calibration_set, tokenizer, [], tmp_path / "set", "tiny")
    stored = read_set(tmp_path / "set")
    assert stored.rows == calibration_set.rows
    assert stored.manifest == json.loads(json.dumps(manifest))
    assert manifest["samples"] == len(stored.rows)
    assert manifest["tokens"] == sum(map(len, stored.rows))
    names = {path.name for path in (tmp_path / "set").iterdir()}
    assert names == {
        "samples.jsonl",
        "samples.parquet",
        "dataset",
        "manifest.json",
        "pool.parquet",
        "README.md",
        "LICENSE.md",
        "recipe.yaml",
        "report.html",
    }


def test_parquet_and_dataset_hold_the_same_ids(made: tuple[CalibrationSet, Tokenizer], tmp_path: Path) -> None:
    import pandas as pd
    from datasets import load_from_disk

    calibration_set, tokenizer = made
    write_set(calibration_set, tokenizer, [], tmp_path / "set", "tiny")
    table = pd.read_parquet(tmp_path / "set" / "samples.parquet")
    assert [list(row) for row in table["input_ids"]] == calibration_set.rows
    assert load_from_disk(str(tmp_path / "set" / "dataset"))["input_ids"][:] == calibration_set.rows


def test_parts_name_their_documents_and_cover_the_row(
    made: tuple[CalibrationSet, Tokenizer], tmp_path: Path
) -> None:
    calibration_set, tokenizer = made
    write_set(calibration_set, tokenizer, [], tmp_path / "set", "tiny")
    for line in (tmp_path / "set" / "samples.jsonl").read_text().splitlines():
        row = json.loads(line)
        edges = [(part["start"], part["end"]) for part in row["parts"]]
        assert edges[0][0] == len(tokenizer.sequence_start())
        assert all(left[1] == right[0] for left, right in itertools.pairwise(edges))
        assert edges[-1][1] == row["n_tokens"] == len(row["input_ids"])
        assert {part["licence"] for part in row["parts"]} == {"CC0-1.0"}


def test_two_writes_are_byte_identical(made: tuple[CalibrationSet, Tokenizer], tmp_path: Path) -> None:
    calibration_set, tokenizer = made
    for name in ("one", "two"):
        write_set(calibration_set, tokenizer, [], tmp_path / name, "tiny")
    for file in ("samples.jsonl", "samples.parquet", "manifest.json", "README.md", "report.html"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes(), file


@pytest.mark.parametrize("damage", ["drop a row", "change an id", "no ids"])
def test_a_changed_set_is_refused(made: tuple[CalibrationSet, Tokenizer], tmp_path: Path, damage: str) -> None:
    calibration_set, tokenizer = made
    write_set(calibration_set, tokenizer, [], tmp_path / "set", "tiny")
    file = tmp_path / "set" / "samples.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    if damage == "drop a row":
        rows.pop()
    elif damage == "change an id":
        rows[0]["input_ids"][3] += 1
    else:
        del rows[0]["input_ids"]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match=r"samples\.jsonl"):
        read_set(tmp_path / "set")


def test_a_folder_of_something_else_is_not_overwritten(
    made: tuple[CalibrationSet, Tokenizer], tmp_path: Path
) -> None:
    calibration_set, tokenizer = made
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_bytes(b"x")
    with pytest.raises(InputError, match=r"holds cat\.jpg"):
        write_set(calibration_set, tokenizer, [], tmp_path / "photos", "tiny")
    assert (tmp_path / "photos" / "cat.jpg").read_bytes() == b"x"


def test_the_card_names_every_licence(made: tuple[CalibrationSet, Tokenizer], tmp_path: Path) -> None:
    calibration_set, tokenizer = made
    card = dataset_card(write_set(calibration_set, tokenizer, [], tmp_path / "set", "tiny"))
    assert "| [CC0-1.0](https://spdx.org/licenses/CC0-1.0.html) |" in card
    assert "| rows.jsonl | sha256 " in card


def test_the_recipe_in_the_folder_builds_the_same_set(
    made: tuple[CalibrationSet, Tokenizer], tmp_path: Path
) -> None:
    calibration_set, tokenizer = made
    manifest = write_set(calibration_set, tokenizer, [], tmp_path / "set", "tiny")
    again = tmp_path / "again.yaml"
    again.write_bytes((tmp_path / "set" / "recipe.yaml").read_bytes())
    loaded = load_recipe(again)
    assert loaded.sha256 == manifest["recipe_hash"]
    assert build_draws(loaded, tokenizer, 1, [])[0].rows == calibration_set.rows
    assert manifest["model"] == "tiny"


def test_the_set_of_another_recipe_is_not_replaced(made: tuple[CalibrationSet, Tokenizer], tmp_path: Path) -> None:
    calibration_set, tokenizer = made
    write_set(calibration_set, tokenizer, [], tmp_path / "set", "tiny")
    write_set(calibration_set, tokenizer, [], tmp_path / "set", "tiny")
    before = (tmp_path / "set" / "manifest.json").read_bytes()
    (tmp_path / "set" / "manifest.json").write_bytes(before.replace(b'"name": "local"', b'"name": "other"', 1))
    with pytest.raises(InputError, match=r"set: holds the set 'other' of another recipe; remove it or choose"):
        write_set(calibration_set, tokenizer, [], tmp_path / "set", "tiny")
