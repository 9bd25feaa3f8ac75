from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator._errors import InputError
from curator.measure.lists_file import NAMES, pack, rounded, unpack
from curator.measure.sparse import LOWEST, sparse_divergences
from curator.serve.interface import Scores

STEP = 2.0**-16


def lists(rows: int, vocabulary: int, k: int, seed: int) -> Scores:
    """Zipf-like lists in a random order of ids, as a language model's are."""
    generator = np.random.default_rng(seed)
    ranks = np.log(np.arange(1, vocabulary + 1))
    ids, logprobs = [], []
    for slope in generator.uniform(1.2, 2.5, rows):
        values = -slope * ranks + generator.normal(size=vocabulary) * 0.7
        values -= np.log(np.exp(values).sum())
        order = np.argsort(-values)[:k]
        ids.append(generator.permutation(vocabulary)[order])
        logprobs.append(values[order])
    listed = np.array(logprobs, dtype=np.float32)
    return Scores(np.array(ids, dtype=np.int32), listed, listed[:, 0])


def size(**arrays: np.ndarray) -> int:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.tell()


@pytest.mark.parametrize("vocabulary", [49_152, 151_936])
def test_a_file_is_less_than_six_tenths_and_kl_stays(vocabulary: int) -> None:
    reference = lists(60, vocabulary, 256, 1)
    # A candidate like the reference: the same ids, noise on the logprobs, the last 20 not listed.
    moved = reference.top_logprobs + np.random.default_rng(3).normal(size=(60, 256)) * 0.4
    moved -= np.log(np.exp(moved).sum(1, keepdims=True) / np.exp(reference.top_logprobs).sum(1, keepdims=True))
    order = np.argsort(-moved, axis=1)[:, :236]
    moved = np.take_along_axis(moved, order, 1).astype(np.float32)
    candidate = Scores(np.take_along_axis(reference.top_ids, order, 1), moved, reference.chosen)
    plain = reference.top_ids.nbytes + reference.top_logprobs.nbytes
    assert size(**pack(reference)) < 0.6 * plain
    exact, stored = (
        sparse_divergences(p.top_ids, p.top_logprobs, q.top_ids, q.top_logprobs, vocabulary)
        for p, q in ((reference, candidate), (rounded(reference, "x"), rounded(candidate, "x")))
    )
    assert exact["union"].mean() > 0.03
    for name in ("union", "lumped", "uniform"):
        assert np.abs(exact[name] - stored[name]).max() < 1e-4, name


@settings(max_examples=100)
@given(
    rows=st.integers(1, 4),
    k=st.integers(1, 30),
    seed=st.integers(0, 10_000),
    scale=st.sampled_from([1e-6, 0.1, 3.0, 60.0]),
    ordered=st.booleans(),
)
def test_what_comes_back(rows: int, k: int, seed: int, scale: float, ordered: bool) -> None:
    generator = np.random.default_rng(seed)
    logprobs = (-np.abs(generator.normal(size=(rows, k))) * scale).astype(np.float32)
    logprobs = np.sort(logprobs, axis=1)[:, ::-1] if ordered else logprobs
    ids = np.stack([generator.choice(2**24, k, replace=False) for _ in range(rows)]).astype(np.int32)
    given_scores = Scores(ids, logprobs, generator.normal(size=rows).astype(np.float32))
    found = unpack(pack(given_scores))
    for row in range(rows):
        expected = {int(i): max(float(v), LOWEST) for i, v in zip(ids[row], logprobs[row], strict=True)}
        back = dict(zip(found.top_ids[row].tolist(), found.top_logprobs[row].tolist(), strict=True))
        assert back.keys() == expected.keys()
        # Half a step, and the rounding of float32 at 250.
        assert max(abs(back[i] - expected[i]) for i in back) <= STEP / 2 + 1.6e-5
        assert found.top_logprobs[row, 0] == np.float32(max(expected.values()))
    assert (np.diff(found.top_logprobs, axis=1) <= 0).all()
    assert (found.chosen == given_scores.chosen).all()


def test_no_probability_and_no_number() -> None:
    ids = np.array([[3, 1, 2]], dtype=np.int32)
    one = Scores(ids, np.array([[-0.1, -3.4e38, -np.inf]], dtype=np.float32), np.array([-0.1], dtype=np.float32))
    assert unpack(pack(one)).top_logprobs.tolist() == [
        [pytest.approx(v, abs=1e-4) for v in (-0.1, LOWEST, LOWEST)]
    ]
    for bad in (np.nan, np.inf):
        broken = Scores(ids, np.array([[-0.1, bad, -9.0]], dtype=np.float32), one.chosen)
        with pytest.raises(InputError, match="logprob of the candidate at scored token 0 is not a number"):
            rounded(broken, "candidate")


def test_arrays_that_do_not_fit_are_refused() -> None:
    arrays = pack(lists(5, 300, 8, 4))
    for name in NAMES:
        cut = arrays[name][:, :-1] if arrays[name].ndim == 3 else arrays[name][:-1]
        with pytest.raises(ValueError, match="lists of"):
            unpack({**arrays, name: cut})


def test_a_baseline_is_read_without_torch() -> None:
    code = (
        "import sys, curator.measure.baseline; print([m for m in ('torch', 'transformers') if m in sys.modules])"
    )
    root = Path(__file__).resolve().parents[2]
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert found.stdout.strip() == "[]"
