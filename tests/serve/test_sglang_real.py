"""A real SGLang server on this machine, with the reference and with the dequantised twin of a candidate.

The same estimator on the same windows must give the same KL whether the two models are served by SGLang or run
in this process: everything between (requests, positions, answers, batches) is then right.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from curator.measure.baseline import Baseline
from curator.measure.heldout import Prompt, save_prompts
from curator.measure.score import score_candidate
from curator.measure.sparse import sparse_divergences
from curator.models.embedded import SMOLLM2
from curator.models.locate import locate_model
from curator.quantize.run import Job, quantize_model
from curator.recipe.quantize_settings import QuantizeSettings
from curator.serve.in_process import InProcess
from curator.serve.interface import Sampling
from curator.serve.launch.launched import LaunchedSGLang
from curator.tokens.tokenizer import Tokenizer
from tests.serve.real_server import REAL

pytestmark = REAL

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


def no_progress(_count: int) -> None:
    pass


def curate(*arguments: str | Path) -> tuple[dict[str, Any], str]:
    """The command as a user types it: its JSON, and what it told meanwhile."""
    command = [str(Path(sys.executable).with_name("curate")), *map(str, arguments), "--json"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=1500, check=False)
    assert result.returncode == 0, result.stderr
    value: dict[str, Any] = json.loads(result.stdout)
    return value, result.stderr


def test_kl_by_servers_equals_kl_in_process(real_server: LaunchedSGLang, tmp_path: Path) -> None:
    model = locate_model(SMOLLM2.name)
    tokenizer = Tokenizer(model)
    prompts = [Prompt(f"p{i}", "t", "c", "u", "en", "MIT", text) for i, text in enumerate(TEXTS)]
    save_prompts(tmp_path / "prompts.jsonl", prompts)
    size = ["--batch-size", "2", "--tokens", "8", "--max-new", "8", "--phase", "prefill"]
    # Attached to one that runs.
    url, heldout = ["--url", real_server.url], ["--heldout", tmp_path / "prompts.jsonl"]
    curate("baseline", *url, *size, *heldout, "--out", tmp_path / "base")
    base = Baseline(tmp_path / "base")
    again = score_candidate(base, real_server, 2, no_progress)
    assert (again["kl"] == 0).all()

    # Started, waited for, scored and ended, by one command.
    quantize_model(model, Job(QuantizeSettings(method="rtn"), [], "", tmp_path / "checkpoint"))
    serve = ["--serve", "sglang", "--server-log", tmp_path / "server.log"]
    summary, told = curate(
        "score", "--baseline", tmp_path / "base", "--checkpoint", tmp_path / "checkpoint", *serve
    )
    assert "waiting for the server: it warms up" in told
    assert str(tmp_path / "checkpoint") not in " ".join(" ".join(process.cmdline()) for process in mine())
    assert [file.name for file in tmp_path.glob(".curate.*")] == []

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
    for mine_, other, stored in scored:
        found = sparse_divergences(
            mine_.top_ids, mine_.top_logprobs, other.top_ids, other.top_logprobs, tokenizer.size
        )
        in_process.append(float(found["union"].mean()))
        differences.append(np.abs(mine_.top_logprobs - stored.top_logprobs).max())
    print(f"logprobs {max(differences):.1e}, mean KL {np.mean(in_process):.4f}, served {summary['kl_mean']:.4f}")  # noqa: T201
    assert max(differences) < LOGPROB_BOUND
    # One task: the mean over prompts of the means over their tokens.
    assert summary["kl_mean"] == pytest.approx(np.mean(in_process), abs=KL_BOUND)
    assert summary["kl_mean"] > 0.02
    assert summary["kl_lower_bound"] <= summary["kl_mean"]
    assert summary["scheme"] == "W4A16"


def mine() -> list[psutil.Process]:
    """Processes of this user that can still be looked at."""
    return [one for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"] and one.is_running()]


def continuations(base: Baseline, prompts: list[Prompt]) -> list[list[int]]:
    """The baseline's continuations in the order of ``prompts``; all of them fit into their windows."""
    by_id = dict(zip([row["id"] for row in base.prompts], base.windows, strict=True))
    return [list(by_id[prompt.id].ids[by_id[prompt.id].start :]) for prompt in prompts]
