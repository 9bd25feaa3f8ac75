"""One model, its baseline, and what was measured of its checkpoints."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator.measure.baseline_settings import Settings
from curator.measure.collect import collect
from curator.measure.heldout import Prompt
from curator.quantize.machine import machine_facts
from curator.rank.statistics import ArmKL, Design, difference
from curator.recipe.quantize_methods import Scheme
from curator.serve.in_process import InProcess
from curator.tokens.tokenizer import Tokenizer
from nvfp4_gpu.compare import equal_shares, weight_difference
from nvfp4_gpu.make import Run, make
from nvfp4_gpu.score import Asked, design_of, score


class Measurement:
    """A model, its baseline, and the KL of each prompt under each checkpoint.

    Args:
        model: folder of the BF16 model.
        work: folder for the baseline and the checkpoints.
        pool: processes that score.
        workers: how many.
    """

    def __init__(self, model: Path, work: Path, pool: Executor, workers: int) -> None:
        self._model = model
        self._work = work
        self._pool = pool
        self._workers = workers
        self._values: dict[tuple[str, Scheme], NDArray[np.float64]] = {}

    def take_baseline(self, prompts: Sequence[Prompt], tokens: int, batch_size: int) -> dict[str, Any]:
        """Decode and score the held-out prompts with the BF16 model; returns the conditions."""
        settings = Settings(tokens=tokens, max_new=tokens, batch_sizes=(batch_size,))
        server = InProcess(self._model)
        started = time.monotonic()
        baseline = collect(
            server, Tokenizer(self._model), prompts, settings, self._work / "baseline", lambda _: None
        )
        server.close()
        self._design: Design = design_of(baseline.prompts)
        return {
            "machine": machine_facts(),
            "model": self._model.name,
            "baseline": {
                "prompts": len(baseline.prompts),
                "scored_tokens": baseline.manifest["scored_tokens"],
                "batch_size": batch_size,
                "server": baseline.manifest["server"],
                "seconds": round(time.monotonic() - started, 1),
            },
        }

    def make(self, run: Run) -> dict[str, Any]:
        """Make a checkpoint while nothing else is measured: its time is the machine's alone."""
        return make(self._model, run, self._folder(run))

    def score(self, runs: Sequence[Run]) -> list[dict[str, Any]]:
        """Score checkpoints beside each other; under W4A4 also weight-only, as servers without FP4 run them.

        Returns:
            For each run its ``kl`` by scheme.
        """
        pairs = [(run, scheme) for run in runs for scheme in _schemes(run)]
        asked = [Asked(self._work / "baseline", self._folder(run), scheme, self._workers) for run, scheme in pairs]
        rows: dict[str, dict[str, Any]] = {run.name: {} for run in runs}
        for (run, scheme), scored in zip(pairs, self._pool.map(score, asked), strict=True):
            self._values[run.name, scheme] = scored.values
            rows[run.name][scheme] = scored.row
        return [rows[run.name] for run in runs]

    def difference(self, a: Run, b: Run, scheme: Scheme) -> dict[str, Any]:
        """KL of ``a`` minus KL of ``b``, paired by prompt: of these checkpoints, not of their recipes."""
        first, second = (ArmKL(run.name, self._values[run.name, scheme][None], False, False) for run in (a, b))
        estimate = difference(first, second, self._design)[0]
        return {
            "a": a.name,
            "b": b.name,
            "scheme": scheme,
            "value": estimate.value,
            "interval_95": estimate.interval(0.05),
            "p": estimate.p,
        }

    def differences(self, a: Run, b: Run) -> list[dict[str, Any]]:
        """`difference` under each scheme that both were scored with."""
        return [self.difference(a, b, scheme) for scheme in _schemes(a)]

    def repeated(self, run: Run, again: Run) -> dict[str, Any]:
        """How much of a checkpoint is the same when it is made again, and how far its weights and KL are."""
        first, second = self._folder(run), self._folder(again)
        return {
            "method": run.settings.method,
            "set": run.set_name,
            "device": again.device,
            "equal_bytes": equal_shares(first, second),
            "weights": weight_difference(first, second, self._model),
            "kl": self.differences(again, run),
        }

    def _folder(self, run: Run) -> Path:
        return self._work / run.name


def _schemes(run: Run) -> tuple[Scheme, ...]:
    return ("W4A4", "W4A16") if run.settings.scheme == "W4A4" else ("W4A16",)
