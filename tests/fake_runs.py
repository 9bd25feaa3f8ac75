"""Whole runs in seconds: a quantiser that makes nothing, and checkpoints that differ in the head's scale."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch

from curator._files import json_sha256, write_json
from curator.quantize.run import RECEIPT, Job
from curator.rank.plan import Plan
from curator.recipe.load import LoadedRecipe, load_recipe
from curator.serve.in_process import InProcess

RECIPE = """\
name: {name}
size: {{samples: 2, tokens: 32}}
target: {{tasks: {{{task}: 1}}}}
sources: [{{generate: {task}}}]
continuity: {{min: false}}
seed: {seed}
"""
WORDS = ("The boat", "Paris is", "She counted", "def area(", "noon", "the tide", "What", "one", "width", "again")


def loaded(folder: Path, name: str, task: str = "uuid", seed: int = 0) -> LoadedRecipe:
    """A recipe of one generator, which needs no corpus."""
    file = folder / f"{name}.yaml"
    file.write_text(RECIPE.format(name=name, task=task, seed=seed))
    return load_recipe(file)


def heldout(folder: Path) -> Path:
    """Five prompts of each of two kinds."""
    file = folder / "heldout-of-mine.jsonl"
    keys = {"corpus": "c", "unit": "u", "language": "en", "licence": "MIT"}
    rows = [{"id": f"p{n}", "task": f"t{n % 2}", **keys, "text": text} for n, text in enumerate(WORDS)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def plan(folder: Path, model: Path, recipes: tuple[LoadedRecipe, ...], **settings: Any) -> Plan:
    """A run of these recipes in ``folder/out``, ten prompts of four tokens."""
    values: dict[str, Any] = {
        "tokens": 4,
        "heldout": heldout(folder),
        "nulls": (),
        "batch_size": 1,
        "measurable": ("W4A4",),
    }
    return Plan(recipes, model, "tiny", "0", folder / "out", **values | settings)


class Server(InProcess):
    """Without the collection of garbage, which takes longer than all else here."""

    def close(self) -> None:
        """Nothing to close."""


class Fakes:
    """Stands in for quantising and for opening a checkpoint. The sets of a recipe called "bad" are worse.

    Attributes:
        made: method and set of every checkpoint made, in order.
    """

    def __init__(self, model: Path) -> None:
        self.made: list[tuple[str, str]] = []
        self._model = model

    def quantize(self, _model: Path, job: Job, **_: Any) -> dict[str, Any]:
        """A checkpoint folder with nothing in it but its receipt."""
        self.made.append((job.settings.method, job.set_hash))
        facts = {"settings": job.settings.used(), "set_hash": job.set_hash}
        run = next(folder for folder in job.out.parents if (folder / "arms").is_dir())
        manifests = (json.loads(file.read_text()) for file in run.glob("arms/bad/*/set/manifest.json"))
        bad = job.set_hash in {manifest["set_hash"] for manifest in manifests}
        receipt = {**facts, "bad": bad, "seconds": 1.0, "linears": 14, "tensors_sha256": json_sha256(facts)}
        write_json(job.out / RECEIPT, receipt)
        return receipt

    def open(self, _serving: Any, folder: Path, scheme: Any, *_: Any, **__: Any) -> Server:
        """The model, with its head scaled by what the checkpoint was made of."""
        receipt = json.loads((folder / RECEIPT).read_text())
        chance = int(receipt["tensors_sha256"][:4], 16) / 0xFFFF
        better = receipt["settings"]["method"] == "awq"
        server = Server(self._model)
        with torch.no_grad():
            server.model.lm_head.weight.mul_(1.1 + 0.004 * chance + 0.3 * receipt["bad"] - 0.05 * better)
        return server

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Put them in the place of the real ones."""
        monkeypatch.setattr("curator.rank.measure_arm.quantize_model", self.quantize)
        # No process that imports for jobs that never come.
        monkeypatch.setattr("curator.rank.experiment.kept_quantiser", lambda _: nullcontext(lambda: None))
        monkeypatch.setattr("curator.rank.measure_arm.open_server", self.open)
        monkeypatch.setattr("curator.rank.prepare.open_server", lambda *_, **__: Server(self._model))
