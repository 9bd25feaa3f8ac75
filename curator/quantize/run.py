"""Quantise a model with a calibration set: one call, one checkpoint folder, nothing half-written."""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from curator._errors import InputError, RefusedError
from curator._files import atomic_folder, write_json
from curator._outputs import Ours
from curator.engine.child import run_module
from curator.quantize.checkpoint import check_checkpoint, tensors_sha256
from curator.quantize.methods import METHODS, MethodName
from curator.quantize.rows import row_digest

RECEIPT = "curate.json"
_WRITTEN = ("*.safetensors", "*.json", "*.jinja", "*.model", "*.txt", "recipe.yaml")
CHECKPOINT_FOLDER = Ours("a checkpoint of ours", RECEIPT, "tensors_sha256", _WRITTEN)
# What `rtn` feeds: llm-compressor wants one row to make its observers; the scales it finds are discarded.
_NO_DATA_ROW = [[1, 2, 3, 4, 5, 6, 7, 8]]


def quantize_model(
    model: Path, method: MethodName, rows: list[list[int]], set_hash: str, out: Path
) -> dict[str, Any]:
    """Make an NVFP4 checkpoint in ``out``.

    Args:
        model: folder of the BF16 model.
        method: see methods.py.
        rows: token ids of the set; empty for ``rtn``.
        set_hash: recorded in the receipt; empty for ``rtn``.
        out: checkpoint folder; takes its name only when whole and checked.

    Returns:
        The receipt, also written to ``out/curate.json``.

    Raises:
        InputError: the model folder is not whole.
        RefusedError: other tokens than the set's reached the model, or the checkpoint fails its checks.
        DependencyError: the quantiser failed.
    """
    started = time.monotonic()
    feed = rows if METHODS[method].needs_set else _NO_DATA_ROW
    with atomic_folder(out) as folder, tempfile.TemporaryDirectory() as scratch:
        job = Path(scratch) / "job.json"
        checkpoint = folder / "checkpoint"
        write_json(
            job,
            {
                "model": str(model),
                "method": method,
                "rows": feed,
                "out": str(checkpoint),
                "parent": os.getpid(),
            },
        )
        # The log outlives a failure, the checkpoint folder does not.
        log = out.parent / f"{out.name}.log"
        try:
            audit = json.loads(run_module("curator.quantize.worker", [str(job)], log, f"quantising with {method}"))
        except KeyboardInterrupt:
            log.unlink(missing_ok=True)
            raise
        if "input_error" in audit:
            log.unlink(missing_ok=True)
            raise InputError(audit["input_error"])
        _audit_tokens(audit, feed)
        for file in sorted(checkpoint.iterdir()):
            file.rename(folder / file.name)
        checkpoint.rmdir()
        report = check_checkpoint(folder, asked="W4A4")
        receipt = {
            "method": method,
            "set_hash": set_hash,
            "model": str(model),
            "reached_model": {"sequences": audit["sequences"], "tokens": audit["tokens"]} if rows else None,
            "linears": report.linears,
            "warnings": report.warnings,
            "tensors_sha256": tensors_sha256(folder),
            "seconds": round(time.monotonic() - started, 1),
        }
        write_json(folder / RECEIPT, receipt)
    log.unlink(missing_ok=True)
    return receipt


def _audit_tokens(audit: dict[str, Any], rows: list[list[int]]) -> None:
    """Refuse unless the rows that reached the embedding are exactly the set's rows (order is the tool's)."""
    expected = {row_digest(row) for row in rows}
    reached = set(audit["digests"])
    if reached != expected:
        raise RefusedError(
            f"the quantiser changed the calibration set: {len(expected - reached)} of {len(expected)} rows never "
            f"reached the model as they are, {len(reached - expected)} other rows did"
        )
