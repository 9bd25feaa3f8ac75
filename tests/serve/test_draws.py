from __future__ import annotations

import numpy as np
import pytest
import torch

from curator.serve.draws import seeded_draws
from curator.serve.in_process import InProcess
from curator.serve.interface import Sampling

LOGITS = [2.0, 1.0, 0.0, -1.0]


@pytest.fixture(scope="module")
def server(tiny_model: object) -> InProcess:
    return InProcess(tiny_model)  # type: ignore[arg-type]


@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_draws_follow_the_softmax_at_the_temperature(temperature: float) -> None:
    rows = 4000
    prompts = [[number] for number in range(rows)]
    noisy = seeded_draws(Sampling(1, temperature), prompts)(torch.zeros(rows, 1), torch.tensor([LOGITS] * rows))
    counts = np.bincount(noisy.argmax(-1).numpy(), minlength=len(LOGITS))
    weights = np.exp(np.array(LOGITS) / temperature)
    expected = rows * weights / weights.sum()
    # Chi-squared with three degrees of freedom: above 16.3 once in a thousand.
    assert ((counts - expected) ** 2 / expected).sum() < 16.3


def test_temperature_nought_changes_nothing() -> None:
    assert len(seeded_draws(Sampling(1), [[1], [2]])) == 0


def test_an_answer_does_not_depend_on_its_neighbours_in_the_batch(server: InProcess) -> None:
    prompts = [[9, 20, 33], [41, 7, 8, 9, 100, 101, 30], [250]]
    sampling = Sampling(12, 0.8, seed=3)
    together = list(server.generate(prompts, sampling, 3))
    alone = [next(iter(server.generate([prompt], sampling, 1))) for prompt in prompts]
    assert together == alone
    assert list(server.generate(prompts[::-1], sampling, 2)) == alone[::-1]
    assert list(server.generate(prompts, Sampling(12, 0.8, seed=4), 3)) != together
