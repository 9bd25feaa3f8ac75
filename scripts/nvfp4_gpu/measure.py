"""One checkpoint after another: made, timed, scored against one baseline."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator.adapters.stored_set import StoredSet
from curator.measure.baseline_settings import Settings
from curator.measure.collect import collect
from curator.measure.comparable import check_comparable
from curator.measure.heldout import Prompt
from curator.measure.score import score_candidate
from curator.measure.summary import prompt_means, weighted
from curator.quantize.machine import find_devices, machine_facts
from curator.quantize.run import Job, quantize_model
from curator.rank.statistics import ArmKL, Design, arm_interval, arm_mean, difference
from curator.recipe.quantize_methods import Scheme
from curator.recipe.quantize_settings import QuantizeSettings
from curator.serve.in_process import InProcess
from curator.tokens.tokenizer import Tokenizer
from nvfp4_gpu.compare import equal_shares


@dataclass(frozen=True, slots=True)
class Run:
    """One checkpoint to make.

    Attributes:
        settings: method and scheme.
        set_name: name of the set's folder.
        stored: the set.
        device: as `find_devices` takes it.
        again: whether the same is made a second time.
    """

    settings: QuantizeSettings
    set_name: str
    stored: StoredSet
    device: str
    again: bool = False

    @property
    def name(self) -> str:
        """A name for people and for a folder."""
        return f"{self.settings.method}-{self.set_name}" + (f"-again-{self.device}" if self.again else "")


class Measurement:
    """A model, its baseline, and what was measured against it.

    Args:
        model: folder of the BF16 model.
        work: folder for the baseline and the checkpoints.
    """

    def __init__(self, model: Path, work: Path) -> None:
        self._model = model
        self._work = work
        self._values: dict[str, NDArray[np.float64]] = {}

    def take_baseline(self, prompts: Sequence[Prompt], tokens: int, batch_size: int) -> dict[str, Any]:
        """Decode and score the held-out prompts with the BF16 model; returns the conditions."""
        settings = Settings(tokens=tokens, max_new=tokens, batch_sizes=(batch_size,))
        server = InProcess(self._model)
        started = time.monotonic()
        self._baseline = collect(
            server, Tokenizer(self._model), prompts, settings, self._work / "baseline", _quiet
        )
        server.close()
        tasks = tuple(prompt["task"] for prompt in self._baseline.prompts)
        self._tasks, self._weights = tasks, {task: 1 / len(set(tasks)) for task in tasks}
        return {
            "machine": machine_facts(),
            "model": self._model.name,
            "baseline": {
                "prompts": len(tasks),
                "scored_tokens": self._baseline.manifest["scored_tokens"],
                "batch_size": batch_size,
                "server": self._baseline.manifest["server"],
                "seconds": round(time.monotonic() - started, 1),
            },
        }

    def folder(self, run: Run) -> Path:
        """Where a run's checkpoint is."""
        return self._work / run.name

    def take(self, run: Run) -> dict[str, Any]:
        """Make a checkpoint and score it; under W4A4 also weight-only, as servers without FP4 run it."""
        out, rows = self.folder(run), run.stored.rows
        job = Job(run.settings, rows, str(run.stored.manifest["set_hash"]), out)
        started = time.monotonic()
        receipt = quantize_model(self._model, job, devices=find_devices(run.device))
        seconds = round(time.monotonic() - started, 1)
        schemes: tuple[Scheme, ...] = ("W4A4", "W4A16") if run.settings.scheme == "W4A4" else ("W4A16",)
        kept = ("method", "settings", "pipeline", "repeatable", "linears", "warnings", "tensors_sha256", "machine")
        return {
            "set": run.set_name,
            "rows": len(rows),
            "tokens": sum(map(len, rows)),
            "again": run.again,
            "seconds": seconds,
            "kl": {scheme: self._score(run, scheme) for scheme in schemes},
            **{name: receipt[name] for name in kept},
        }

    def difference(self, a: Run, b: Run) -> dict[str, Any]:
        """KL of ``a`` minus KL of ``b`` under their scheme, paired by prompt: of these sets, not their recipes."""
        first, second = (ArmKL(run.name, self._values[run.name][None], False, False) for run in (a, b))
        design = Design(self._tasks, self._weights, data_acts=a.settings.data_acts)
        estimate = difference(first, second, design)[0]
        return {
            "a": a.name,
            "b": b.name,
            "value": estimate.value,
            "interval_95": estimate.interval(0.05),
            "p": estimate.p,
        }

    def repeated(self, run: Run, again: Run) -> dict[str, Any]:
        """How much of a checkpoint is the same when it is made again, and what its KL is then."""
        shares = equal_shares(self.folder(run), self.folder(again))
        return {"method": run.settings.method, "device": again.device, "equal_bytes": shares} | self.difference(
            again, run
        )

    def _score(self, run: Run, scheme: Scheme) -> dict[str, Any]:
        server = InProcess(self.folder(run), scheme)
        started = time.monotonic()
        try:
            check_comparable(self._baseline, server)
            table = score_candidate(self._baseline, server, self._baseline.batch_size, _quiet)
        finally:
            server.close()
        values = prompt_means(table, "kl", [prompt["id"] for prompt in self._baseline.prompts])
        if scheme == run.settings.scheme:
            self._values[run.name] = values
        arm = ArmKL(run.name, values[None], False, False)
        design = Design(self._tasks, self._weights, data_acts="weights")
        return {
            "mean": arm_mean(arm, design),
            "interval_95": arm_interval(arm, design),
            "top1": weighted(table, "top1"),
            "estimator": table.attrs["estimator"],
            "seconds": round(time.monotonic() - started, 1),
        }


def _quiet(_done: int) -> None:
    """Progress is not shown."""
