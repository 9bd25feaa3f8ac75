"""What a set says of the cells that it lacks: figures and reasons that hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from recipe_builds import build, rows, text
from toy_tokenizers import save_tokenizer

from curator.pipeline.calibration_set import CalibrationSet
from curator.tokens.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    """One token a byte; with the separator, a text has one token more."""
    return Tokenizer(save_tokenizer(tmp_path_factory.mktemp("toy")))


def made(folder: Path, tokenizer: Tokenizer, lengths: list[dict[str, Any]], **more: Any) -> CalibrationSet:
    """A set of 60 texts of 100 tokens, or of another source, for a target of lengths."""
    rows(folder / "a.jsonl", [text(f"n{number}") for number in range(60)])
    tasks = {"a": 1.0}
    more = {"size": (8, 256), "sources": [{"files": "a.jsonl", "task": "a"}], **more}
    return build(folder, tokenizer, tasks=tasks, target={"tasks": tasks, "lengths": lengths}, **more)[0]


def test_texts_with_a_sequence_each_lack_nothing_for_being_short(tmp_path: Path, tokenizer: Tokenizer) -> None:
    found = made(tmp_path, tokenizer, [{"upto": 100, "share": 1}], tokens={"pack": "none"})
    # Eight texts of 100 tokens in sequences of 256.
    assert found.placed().total() == 800
    assert found.shortfall == []


def test_what_is_missing_in_sequences_of_their_own_is_counted_in_texts(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    bins: list[dict[str, Any]] = [{"upto": 100, "share": 0.5}, {"upto": 200, "share": 0.5}]
    found = made(tmp_path, tokenizer, bins, tokens={"pack": "none"})
    (gap,) = found.shortfall
    assert (gap.cell, gap.available, gap.taken) == ("a, 101 to 200 tokens", 0, 0)
    assert gap.why == "all text is used up"
    # Texts that exist are none of those that lack.
    assert found.placed().total() > 0


def test_a_part_that_is_less_than_one_text_is_told_as_such(tmp_path: Path, tokenizer: Tokenizer) -> None:
    bins: list[dict[str, Any]] = [{"upto": 90, "share": 0}, {"upto": 200, "share": 0.97}, {"share": 0.03}]
    found = made(tmp_path, tokenizer, bins)
    # 3 % of 2,048 tokens, where a text of the last bin has 201 at least.
    (gap,) = [one for one in found.shortfall if "201" in one.cell]
    assert gap.asked == 61
    assert gap.why == "61 tokens are less than one text of this length; a larger set has room for it"


def test_a_generator_is_not_used_up(tmp_path: Path, tokenizer: Tokenizer) -> None:
    bins: list[dict[str, Any]] = [{"upto": 20, "share": 0.5}, {"upto": 2048, "share": 0.5}]
    source = [{"generate": "niah", "task": "a"}]
    found = made(tmp_path, tokenizer, bins, size=(4, 2048), sources=source)
    (gap,) = [one for one in found.shortfall if one.cell == "a, 1 to 20 tokens"]
    assert gap.taken == 0
    assert "used up" not in gap.why
