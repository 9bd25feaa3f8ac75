"""The permutation z against all orders counted one by one, and what it says of real text."""

from __future__ import annotations

import itertools
import math
import random
import uuid

import numpy as np
import pytest

from curator.scores.continuity import (
    AUTO_MIN,
    ContinuityScore,
    check_continuity,
    continuity,
    least_continuity,
)
from curator.scores.embedder import Embedder
from curator.scores.sentences import split_sentences


def counted_z(vectors: np.ndarray) -> float:
    """Z by the definition: cosines of centred vectors, weights exp(-(gap - 1) / 1.5), every order once."""
    centred = vectors - vectors.mean(axis=0)
    n = len(vectors)

    def statistic(order: tuple[int, ...]) -> float:
        total = 0.0
        for i, j in itertools.permutations(range(n), 2):
            a, b = centred[order[i]], centred[order[j]]
            cosine = float(a @ b / math.sqrt(float(a @ a) * float(b @ b)))
            total += math.exp(-(abs(i - j) - 1) / 1.5) * cosine
        return total

    values = [statistic(order) for order in itertools.permutations(range(n))]
    mean = math.fsum(values) / len(values)
    sd = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    return (statistic(tuple(range(n))) - mean) / sd


@pytest.mark.parametrize(("n", "seed"), [(4, 0), (5, 1), (5, 2), (6, 3)])
def test_z_is_exactly_that_of_all_permutations(n: int, seed: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(n, 7))
    assert continuity(vectors).z == pytest.approx(counted_z(vectors), abs=1e-9)


def test_mean_and_sd_are_those_of_the_pairs() -> None:
    vectors = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 2.0]])
    score = continuity(vectors)
    # Pairs 12 and 34 have cosine 1, the other four 0: mean 1/3, sd sqrt(1/3 - 1/9).
    assert (score.mean, score.sd) == (pytest.approx(1 / 3), pytest.approx(math.sqrt(2) / 3))
    assert score.sentences == 4


@pytest.mark.parametrize(
    "vectors",
    [
        np.zeros((0, 4)),
        np.ones((1, 4)),
        np.ones((3, 4)),
        np.zeros((6, 4)),
        np.ones((6, 4)),
        np.tile([0.1, 0.7, -0.3], (30, 1)),
    ],
    ids=["none", "one", "three", "zeros", "equal", "thirty equal"],
)
def test_what_cannot_be_scored_gives_zero_and_no_nan(vectors: np.ndarray) -> None:
    score = least_continuity(vectors)
    assert score.z == 0.0
    assert math.isfinite(score.mean)
    assert math.isfinite(score.sd)
    assert score.sentences == len(vectors)


def test_a_zero_vector_among_others_has_cosine_zero() -> None:
    vectors = np.random.default_rng(0).normal(size=(8, 5))
    vectors[3] = 0.0
    vectors[5] = vectors[4]
    score = continuity(vectors.astype(np.float32))
    assert all(math.isfinite(value) for value in (score.z, score.mean, score.sd))
    assert continuity(np.array([[1.0, 0], [0, 0], [1, 0], [0, 0]])).mean == pytest.approx(1 / 6)


def test_neighbours_alike_score_high_and_alternating_ones_low() -> None:
    one, two = np.eye(2)
    noise = np.random.default_rng(1).normal(scale=0.05, size=(24, 2))
    blocks = np.array([one] * 12 + [two] * 12) + noise
    assert continuity(blocks).z > 3
    assert continuity(np.array([one, two] * 12) + noise).z < -0.5
    shuffled = [continuity(np.random.default_rng(seed).permutation(blocks)).z for seed in range(200)]
    assert abs(np.mean(shuffled)) < 0.3
    assert 0.8 < np.std(shuffled) < 1.2


def test_a_rubbish_tail_is_judged_by_the_tail() -> None:
    rng = np.random.default_rng(3)
    walk = np.cumsum(rng.normal(size=(64, 8)), axis=0)
    whole = np.concatenate([walk, rng.normal(size=(32, 8))])
    assert continuity(whole[:32]).z > 3
    assert least_continuity(whole).z < 2.33
    assert least_continuity(walk).z > 2.33
    assert least_continuity(whole[::-1]).z < 2.33


def test_every_sentence_is_in_a_window_of_thirty_two() -> None:
    vectors = np.random.default_rng(4).normal(size=(33, 6))
    assert least_continuity(vectors).z == min(continuity(vectors[:32]).z, continuity(vectors[1:]).z)
    assert least_continuity(vectors[:32]) == continuity(vectors[:32])


def score(z: float, mean: float = 0.25, sd: float = 0.17, sentences: int = 32) -> ContinuityScore:
    return ContinuityScore(z, mean, sd, sentences)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (score(2.34), None),
        (score(2.32), "continuity"),
        (score(9, mean=0.7, sd=0.06), "continuity_band"),
        (score(9, mean=0.16, sd=0.08), "continuity_band"),
        (score(-3, sentences=23), None),
        (score(-3, sentences=24), "continuity"),
    ],
)
def test_low_z_or_narrow_cosines_refuse_and_short_texts_never(given: ContinuityScore, reason: str | None) -> None:
    drop = check_continuity(given, AUTO_MIN)
    assert (drop.reason if drop else None) == reason


STORY = """The ferry to the northern islands leaves the harbour at seven. On most days it carries the post, the
bread and a few schoolchildren. The captain has made the crossing for thirty years. He says that he could
do it with his eyes shut, but nobody has asked him to. Last winter the engine failed half way across the
strait. The crew dropped the anchor and called the lifeboat. For two hours the passengers sat in the
saloon and drank tea. When the lifeboat came, it towed the ferry back to the pier. The engineer found
that a fuel pump had cracked. A new pump had to be ordered from the mainland, and it took a week to
arrive. During that week the islands had no fresh bread. The baker on the largest island decided to build
an oven of his own. He bought bricks from an old kiln and flour from a farmer. The first loaves were
burnt, and the second ones were raw. By the end of the month his rye bread was better than that of the
town. People began to walk across the island to buy it. The baker hired his niece to serve in the shop.
She painted a sign with a loaf and a wheat sheaf. Tourists took photographs of the sign and told their
friends. In summer the queue reached the church. The priest complained that nobody came to the early
service any more. So the baker gave the church a basket of rolls every Sunday. After that the priest
blessed the oven and the complaints stopped. The old kiln, whose bricks had made the oven, was later
turned into a museum. It shows tiles, pots and a model of the harbour. Its first visitor was the captain
of the ferry. He looked for a long time at the model, where his own ship lay at the pier. Then he asked
whether the pump was in it as well."""


def junk(kind: str) -> list[str]:
    rng = random.Random(11)
    if kind == "uuids":
        return [str(uuid.UUID(int=rng.getrandbits(128), version=4)) for _ in range(32)]
    words = [word.strip(".,").lower() for word in STORY.split()]
    return split_sentences(" ".join(rng.choice(words) for _ in range(1500)), 32)


# Loading MiniLM takes about 5 s, a text 0.5 s.
@pytest.mark.model
def test_a_story_passes_and_its_shuffles_and_junk_do_not() -> None:
    embedder = Embedder()
    sentences = split_sentences(STORY)
    assert len(sentences) == 28
    vectors = embedder.encode(sentences)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(28), abs=1e-4)
    ordered = continuity(vectors)
    assert check_continuity(ordered, AUTO_MIN) is None
    shuffled = [continuity(np.random.default_rng(seed).permutation(vectors)).z for seed in range(100)]
    assert ordered.z > max(shuffled)
    assert sum(z > AUTO_MIN for z in shuffled) <= 5
    for kind in ("uuids", "words"):
        texts = junk(kind)
        assert len(texts) == 32
        assert check_continuity(continuity(embedder.encode(texts)), AUTO_MIN) is not None, kind
