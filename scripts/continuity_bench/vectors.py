"""Sentence vectors, each sentence embedded once and kept in the temporary folder."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from curator.scores.embedder import Embedder

_ERR = Console(stderr=True)
_CHUNK = 256


class Vectors:
    """Vectors by sentence; an encoder for the score that embeds nothing it has seen."""

    banded = True

    def __init__(self) -> None:
        self._embedder = Embedder()
        folder = Path(tempfile.gettempdir()) / f"curate-bench-continuity-{self._embedder.fingerprint}"
        folder.mkdir(exist_ok=True)
        self._folder = folder
        self._known: dict[str, NDArray[np.float32]] = {}
        for file in sorted(folder.glob("*.npz")):
            with np.load(file) as stored:
                self._known |= dict(zip(stored["sentences"].tolist(), stored["vectors"], strict=True))

    def learn(self, sentences: Iterable[str]) -> None:
        """Embed those not known yet, the shortest first, so that batches are of one length."""
        new = sorted({sentence for sentence in sentences if sentence not in self._known}, key=len)
        for start in range(0, len(new), _CHUNK):
            chunk = new[start : start + _CHUNK]
            _ERR.print(f"embedding {start} of {len(new)}")
            vectors = self._embedder.encode(chunk)
            np.savez(self._folder / f"{len(self._known):07d}.npz", sentences=np.array(chunk), vectors=vectors)
            self._known |= dict(zip(chunk, vectors, strict=True))

    def encode(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        """Of sentences that were learnt [n, 384]."""
        return np.array([self._known[sentence] for sentence in sentences])

    def truncated(self, sentences: Sequence[str]) -> int:
        """See `curator.scores.document.SentenceEncoder`."""
        return self._embedder.truncated(sentences)
