"""The main job on the real small model, with small sets: a run killed half-way, gone on with, and read."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.model

CURATE = str(Path(sys.executable).with_name("curate"))
RECIPE = """\
name: {name}
size: {{samples: 4, tokens: 128}}
target: {{tasks: {{{task}: 1}}}}
sources: [{source}]
continuity: {{min: false}}
"""
ARGUMENTS = ["--tokens", "8", "--per-task", "2", "--null", "no-data,second-draw"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    prose = RECIPE.format(name="prose", task="prose", source="{corpus: python-topics}")
    (folder / "prose.yaml").write_text(prose)
    words = RECIPE.format(name="words", task="random-words", source="{generate: random-words}")
    (folder / "words.yaml").write_text(words)
    return folder


def rank(folder: Path, out: str, *more: str) -> subprocess.CompletedProcess[str]:
    command = [CURATE, "rank", "prose.yaml", "words.yaml", "--out", out, "--json", *ARGUMENTS, *more]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=1500, check=False)


@pytest.fixture(scope="module")
def ranking(folder: Path) -> dict[str, Any]:
    """A finished run that was killed with SIGKILL while it quantised."""
    log = folder / "first.log"
    command = [CURATE, "rank", "prose.yaml", "words.yaml", "--out", "run", *ARGUMENTS]
    with log.open("w") as stream:
        first = subprocess.Popen(command, cwd=folder, stdout=stream, stderr=stream)
    deadline = time.monotonic() + 600
    while "quantise prose" not in log.read_text() and time.monotonic() < deadline:
        assert first.poll() is None, log.read_text()
        time.sleep(0.2)
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    time.sleep(1)
    assert not _workers(folder), "the quantising child outlived its parent"
    result = rank(folder, "run")
    assert result.returncode == 0, result.stderr
    # What the killed run had finished is not done again.
    assert "baseline" not in result.stderr
    assert "build prose" not in result.stderr
    value: dict[str, Any] = json.loads(result.stdout)
    return value


def _workers(folder: Path) -> list[str]:
    listing = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listing.splitlines() if "curator.quantize.worker" in line and str(folder) in line]


def test_ranking_json_has_the_promised_names(ranking: dict[str, Any]) -> None:
    top = {"primary", "arms", "pairs", "floors", "smallest_detectable", "warnings", "domains", "by_position"}
    top |= {"by_length", "layers", "worst_prompts", "composition", "cost", "reproduce"}
    assert top <= set(ranking)
    for arm in ranking["arms"]:
        assert {"name", "method", "draws", "kl_mean", "kl_ci", "top1", "cosine", "by_task"} <= set(arm)
        assert set(arm["by_task"]) == {"prose", "code", "qa"}
    for pair in ranking["pairs"]:
        assert {"a", "b", "diff", "ci", "p_holm", "verdict", "equivalent", "scope"} <= set(pair)
    assert {arm["name"] for arm in ranking["arms"]} == {"prose", "words", "no-data", "second-draw"}


def test_means_are_those_of_the_prompts(ranking: dict[str, Any]) -> None:
    tasks = ranking["per_prompt"]["tasks"]
    for arm in ranking["arms"]:
        values = ranking["per_prompt"]["arms"][arm["name"]]
        means = []
        for task in ("prose", "code", "qa"):
            own = [value for value, name in zip(values, tasks, strict=True) if name == task]
            means.append(sum(own) / len(own))
        assert arm["kl_mean"] == pytest.approx(sum(means) / 3, rel=1e-9)
        assert arm["kl_ci"][0] <= arm["kl_mean"] <= arm["kl_ci"][1]
        # Rounding weights to four bits moves every distribution; activations in four bits move it further.
        assert 0.01 < arm["other_scheme"]["kl_mean"] < arm["kl_mean"]
        # The bound from lists lies below the full value, the estimate near it.
        assert arm["sparse"]["lumped"] <= arm["kl_mean"]
        assert arm["sparse"]["union"] == pytest.approx(arm["kl_mean"], rel=0.05)


def test_one_draw_speaks_of_sets_only(ranking: dict[str, Any]) -> None:
    assert {pair["scope"] for pair in ranking["pairs"]} == {"sets"}
    assert any("not about recipes" in warning for warning in ranking["warnings"])
    assert any("dequantised from a 4-bit file" in warning for warning in ranking["warnings"])


def test_floors_are_measured(ranking: dict[str, Any]) -> None:
    assert ranking["floors"]["requantise"]["sd"] == 0.0
    # Another order of summing in float32 tips single FP4 roundings of activations; over 48 tokens each
    # still weighs little beside what NVFP4 does itself.
    worst = max(arm["kl_mean"] for arm in ranking["arms"])
    assert 0 < ranking["floors"]["batch"]["sd"] < 0.05 * worst
    assert ranking["floors"]["used_sd"] == pytest.approx(ranking["floors"]["batch"]["sd"])


def test_a_finished_run_ends_at_once_with_the_same_answer(folder: Path, ranking: dict[str, Any]) -> None:
    started = time.monotonic()
    again = rank(folder, "run")
    assert json.loads(again.stdout) == ranking
    assert time.monotonic() - started < 30
    assert "quantise" not in again.stderr
    assert (folder / "run" / "report.html").read_text().startswith("<!doctype html>")


def test_other_settings_in_the_same_folder_are_refused(folder: Path, ranking: dict[str, Any]) -> None:
    result = rank(folder, "run", "--batch-size", "4")
    assert result.returncode == 3
    assert "batch_size was 8, is 4" in result.stderr


def test_max_calibration_says_that_it_cannot_separate(folder: Path) -> None:
    result = rank(folder, "max", "--method", "max", "--null", "none")
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    user = [pair for pair in found["pairs"] if pair["family"] == "user"]
    assert [pair["verdict"] for pair in user] == ["tied"]
    assert any("one activation scale" in warning for warning in found["warnings"])
    # The weights are the same whatever the set: only the activation scales differ.
    weight_only = {arm["name"]: arm["other_scheme"]["kl_mean"] for arm in found["arms"]}
    assert len({round(value, 12) for value in weight_only.values()}) == 1


def test_comparing_two_runs_of_other_methods_says_so(folder: Path, ranking: dict[str, Any]) -> None:
    command = [CURATE, "compare", "run", "max", "--json"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert [change["words"] for change in found["differences"]["plan"]] == ["method: gptq -> max"]
    # The methods differ, the sets do not; the second run has no null arms.
    arms = {"prose", "words"}
    assert {change["words"] for change in found["differences"]["arms"]} == {
        *(f"{arm}: method gptq -> max" for arm in arms),
        *(f"{null}: only in the first run" for null in ("no-data", "second-draw")),
    }
    assert {pair["name"] for pair in found["pairs"]} == arms
