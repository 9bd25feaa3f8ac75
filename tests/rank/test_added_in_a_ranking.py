"""A ranking whose method and backend are those of installed packages, as typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import fake_runs
import pytest
from throwaway_package import curate, install

from tests.serve.test_added_backend import BACKEND

pytestmark = pytest.mark.full

# Steps that ship, one behind the other as nothing that ships has them.
METHOD = """
from curator.recipe.quantize_methods import Method
from curator.recipe.shipped_methods import AWQ, GPTQ, SMOOTHQUANT

METHOD = Method("SmoothQuant, then AWQ, then GPTQ", "weights", (SMOOTHQUANT, AWQ, GPTQ))
"""
# The method too: gptq, which recipes take by themselves, has no such option.
GRID = ("--set", "quantize.method=all-three", "--set", "quantize.grid=3")


def ranked(folder: Path, model: Path) -> dict[str, Any]:
    """The ranking of two recipes, in ``folder/run``."""
    command = ["rank", "one.yaml", "other.yaml", "--model", str(model), "--out", "run", "--method", "all-three"]
    command += [
        "--serve",
        "one-by-one",
        "--scheme",
        "W4A16",
        "--null",
        "none",
        "--heldout",
        "heldout-of-mine.jsonl",
    ]
    done = curate(folder, *command, "--tokens", "4", "--batch-size", "1", *GRID, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_ranking_by_a_method_and_a_backend_of_packages(tmp_path: Path, tiny_model: Path) -> None:
    fake_runs.heldout(tmp_path)
    for name, seed in (("one", 1), ("other", 2)):
        fake_runs.loaded(tmp_path, name, seed=seed)
    install(tmp_path, "backends", "one-by-one = backend_of_mine:BACKEND", BACKEND, name="backend_of_mine")
    install(tmp_path, "methods", "all-three = method_of_mine:METHOD", METHOD, name="method_of_mine")
    ranking = ranked(tmp_path, tiny_model)
    arms = [arm for arm in ranking["arms"] if arm["kind"] == "user"]
    assert [arm["method"] for arm in arms] == ["all-three", "all-three"]
    receipts = sorted((tmp_path / "run/pieces").glob("*/receipt.json"))
    first = {file.parent.name for file in receipts}
    settings = [json.loads(file.read_text())["settings"] for file in receipts]
    assert [one["package"] for one in settings] == ["method_of_mine 1.0"] * 2
    assert {one["grid"] for one in settings} == {3} and {one["smoothing"] for one in settings} == {0.5}
    server = json.loads((tmp_path / "run/baseline/baseline.json").read_text())["server"]
    assert (server["backend"], server["version"]) == ("one-by-one", "backend_of_mine 1.0, 5")

    install(tmp_path, "methods", "all-three = method_of_mine:METHOD", METHOD, name="method_of_mine", version="2.0")
    again = ranked(tmp_path, tiny_model)
    made = {file.parent.name for file in (tmp_path / "run/pieces").glob("*/receipt.json")}
    # The old version's checkpoints stand for nothing of the new one.
    assert len(made) == 4 and first < made
    assert [arm["kl_mean"] for arm in again["arms"]] == [arm["kl_mean"] for arm in ranking["arms"]]
