"""A model that brings its own code, from baseline to score, only when it is trusted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
import typer
from tiny_models.hybrid import GATES, save_hybrid
from typer.testing import CliRunner

from curator._errors import InputError
from curator.cli import baseline, score
from curator.measure.baseline import Baseline
from curator.models.load import load_model
from curator.quantize.checkpoint import write_twin
from tests.quantize.llm_compressor.runs import run

pytestmark = pytest.mark.filterwarnings("ignore")


def typed(*arguments: str | Path) -> str:
    app = typer.Typer()
    baseline.register(app)
    score.register(app)
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_its_code_is_run_by_baseline_and_score_only_when_told(tmp_path: Path) -> None:
    model, prompts, checkpoint = save_hybrid(tmp_path / "hybrid"), tmp_path / "prompts.jsonl", tmp_path / "rtn"
    run(model, checkpoint, [[2, 3, 4]], remote_code=True, method="rtn", ignore=["lm_head", GATES])
    texts = ("The boat waits for the tide.", "Is the lighthouse lit?", "A bell rings on the bridge.")
    prompts.write_text("".join(f"{json.dumps({'text': text})}\n" for text in texts))
    take = ("baseline", "--model", model, "--heldout", prompts, "--tokens", "6", "--out", tmp_path / "base")
    with pytest.raises(InputError, match=r"its own code \(modeling_tiny_hybrid\.py\).*--trust-remote-code"):
        typed(*take)
    typed(*take, "--trust-remote-code")
    measure = ("score", "--baseline", tmp_path / "base", "--checkpoint", checkpoint, "--scheme", "W4A16", "--json")
    with pytest.raises(InputError, match=r"its own code \(modeling_tiny_hybrid\.py\).*--trust-remote-code"):
        typed(*measure)
    found = json.loads(typed(*measure, "--trust-remote-code"))
    assert found["kl_mean"] == pytest.approx(_divergence(model, checkpoint, tmp_path), rel=1e-3)


def _divergence(model: Path, checkpoint: Path, folder: Path) -> float:
    """Mean KL over prompts, by plain transformers: the model against the checkpoint's twin."""
    write_twin(checkpoint, folder / "twin", "float32")
    values = []
    with torch.inference_mode():
        one, other = (load_model(path, "float32", trust_remote_code=True) for path in (model, folder / "twin"))
        for window in Baseline(folder / "base").windows:
            ids = torch.tensor([window.ids])
            logits = [net.eval()(ids).logits[0, window.start - 1 : -1] for net in (one, other)]
            first, second = (each.log_softmax(-1) for each in logits)
            values.append((first.exp() * (first - second)).sum(-1).mean())
    return float(torch.stack(values).mean())
