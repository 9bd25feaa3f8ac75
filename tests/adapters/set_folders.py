"""Set folders written by hand: rows of any shape, without a recipe or a tokenizer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from curator.adapters.stored_set import set_sha256

# Ragged: short ones, the same one twice, neighbours of equal length, a long one.
RAGGED = [[0, 5], [0, 5], [0, 7, 8], [0, 9, 9], [0, 2, 1], list(range(40)), [0, 3]]


def save_set(folder: Path, rows: Sequence[Sequence[int]], texts: Sequence[str] = (), **manifest: Any) -> Path:
    """Write what `read_set` reads."""
    folder.mkdir(parents=True)
    texts = texts or ["x" for _ in rows]
    lines = [json.dumps({"input_ids": list(row), "text": text}) for row, text in zip(rows, texts, strict=True)]
    (folder / "samples.jsonl").write_text("".join(line + "\n" for line in lines))
    (folder / "manifest.json").write_text(json.dumps({"set_hash": set_sha256(rows), **manifest}))
    return folder


def model_of(vocabulary: int = 100, positions: int = 64) -> Any:
    """As much of a model as the adapters look at."""
    return SimpleNamespace(config=SimpleNamespace(vocab_size=vocabulary, max_position_embeddings=positions))
