"""How far apart two sets are in meaning: the distance of their mean embeddings, and what chance gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from curator._seed import stable_hash
from curator.scores.store import ScoreStore, content_key

PERMUTATIONS = 999
_VERSION = "embedding-shift-1"
# Texts that are embedded by one call; what a call has in common is padding alone.
_TOGETHER = 64
# Below this share of chance as large, a distance is called more than chance.
LEVEL = 0.05


class Encoder(Protocol):
    """What turns texts into vectors, and can be known again."""

    @property
    def fingerprint(self) -> str:
        """What vectors depend on beside the text."""

    def encode(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors float32 [n, d]."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The texts of a set that are embedded.

    Attributes:
        texts: the beginning of each.
        weights: tokens that each stands for.
    """

    texts: tuple[str, ...]
    weights: tuple[float, ...]


def embedding_shift(first: Sample, second: Sample, encoder: Encoder, store: ScoreStore) -> dict[str, Any] | None:
    """Distance of the token-weighted mean unit vectors of two sets, with a permutation test over texts.

    The test asks how often a random division of all the texts into two such groups is as far apart. Texts are
    taken as exchangeable; those of one document are not quite, so give one a document.

    Args:
        first: of a set.
        second: of the other.
        encoder: the embedder.
        store: keeps vectors by text.

    Returns:
        ``distance`` (0 to 2), ``chance`` and ``chance_95``, the mean and the 95th percentile of the distance
        under random division, ``p``, ``texts`` of both and ``words``; ``None`` for fewer than two texts a set.
    """
    if min(len(first.texts), len(second.texts)) < 2:
        return None
    vectors = _vectors([*first.texts, *second.texts], encoder, store)
    weights = np.array([*first.weights, *second.weights], dtype=np.float64)
    distance = _distances(vectors, weights, _labels(len(first.texts), len(weights)))[0]
    by_chance = _distances(vectors, weights, _shuffled(first, second))
    # The division that was found is one of those that chance could give.
    p = (1 + int((by_chance >= distance - 1e-12).sum())) / (PERMUTATIONS + 1)
    result = {
        "distance": float(distance),
        "chance": float(by_chance.mean()),
        "chance_95": float(np.quantile(by_chance, 0.95)),
        "p": p,
        "permutations": PERMUTATIONS,
        "texts": [len(first.texts), len(second.texts)],
    }
    return {**result, "words": _words(result)}


def _words(found: dict[str, Any]) -> str:
    verdict = "more than chance" if found["p"] < LEVEL else "no more than chance"
    return (
        f"mean embeddings are {found['distance']:.3f} apart (0: the same, 2: opposite), {verdict}: the same "
        f"{sum(found['texts'])} texts divided at random are {found['chance']:.3f} apart, in 95 % of divisions at "
        f"most {found['chance_95']:.3f} (p = {found['p']:.3f})"
    )


def _labels(first: int, count: int) -> NDArray[np.bool_]:
    labels = np.zeros((1, count), dtype=bool)
    labels[0, :first] = True
    return labels


def _shuffled(first: Sample, second: Sample) -> NDArray[np.bool_]:
    """Random divisions, bool [permutations, texts]; the same for the same texts."""
    texts = [*first.texts, *second.texts]
    random = np.random.default_rng(stable_hash("embedding-shift", content_key(*texts)))
    start = _labels(len(first.texts), len(texts)).repeat(PERMUTATIONS, axis=0)
    return random.permuted(start, axis=1)


def _distances(
    vectors: NDArray[np.float64], weights: NDArray[np.float64], labels: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Distance of both groups' means under each labelling, [labellings]."""
    means = []
    for group in (labels, ~labels):
        own = group * weights
        means.append(own @ vectors / np.maximum(own.sum(axis=1, keepdims=True), 1e-12))
    return np.asarray(np.linalg.norm(means[0] - means[1], axis=1), dtype=np.float64)


def _vectors(texts: Sequence[str], encoder: Encoder, store: ScoreStore) -> NDArray[np.float64]:
    """A vector a text, float64 [texts, d], from the store where the same text was embedded before."""
    keys = [content_key(_VERSION, encoder.fingerprint, text) for text in texts]
    found = {key: _stored(store, key) for key in dict.fromkeys(keys)}
    missing = [(key, text) for key, text in dict(zip(keys, texts, strict=True)).items() if found[key] is None]
    for start in range(0, len(missing), _TOGETHER):
        block = missing[start : start + _TOGETHER]
        for (key, _), vector in zip(block, encoder.encode([text for _, text in block]), strict=True):
            store.put(key, {}, vector.astype("<f4").tobytes())
            found[key] = vector.astype("<f4")
    return np.stack([np.asarray(found[key], dtype=np.float64) for key in keys])


def _stored(store: ScoreStore, key: str) -> NDArray[np.float32] | None:
    row = store.get(key)
    return np.frombuffer(row[1], dtype="<f4") if row is not None and row[1] else None
