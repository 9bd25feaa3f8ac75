"""The score of one window, and what is refused by its stored numbers."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.scores.continuity import (
    AUTO_MIN,
    MEAN_BAND,
    SD_BAND,
    ContinuityScore,
    allowance,
    band_depth,
    check_continuity,
    continuity,
)


def plain(count: int) -> list[str]:
    """English sentences that share no word but the commonest, in no alphabetical order."""
    return [f"{(number * 7919) % 9973:04x} of the is {(number * 31) % 97:02x}w" for number in range(count)]


def walk(count: int, seed: int = 3) -> np.ndarray:
    """Vectors each near the one before."""
    return np.cumsum(np.random.default_rng(seed).normal(size=(count, 8)), axis=0)


def test_mean_and_sd_are_those_of_the_pairs() -> None:
    score = continuity(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 2.0]]), plain(4))
    # Pairs 12 and 34 have cosine 1, the other four 0: mean 1/3, sd sqrt(1/3 - 1/9).
    assert (score.mean, score.sd) == (pytest.approx(1 / 3, abs=1e-4), pytest.approx(math.sqrt(2) / 3, abs=1e-4))
    assert score.sentences == 4


def test_mean_and_sd_are_of_the_sixteen_sentences_farthest_outside() -> None:
    rng = np.random.default_rng(5)
    good = rng.normal(size=(16, 40)) + 1.2 * rng.normal(size=40) / 2
    junk = rng.normal(size=(16, 40)) * 0.3 + 1
    score = continuity(np.concatenate([good, junk]), plain(32))
    alone = continuity(junk, plain(16))
    assert (score.mean, score.sd) == (alone.mean, alone.sd)
    assert score.mean > MEAN_BAND[1]
    assert score.rank < 0 < score.z


@pytest.mark.parametrize(
    "vectors",
    [np.zeros((0, 4)), np.ones((1, 4)), np.ones((3, 4)), np.zeros((6, 4)), np.ones((6, 4)), np.ones((30, 3))],
    ids=["none", "one", "three", "zeros", "equal", "thirty equal"],
)
def test_what_cannot_be_scored_gives_zero_and_no_nan(vectors: np.ndarray) -> None:
    score = continuity(vectors, ["The same sentence again."] * len(vectors))
    assert score.z == 0.0
    assert score.defined is (len(vectors) >= 4)
    assert score.sentences == len(vectors)
    # Refused by NaN, passed by NaN: neither. JSON knows no NaN.
    assert json.dumps(score.flat(), allow_nan=False)
    refused = check_continuity(score.flat(), AUTO_MIN)
    assert (refused is not None) is (len(vectors) >= 24)


def test_a_zero_vector_among_others_has_cosine_zero() -> None:
    score = continuity(np.array([[1.0, 0], [0, 0], [1, 0], [0, 0]]), plain(4))
    assert score.mean == pytest.approx(1 / 6, abs=1e-4)
    assert math.isfinite(score.z)


def test_neighbours_alike_score_high_and_alternating_ones_low() -> None:
    noise = np.random.default_rng(1).normal(scale=0.05, size=(24, 2))
    blocks = np.repeat(np.eye(2), 12, axis=0) + noise
    assert continuity(blocks, plain(24)).z > 3
    assert continuity(np.tile(np.eye(2), (12, 1)) + noise, plain(24)).z < -0.5


def test_orders_at_random_have_mean_zero_and_sd_one() -> None:
    vectors, rng = walk(24), np.random.default_rng(0)
    found = []
    for _ in range(300):
        order = rng.permutation(24)
        found.append(continuity(vectors[order], [plain(24)[at] for at in order]).z)
    assert abs(np.mean(found)) < 0.2
    assert 0.85 < np.std(found) < 1.15


def test_words_shared_by_neighbours_count_where_vectors_say_nothing() -> None:
    lines = [f"渡轮离开港口{at}" if at < 12 else f"面包师买了面粉{at}" for at in range(24)]
    equal = np.ones((24, 4))
    assert continuity(equal, lines).z > 5
    assert abs(continuity(equal, [lines[at * 7 % 24] for at in range(24)]).z) < 2.5


def test_in_english_the_order_counts_where_nothing_is_alike_and_backwards_against() -> None:
    equal = np.ones((24, 4))
    english = [f"It was in {1900 + at}." for at in range(24)]
    there, back = continuity(equal, english).z, continuity(equal, english[::-1]).z
    assert there > 4
    assert back == -there
    assert continuity(equal, [f"Es geschah {1900 + at}." for at in range(24)]).z == 0


def test_who_is_spoken_of_counts_in_english() -> None:
    lines = [f"{'She' if at < 12 else 'They'} of the {chr(97 + at)} is {chr(98 + at)}." for at in range(24)]
    assert continuity(np.ones((24, 4)), lines).z > 4


def test_the_band_holds_for_english_unless_said_otherwise() -> None:
    assert continuity(walk(8), plain(8)).banded
    assert not continuity(walk(8), ["渡轮离开港口的时候"] * 8).banded
    assert not continuity(walk(8), plain(8), banded=False).banded


def flat(z: float, mean: float | None = 0.25, sd: float = 0.17, **other: float) -> dict[str, float | int]:
    score = ContinuityScore(
        z,
        mean or 0.0,
        sd,
        other.get("order", 0.0),
        int(other.get("sentences", 32)),
        mean is not None,
        int(other.get("windows", 1)),
    )
    return score.flat()


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (flat(2.34), None),
        (flat(2.32), "continuity"),
        (flat(9, mean=0.7, sd=0.06), "continuity_band"),
        (flat(9, mean=0.16, sd=0.08), "continuity_band"),
        (flat(-3, sentences=23), None),
        (flat(-3, sentences=24), "continuity"),
        (flat(-3, order=9.0, sentences=23), None),
        (flat(9, order=9.0), "continuity"),
        # Other languages: no band, and 1.33 less.
        (flat(1.01, mean=None), None),
        (flat(0.99, mean=None), "continuity"),
        # The lowest of four windows: 0.9 less.
        (flat(1.44, windows=4), None),
        (flat(1.42, windows=4), "continuity"),
        ({**flat(0), "continuity": math.nan}, "continuity"),
    ],
)
def test_stored_numbers_alone_decide(given: dict[str, float | int], reason: str | None) -> None:
    drop = check_continuity(given, AUTO_MIN)
    assert (drop.reason if drop else None) == reason


def test_each_doubling_of_windows_allows_as_much_less() -> None:
    allowed = [allowance(windows, True) for windows in (1, 2, 4, 8)]
    assert allowed[0] == 0
    assert [after - before for before, after in pairwise(allowed)] == pytest.approx([0.45] * 3)


@given(st.floats(-5, 15), st.floats(0, 1), st.floats(0, 0.5), st.floats(-9, 9))
def test_what_a_rule_refuses_ranks_below_zero_and_all_else_by_z(
    z: float, mean: float, sd: float, order: float
) -> None:
    score = ContinuityScore(z, mean, sd, order, 32)
    if band_depth(mean, sd) > 0 or order > 5:
        assert score.rank < 0
        assert score.rank < z + 0.001
    else:
        assert score.rank == round(z, 3)


def test_the_farther_outside_the_lower() -> None:
    deep, shallow = (ContinuityScore(9, mean, 0.1, 0.0, 32).rank for mean in (0.8, 0.6))
    assert deep < shallow < 0
    assert band_depth(sum(MEAN_BAND) / 2, sum(SD_BAND) / 2) < 0
