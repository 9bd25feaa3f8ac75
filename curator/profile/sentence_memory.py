"""Vectors of sentences that come again: items of an evaluation share documents and haystacks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from curator.scores.document import Vectors
from curator.scores.scorer import FingerprintedEncoder

# Of 384 numbers each: 30 MB.
_MOST = 20_000


class SentenceMemory:
    """An embedder that is asked about each sentence once.

    A sentence's vector differs in its last bits by the sentences beside it, which scores are rounded to hide; so
    the fingerprint is the embedder's own.

    Args:
        encoder: gives the vectors.
    """

    def __init__(self, encoder: FingerprintedEncoder) -> None:
        self._encoder = encoder
        self._known: dict[str, Vectors] = {}

    @property
    def banded(self) -> bool:
        """See `SentenceEncoder`."""
        return self._encoder.banded

    @property
    def fingerprint(self) -> str:
        """See `FingerprintedEncoder`."""
        return self._encoder.fingerprint

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """See `SentenceEncoder`."""
        if not sentences:
            return self._encoder.encode(sentences)
        if len(self._known) > _MOST:
            self._known.clear()
        new = [sentence for sentence in dict.fromkeys(sentences) if sentence not in self._known]
        if new:
            self._known.update(zip(new, self._encoder.encode(new), strict=True))
        return np.stack([self._known[sentence] for sentence in sentences])

    def truncated(self, sentences: Sequence[str]) -> int:
        """See `SentenceEncoder`."""
        return self._encoder.truncated(sentences)
