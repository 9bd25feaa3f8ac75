"""Sets that are chosen for the diversity of their texts."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from recipe_builds import build, rows
from toy_tokenizers import save_tokenizer

from curator.tokens.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    """One token a byte; with the separator, a text has one token more."""
    return Tokenizer(save_tokenizer(tmp_path_factory.mktemp("toy")))


class Painted:
    """Stands for a scorer: a text's vector is told by its first letter."""

    def __init__(self, *_: object) -> None:
        pass

    def score(self, sentences: Any) -> Any:
        first = sentences[0].text[0]
        return SimpleNamespace(vector=np.eye(3, dtype=np.float32)["abc".index(first)])


def test_diversity_takes_texts_of_every_kind_before_more_of_one(
    tmp_path: Path, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of a hundred texts, five are of a second kind and five of a third; a set has about five.
    kinds = ["a"] * 90 + ["b"] * 5 + ["c"] * 5
    houses = [f"{kind}bove the {n} harbour stands a house with {n} windows." for n, kind in enumerate(kinds)]
    rows(tmp_path / "a.jsonl", houses)
    source = {"files": "a.jsonl", "task": "a"}

    def first_letters(diversity: str) -> set[str]:
        target = {"tasks": {"a": 1}, "diversity": diversity}
        (found,) = build(
            tmp_path, tokenizer, size=(1, 256), tasks={"a": 1}, target=target, sources=[source], seed=8
        )
        return {part.segment.text[0] for sequence in found.sequences for part in sequence.parts}

    monkeypatch.setattr("curator.pipeline.build.Scorer", Painted)
    assert first_letters("coverage") == {"a", "b", "c"}
    assert first_letters("none") < {"a", "b", "c"}
