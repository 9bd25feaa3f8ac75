from __future__ import annotations

import math

import numpy as np
import pytest

from curator.serve.interface import Scores
from curator.serve.probe import distance, fingerprint, probe_window, same_weights


@pytest.mark.parametrize("vocabulary", [2, 40, 200, 49_152, 128_256, 262_144])
def test_the_prompt_is_inside_the_vocabulary_and_spread_over_it(vocabulary: int) -> None:
    window = probe_window(vocabulary)
    assert window.start == 1
    assert all(0 <= token < vocabulary for token in window.ids)
    if vocabulary > 17:
        assert len(set(window.ids)) == 17
        # Three quarters of the vocabulary at least lie between the least and the greatest.
        assert max(window.ids) - min(window.ids) > vocabulary * 3 / 4


def scores(shift: float) -> Scores:
    logprobs = np.array([[-0.5, -2.0], [-0.25, -3.0]], dtype=np.float32) + shift
    return Scores(np.array([[1, 2], [3, 4]], dtype=np.int32), logprobs, np.array([-7.0, -9.0], dtype=np.float32))


def test_the_same_weights_may_jitter_and_others_are_told_apart() -> None:
    one = fingerprint(scores(0.0))
    assert one == "-0.5000 -7.0000 -0.2500 -9.0000"
    # Two of the four values move: the mean is half the shift.
    assert distance(one, fingerprint(scores(0.06))) == pytest.approx(0.03, abs=1e-4)
    assert same_weights(one, fingerprint(scores(0.06)))
    assert not same_weights(one, fingerprint(scores(0.2)))
    assert distance(one, "0b1c") == distance(one, "-0.5") == math.inf
    # A backend may name its weights in another way.
    assert same_weights("sha256:0b1c", "sha256:0b1c")
    assert not same_weights("sha256:0b1c", "sha256:0b1d")
