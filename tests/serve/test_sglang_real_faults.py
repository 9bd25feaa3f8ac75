"""The client against a real SGLang: faults, a restart, other weights, long prompts; a tiny random model."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import requests
from client_of_stub import connect, same
from fault_runs import run_faults
from safetensors.torch import load_file, save_file

from curator._errors import DependencyError, InputError, RefusedError, ServerError
from curator._progress import Silent
from curator.serve.faults import API_KEY_VARIABLE
from curator.serve.in_process import InProcess
from curator.serve.interface import Sampling, Scores, Window
from curator.serve.launch.launched import LaunchedSGLang, launch
from curator.serve.launch.launcher import Launcher
from curator.serve.sglang import SGLang
from curator.tokens.tokenizer import Tokenizer

pytestmark = [
    pytest.mark.server,
    pytest.mark.full,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="scripts/sglang-cpu needs Linux"),
]
_POSITIONS, _POOL = 40_960, 45_000


class Real:
    """A server with a tiny model, that can be ended and started again at the same address."""

    def __init__(self, folder: Path, log: Path) -> None:
        self.folder, self._log = folder, log
        self.vocabulary = Tokenizer(folder).size
        self._port = ""
        self._server: LaunchedSGLang
        self.start()

    def start(self) -> None:
        arguments = (f"--device cpu --max-total-tokens {_POOL}{self._port}",)
        launcher = Launcher(arguments=arguments, log=self._log)
        self._server = launch(launcher, self.folder, None, self.vocabulary, "float32", Silent())
        self._port = f" --port {self._server.url.rsplit(':', 1)[1]}"
        self.url = self._server.url

    def stop(self) -> None:
        self._server.close()

    def connect(self, url: str = "", **settings: float) -> SGLang:
        return connect(url or self.url, vocabulary=self.vocabulary, **{"timeout": 600.0, **settings})

    def load(self, folder: Path) -> None:
        """Have the server take the weights of a folder while it runs."""
        answer = requests.post(
            f"{self.url}/update_weights_from_disk",
            json={"model_path": str(folder)},
            headers={"Authorization": "Bearer tests"},
            timeout=300,
        )
        assert answer.ok, answer.text


@pytest.fixture(scope="module")
def real(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    try:
        Launcher().find()
    except (InputError, DependencyError) as error:
        # scripts/test has set the server up: there a missing one is a failure.
        if "CURATE_REQUIRE_SGLANG" in os.environ:
            raise
        pytest.skip(str(error))
    home = tmp_path_factory.mktemp("real")
    shutil.copytree(tiny_model, home / "model")
    config = json.loads((home / "model" / "config.json").read_text())
    (home / "model" / "config.json").write_text(json.dumps({**config, "max_position_embeddings": _POSITIONS}))
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setenv(API_KEY_VARIABLE, "tests")
        server = Real(home / "model", home / "server.log")
        stack.callback(lambda: server.stop())
        yield server


def windows_of(real: Real, count: int) -> list[Window]:
    """Prompts with their greedy continuations."""
    draw = np.random.default_rng(3)
    prompts = [draw.integers(2, real.vocabulary, size=12).tolist() for _ in range(count)]
    with closing(real.connect()) as server:
        answers = list(server.decode(prompts, [6] * count, 4, 2, fields={}, params=[{}] * count))
    return [Window((*prompt, *answer.ids), 12) for prompt, answer in zip(prompts, answers, strict=True)]


def test_200_runs_of_faults_give_the_clean_results_or_a_refusal(real: Real) -> None:
    windows = windows_of(real, 4)
    clean = list(real.connect().score(windows, 64, 2))
    run = run_faults(real.url, lambda url: partial(real.connect(url, backoff=0.01).score, windows, 64, 2), clean)
    assert run.equal > 60
    assert run.refused > 40


def test_batches_prefixes_and_order_do_not_change_a_result(real: Real) -> None:
    shared = windows_of(real, 1)[0].ids * 3
    windows = [Window((*shared, *tail), 50) for tail in ((7, 8, 9), (7, 8, 10), (11, 8, 9))]
    server = real.connect()
    forward = list(server.score(windows, 64, 3))
    backward = list(server.score(windows[::-1], 64, 1))[::-1]
    for one, other in zip(forward, backward, strict=True):
        # float32: batches differ in the last bit.
        np.testing.assert_allclose(one.top_logprobs, other.top_logprobs, atol=1e-5)
        np.testing.assert_array_equal(one.top_ids, other.top_ids)
    # The server takes names for what keeps prefixes apart: nothing came from its cache.
    assert server.notes == []
    assert server.achieved == {}


@pytest.mark.parametrize("length", [8_000, 32_000])
def test_of_a_long_prompt_only_the_window_is_asked_for_and_it_is_right(real: Real, length: int) -> None:
    ids = tuple(np.random.default_rng(0).integers(0, real.vocabulary, size=length).tolist())
    window = Window(ids, length - 10)
    server = real.connect()
    before = server.traffic.received
    (served,) = server.score([window], 64, 1)
    assert server.traffic.received - before < 100_000
    (here,) = InProcess(real.folder).score([window], 64, 1)
    # Measured: 4.8e-7.
    np.testing.assert_allclose(served.top_logprobs, here.top_logprobs, atol=1e-4)
    np.testing.assert_allclose(served.chosen, here.chosen, atol=1e-4)
    assert server.batch_limit([length] * 8, 10) == _POOL // (length + 11)


def test_a_prompt_that_only_the_server_refuses_is_told_in_one_line(real: Real) -> None:
    server = real.connect()
    longest = server.longest()
    assert longest is not None
    with pytest.raises(ServerError, match=f"({longest + 1} tokens|longer than)") as error:
        list(server.generate([[5] * (longest + 1)], Sampling(2), 1))
    assert "\n" not in str(error.value)


def test_decoded_and_prefilled_lists_agree_in_float32(real: Real) -> None:
    server = real.connect()
    prompts = [list(window.ids[:12]) for window in windows_of(real, 2)]
    answers = list(server.generate(prompts, Sampling(8), 2, top_k=64, keep=5))
    windows = [
        Window((*prompt, *answer.ids), 12 + max(0, len(answer.ids) - 5))
        for prompt, answer in zip(prompts, answers, strict=True)
    ]
    for answer, scored in zip(answers, server.score(windows, 64, 2), strict=True):
        assert answer.scores is not None
        np.testing.assert_allclose(answer.scores.top_logprobs, scored.top_logprobs, atol=1e-4)
        np.testing.assert_array_equal(answer.scores.top_ids[:, 0], scored.top_ids[:, 0])


def test_other_weights_under_the_same_name_are_noticed(real: Real) -> None:
    windows = windows_of(real, 6)
    server = real.connect(look_every=0)
    file = real.folder / "model.safetensors"
    kept = file.read_bytes()
    tensors = load_file(file)
    save_file({name: tensor * 1.05 for name, tensor in tensors.items()}, file, {"format": "pt"})
    with pytest.raises(RefusedError, match=r"the model changed .* fixed prompt moved by"):
        for place, _ in enumerate(server.score(windows, 64, 1)):
            if place == 1:
                real.load(real.folder)
    assert server.trusted <= 4
    file.write_bytes(kept)
    real.load(real.folder)
    assert len(list(server.score(windows, 64, 1))) == 6


def test_a_server_that_comes_back_is_gone_on_with(real: Real) -> None:
    windows = windows_of(real, 6)
    clean = list(real.connect().score(windows, 64, 1))
    given: list[Scores] = []
    for scores in real.connect(restart_wait=900.0, wait=900.0, tries=4).score(windows, 64, 1):
        given.append(scores)
        if len(given) == 2:
            real.stop()
            real.start()
    assert same(given, clean)
