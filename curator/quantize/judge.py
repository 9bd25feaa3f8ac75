"""What is checked of a finished checkpoint, whichever library has made it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from curator.quantize.audit.reached import check_reached
from curator.quantize.checkpoint import check_checkpoint, tensors_sha256
from curator.recipe.quantize_settings import QuantizeSettings


def judged(
    checkpoint: Path, settings: QuantizeSettings, rows: Sequence[Sequence[int]], answer: Mapping[str, Any]
) -> dict[str, Any]:
    """Check a checkpoint, and what the model was fed for it.

    Args:
        checkpoint: its folder.
        settings: how it was asked for.
        rows: what the model was to be fed.
        answer: what the quantiser's process tells: `Audit.counts`, and ``notes``.

    Returns:
        The receipt's ``linears``, ``checkpoint`` (see `CheckpointReport.facts`), ``warnings``, ``tensors_sha256``
        and ``reached_model``.

    Raises:
        RefusedError: other tokens than the set's reached the model, an expert saw none, or the checkpoint would
            serve garbage.
    """
    can_show_all = settings.about.library == "llm-compressor"
    needs = settings.needs_set
    reached = check_reached(answer, rows, settings.experts, can_show_all=can_show_all) if needs else []
    report = check_checkpoint(checkpoint, asked=settings.scheme)
    told = {key: answer[key] for key in ("sequences", "tokens", "lengths", "batches")}
    return {
        "reached_model": {**told, "experts": answer["layers"]} if settings.needs_set else None,
        "linears": report.linears,
        "checkpoint": report.facts,
        "warnings": [*answer["notes"], *reached, *report.warnings],
        "tensors_sha256": tensors_sha256(checkpoint),
    }
