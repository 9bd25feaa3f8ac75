"""Sentence vectors: our embedder against sentence-transformers' own encode at its best batch size."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from curator.scores.embedder import Embedder, embedder_source
from gate_bench.hosts import sentences

SENTENCES = 256
LEAST_RATIO = 0.9
_BATCHES = (8, 16, 32, 64)
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class EmbeddingCost:
    """Sentences a second of one core.

    Attributes:
        ours: of our embedder, the median of the rounds.
        theirs: of sentence-transformers' ``encode`` by batch size, alike.
    """

    ours: float
    theirs: dict[int, float]

    @property
    def ratio(self) -> float:
        """Ours to theirs at its best batch size."""
        return self.ours / max(self.theirs.values())

    def failures(self) -> list[str]:
        """The target, where it is missed."""
        missed = self.ratio < LEAST_RATIO
        return [f"the embedder is {self.ratio:.2f} times as fast, under {LEAST_RATIO}"] if missed else []

    def as_json(self) -> dict[str, Any]:
        """For a result file."""
        return {
            "sentences": SENTENCES,
            "ours_per_second": round(self.ours, 1),
            "sentence_transformers_per_second": {
                str(size): round(value, 1) for size, value in self.theirs.items()
            },
            "ratio": round(self.ratio, 3),
            "missed_targets": self.failures(),
        }


def measure_embedder() -> EmbeddingCost:
    """Measure in the processor's time with one thread, every round in another order."""
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    texts = list(sentences(1))[:SENTENCES]
    embedder, model = Embedder(), SentenceTransformer(embedder_source(), device="cpu")
    runs: dict[int, Callable[[], object]] = {0: lambda: embedder.encode(texts)}
    for size in _BATCHES:
        runs[size] = _encode(model, texts, size)
    for run in runs.values():
        run()
    rounds: list[dict[int, float]] = []
    for number in range(_ROUNDS):
        order = list(runs) if number % 2 == 0 else list(reversed(runs))
        rounds.append({name: _per_second(runs[name], len(texts)) for name in order})
    middle = {name: sorted(one[name] for one in rounds)[_ROUNDS // 2] for name in runs}
    return EmbeddingCost(middle.pop(0), middle)


def _encode(model: Any, texts: Sequence[str], size: int) -> Callable[[], object]:
    return lambda: model.encode(
        list(texts), batch_size=size, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
    )


def _per_second(run: Callable[[], object], count: int) -> float:
    start = time.process_time()
    run()
    return count / (time.process_time() - start)
