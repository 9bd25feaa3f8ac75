"""An encoder without a model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class WordEncoder:
    """Sums of one fixed random vector a word: sentences with common words are near.

    Attributes:
        calls: the sentences of each call.
    """

    banded = False
    fingerprint = "words-1"

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def encode(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors [n, 16]."""
        self.calls.append(list(sentences))
        vectors = np.zeros((len(sentences), 16))
        for row, sentence in enumerate(sentences):
            for word in sentence.split():
                seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "replace")).digest()[:4])
                vectors[row] += np.random.default_rng(seed).normal(size=16)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.divide(vectors, norms, out=vectors, where=norms > 0).astype(np.float32)

    def truncated(self, sentences: Sequence[str]) -> int:
        """Sentences of more than 20 words."""
        return sum(len(sentence.split()) > 20 for sentence in sentences)
