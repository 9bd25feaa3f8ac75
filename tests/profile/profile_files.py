"""Evaluation files, a tokenizer of one token a word, and an embedder without a model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from curator._progress import Silent
from curator.profile import measure_file
from curator.profile.columns import EvalColumns
from curator.profile.make import Plan, make_profile
from curator.profile.schema import Profile
from tests.toy_tokenizers import save_marked


class FlatEncoder:
    """A vector a sentence, by its hash: no two sentences belong together."""

    banded = False
    fingerprint = "flat-1"

    def __init__(self, _name: str = "") -> None:
        self.asked: list[str] = []

    def encode(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        self.asked += sentences
        vectors = np.zeros((len(sentences), 16))
        for row, sentence in enumerate(sentences):
            seed = int.from_bytes(hashlib.sha256(sentence.encode("utf-8", "replace")).digest()[:4])
            vectors[row] = np.random.default_rng(seed).normal(size=16)
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    def truncated(self, sentences: Sequence[str]) -> int:
        return 0


def write_rows(path: Path, rows: Iterable[Any]) -> Path:
    """One JSON object a line; text is written as it is."""
    lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


_USUAL = EvalColumns()


def profiled(path: Path, monkeypatch: pytest.MonkeyPatch, columns: EvalColumns = _USUAL, **more: Any) -> Profile:
    """The profile of a file, in tokens that are words, with a store of its own."""
    folder = path.parent / "words"
    if not folder.is_dir():
        save_marked(folder, "words")
    monkeypatch.setenv("CURATE_CACHE", str(path.parent / "cache"))
    monkeypatch.setattr(measure_file, "Embedder", FlatEncoder)
    monkeypatch.setattr(measure_file, "_ready", {})
    return make_profile(Plan(path, columns, "words", folder, "flat", **more), Silent())
