from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_softmax
from scipy.stats import entropy

from curator._errors import InputError
from curator.measure.full import divergences
from curator.measure.sparse import sparse_divergences


def logits(rows: int, vocabulary: int, seed: int, scale: float = 3.0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return (generator.normal(size=(rows, vocabulary)) * scale).astype(np.float32)


def peaked(rows: int, vocabulary: int, seed: int) -> np.ndarray:
    """Zipf-like with noise, in another order each row, as a language model's are."""
    generator = np.random.default_rng(seed)
    ranks = np.log(np.arange(1, vocabulary + 1))
    slope = generator.uniform(1.5, 2.5, size=(rows, 1))
    values = -slope * ranks + generator.normal(size=(rows, vocabulary)) * 0.7
    return np.stack([row[generator.permutation(vocabulary)] for row in values]).astype(np.float32)


def top(values: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    logprobs = log_softmax(values.astype(np.float64), axis=-1)
    ids = np.argsort(-logprobs, axis=-1, kind="stable")[:, :k]
    return ids.astype(np.int32), np.take_along_axis(logprobs, ids, -1).astype(np.float32)


def sparse(reference: np.ndarray, candidate: np.ndarray, k: int) -> dict[str, np.ndarray]:
    return sparse_divergences(*top(reference, k), *top(candidate, k), reference.shape[-1])


@pytest.mark.parametrize("scale", [0.01, 1.0, 5.0, 20.0])
def test_full_equals_scipy(scale: float) -> None:
    p_logits, q_logits = logits(40, 500, 1, scale), logits(40, 500, 2, scale)
    found = divergences(p_logits, q_logits)
    p = np.exp(log_softmax(p_logits.astype(np.float64), axis=-1))
    q = np.exp(log_softmax(q_logits.astype(np.float64), axis=-1))
    m = (p + q) / 2
    np.testing.assert_allclose(found["kl"], entropy(p, q, axis=-1), rtol=1e-12, atol=1e-12)
    js = (entropy(p, m, axis=-1) + entropy(q, m, axis=-1)) / 2
    np.testing.assert_allclose(found["js"], js, rtol=1e-12, atol=1e-12)
    cosine = (p * q).sum(-1) / np.linalg.norm(p, axis=-1) / np.linalg.norm(q, axis=-1)
    np.testing.assert_allclose(found["cosine"], cosine, rtol=1e-12)
    np.testing.assert_array_equal(found["top1"], (p.argmax(-1) == q.argmax(-1)).astype(float))


def test_identical_logits_have_no_divergence() -> None:
    values = logits(10, 300, 3)
    found = divergences(values, values)
    assert (found["kl"] == 0).all()
    # A difference of entropies of up to ln(300): zero to the rounding of float64.
    assert (found["js"] < 1e-14).all()
    np.testing.assert_allclose(found["cosine"], 1.0, rtol=1e-12)
    assert (found["top1"] == 1).all()


def test_kl_does_not_see_a_shift_and_is_not_symmetric() -> None:
    p_logits, q_logits = logits(10, 300, 3), logits(10, 300, 4)
    exact = divergences(p_logits, q_logits)["kl"]
    shifted = divergences(p_logits.astype(np.float64) + 7, q_logits.astype(np.float64) - 3)["kl"]
    np.testing.assert_allclose(shifted, exact, rtol=1e-9)
    assert not np.allclose(exact, divergences(q_logits, p_logits)["kl"])


def test_two_outcomes_by_hand() -> None:
    p, q = np.log([[0.75, 0.25]]).astype(np.float32), np.log([[0.5, 0.5]]).astype(np.float32)
    expected = 0.75 * np.log(1.5) + 0.25 * np.log(0.5)
    assert divergences(p, q)["kl"][0] == pytest.approx(expected, abs=1e-7)
    assert sparse(p, q, 2)["union"][0] == pytest.approx(expected, abs=1e-6)


def test_vocabularies_of_other_sizes_are_refused() -> None:
    with pytest.raises(InputError, match="other vocabularies"):
        divergences(logits(2, 300, 0), logits(2, 301, 0))


# Float32 logprobs leave about 1e-6 of probability unknown; times a logarithm of at most 14.
BOUND_TOLERANCE = 2e-5


@settings(max_examples=300)
@given(
    seed=st.integers(0, 10_000),
    vocabulary=st.integers(2, 60),
    share=st.floats(0.02, 1.0),
    scale=st.sampled_from([0.1, 1.0, 4.0, 12.0]),
    noise=st.sampled_from([0.0, 0.05, 1.0, 10.0]),
)
def test_lumped_is_a_lower_bound(seed: int, vocabulary: int, share: float, scale: float, noise: float) -> None:
    p_logits = logits(4, vocabulary, seed, scale)
    q_logits = p_logits + logits(4, vocabulary, seed + 1, noise)
    k = max(1, round(share * vocabulary))
    exact = divergences(p_logits, q_logits)["kl"]
    found = sparse(p_logits, q_logits, k)
    assert (found["lumped"] <= exact + BOUND_TOLERANCE).all()
    assert all(np.isfinite(values).all() for values in found.values())
    assert (found["union"] >= 0).all()


def test_lumped_stays_a_bound_where_only_the_reference_has_no_rest() -> None:
    # Nearly all of p is listed, half of q is not: the rest's term is negative and counts.
    p_logits = np.array([[0.0, -16.0, -17.0]], dtype=np.float32)
    q_logits = np.array([[0.0, 0.0, 0.0]], dtype=np.float32)
    exact = divergences(p_logits, q_logits)["kl"][0]
    assert sparse(p_logits, q_logits, 1)["lumped"][0] <= exact + 1e-6


@pytest.mark.parametrize(("k", "tolerance"), [(64, 0.02), (256, 0.01)])
@pytest.mark.parametrize("noise", [0.02, 0.15, 0.8, 2.0])
def test_union_is_close_to_full_on_flat_tails(noise: float, k: int, tolerance: float) -> None:
    """From KL 2e-4 to 1.4, which varies little between these rows."""
    p_logits = peaked(150, 4096, 5) * 0.6
    q_logits = p_logits + np.random.default_rng(6).normal(size=p_logits.shape).astype(np.float32) * noise
    exact = divergences(p_logits, q_logits)["kl"]
    found = sparse(p_logits, q_logits, k)
    assert found["union"].mean() == pytest.approx(exact.mean(), rel=tolerance)
    assert np.corrcoef(found["union"], exact)[0, 1] > 0.7
    assert (found["lumped"] <= exact + BOUND_TOLERANCE).all()
    assert (found["lumped"] <= found["union"]).all()


def test_unrelated_lists_are_far_apart_by_about_as_much_as_they_are() -> None:
    p_logits, q_logits = peaked(50, 4096, 1), peaked(50, 4096, 2)
    exact = divergences(p_logits, q_logits)["kl"].mean()
    assert 0.4 * exact < sparse(p_logits, q_logits, 256)["union"].mean() < 2 * exact


def test_lists_of_the_whole_vocabulary_give_the_full_value() -> None:
    p_logits, q_logits = logits(20, 200, 8), logits(20, 200, 9)
    exact = divergences(p_logits, q_logits)
    found = sparse(p_logits, q_logits, 200)
    np.testing.assert_allclose(found["union"], exact["kl"], atol=1e-6, rtol=1e-6)
    np.testing.assert_allclose(found["lumped"], exact["kl"], atol=1e-6, rtol=1e-6)
    np.testing.assert_allclose(found["cosine"], exact["cosine"], atol=1e-6)
    np.testing.assert_array_equal(found["top1"], exact["top1"])


def test_identical_lists_have_no_divergence() -> None:
    values = peaked(30, 4096, 7)
    found = sparse(values, values, 256)
    assert (found["union"] == 0).all()
    assert (found["lumped"] == 0).all()
    np.testing.assert_allclose(found["cosine"], 1.0, rtol=1e-12)


def test_disjoint_lists_are_far_apart_and_finite() -> None:
    p_logits = np.full((1, 100), -20.0, dtype=np.float32)
    q_logits = p_logits.copy()
    p_logits[0, :5], q_logits[0, 50:55] = 0, 0
    found = sparse(p_logits, q_logits, 5)
    assert found["union"][0] > 5
    assert found["cosine"][0] == 0
    assert found["top1"][0] == 0


def test_lists_of_another_length_are_allowed() -> None:
    values = peaked(5, 500, 7)
    found = sparse_divergences(*top(values, 100), *top(values, 50), 500)
    assert (found["union"] < 0.05).all()


def lists_of(ids: list[int], probabilities: list[float]) -> tuple[np.ndarray, np.ndarray]:
    with np.errstate(divide="ignore"):
        return np.array([ids], dtype=np.int32), np.log(np.array([probabilities])).astype(np.float32)


def test_lists_by_hand() -> None:
    """Vocabulary 10; p lists a 0.5, b 0.3 (rest 0.2), q lists a 0.4, c 0.4 (rest 0.2)."""
    found = sparse_divergences(*lists_of([0, 1], [0.5, 0.3]), *lists_of([0, 2], [0.4, 0.4]), 10)
    # Eight ids share a rest of 0.2: 0.025 each. One id in common tells no scatter, so b takes the midpoint of
    # q's last and that: sqrt(0.4 * 0.025) = 0.1. Below p's list p has 0.2, q what is left of it: 1 - 0.4 - 0.1.
    union = 0.5 * np.log(0.5 / 0.4) + 0.3 * np.log(0.3 / 0.1) + 0.2 * np.log(0.2 / 0.5)
    lumped = 0.5 * np.log(0.5 / 0.4) + 0.5 * np.log(0.5 / 0.6)
    uniform = 0.5 * np.log(0.5 / 0.4) + 0.3 * np.log(0.3 / 0.025) + 0.025 * np.log(0.025 / 0.4)
    cosine = 0.5 * 0.4 / np.sqrt((0.25 + 0.09) * (0.16 + 0.16))
    for name, expected in (("union", union), ("lumped", lumped), ("uniform", uniform), ("cosine", cosine)):
        assert found[name][0] == pytest.approx(expected, rel=1e-5), name
    # Seven ids in neither list: the uniform rests differ where the lists differ in mass.
    found = sparse_divergences(*lists_of([0, 1], [0.5, 0.3]), *lists_of([0, 2], [0.4, 0.2]), 10)
    uniform = 0.5 * np.log(0.5 / 0.4) + 0.3 * np.log(0.3 / 0.05) + 0.025 * np.log(0.025 / 0.2)
    assert found["uniform"][0] == pytest.approx(uniform + 7 * 0.025 * np.log(0.025 / 0.05), rel=1e-5)


def test_uniform_smoothing_of_whole_lists_is_the_full_value() -> None:
    p_logits, q_logits = logits(5, 50, 1), logits(5, 50, 2)
    found = sparse(p_logits, q_logits, 50)
    np.testing.assert_allclose(found["uniform"], divergences(p_logits, q_logits)["kl"], rtol=1e-5)


@pytest.mark.parametrize("zero", [-np.inf, -3.4028235e38, -1001.0])
def test_a_probability_of_zero_counts_as_the_lowest(zero: float) -> None:
    p, q = lists_of([0, 1], [0.5, 0.5]), lists_of([0, 1], [1.0, 0.0])
    q[1][0, 1] = zero
    expected = 0.5 * np.log(0.5) + 0.5 * (np.log(0.5) + 1000)
    found = sparse_divergences(*p, *q, 2)
    assert found["union"][0] == pytest.approx(expected, rel=1e-6)
    assert found["lumped"][0] == pytest.approx(expected, rel=1e-6)
    # And over the whole vocabulary.
    full = divergences(np.zeros((1, 2), np.float32), np.array([[0.0, max(zero, -1e30)]], np.float32))
    assert full["kl"][0] == pytest.approx(expected, rel=1e-6)
    masked = divergences(np.zeros((1, 2), np.float32), np.array([[0.0, -np.inf]], np.float32))
    assert masked["kl"][0] == pytest.approx(expected, rel=1e-6)
    assert np.isfinite(masked["js"]).all()


def test_what_is_no_number_is_refused_with_whose_and_where() -> None:
    good = np.zeros((3, 4), np.float32)
    broken = good.copy()
    broken[2, 1] = np.nan
    ids = np.tile(np.arange(4, dtype=np.int32), (3, 1))
    for pair, whose in (((good, broken), "candidate"), ((broken, good), "baseline")):
        with pytest.raises(InputError, match=f"a logit of the {whose} at scored token 2 is not a number"):
            divergences(*pair)
        lists = [part for values in pair for part in (ids, values - np.float32(np.log(4)))]
        with pytest.raises(InputError, match=f"a logprob of the {whose} at scored token 2 is not a number"):
            sparse_divergences(*lists, 4)


def test_a_long_answer_names_the_token_that_is_broken() -> None:
    # Rows are computed some at a time: the number must be that of the whole.
    sound, broken = logits(75, 40, 5), logits(75, 40, 6)
    broken[70, 3] = np.nan
    with pytest.raises(InputError, match="a logit of the candidate at scored token 70 is not a number"):
        divergences(sound, broken)


def test_an_evaluation_takes_seconds() -> None:
    tokens, k, vocabulary = 48 * 64, 256, 49152
    generator = np.random.default_rng(0)
    ids = np.stack([generator.choice(2000, k, replace=False) for _ in range(tokens)]).astype(np.int32)
    logprobs = np.sort(generator.normal(size=(tokens, k)) - 9, axis=-1)[:, ::-1].astype(np.float32)
    start = time.process_time()
    sparse_divergences(ids, logprobs, ids[::-1], logprobs, vocabulary)
    assert time.process_time() - start < 3
