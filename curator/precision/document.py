"""What a sensitivity measurement found, as one JSON document, and what is read of it again."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, Field, ValidationError, model_validator

import curator
from curator._errors import InputError
from curator._files import read_json
from curator.measure.baseline import Baseline
from curator.precision.bench import Sample
from curator.precision.estimates import design_of, estimate_of
from curator.precision.formats import BITS, By, QuantisedFormat
from curator.precision.measured import Measured
from curator.precision.parts import Layout, Part
from curator.precision.plan import SensitivityPlan
from curator.recipe.quantize_methods import Scheme
from curator.serve.interface import Dtype

FORMAT_VERSION = 1
TOGETHER = "all parts"


class _Kl(BaseModel):
    mean: float = Field(ge=0, allow_inf_nan=False)


class StoredPart(BaseModel):
    """A part, and the mean KL of each format that it was measured in."""

    name: str
    modules: list[str]
    weights: int = Field(ge=1)
    kl: dict[QuantisedFormat, _Kl]


class Sensitivity(BaseModel):
    """What a mix reads of the document."""

    format: Literal[1]
    model: str
    model_path: str
    model_hash: str
    root: str
    by: By
    scheme: Scheme
    dtype: Dtype
    trust_remote_code: bool
    batch_size: int = Field(ge=1)
    tokens_per_prompt: int
    ignore: list[str]
    other_weights: int
    checkpoint: str | None
    checkpoint_hash: str
    baseline: str
    kept_prompts: list[str] = Field(min_length=1)
    activations: dict[str, float]
    parts: list[StoredPart] = Field(min_length=1)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        """What an edited file may lack."""
        modules = [name for part in self.parts for name in part.modules]
        layer = re.compile(re.escape(self.root) + r"\.\d+\.")
        if len({part.name for part in self.parts}) < len(self.parts) or len(set(modules)) < len(modules):
            raise ValueError("a part or a module occurs twice")
        if not all(part.kl.keys() == self.parts[0].kl.keys() and "nvfp4" in part.kl for part in self.parts):
            raise ValueError("every part needs the same formats, NVFP4 among them")
        if not all(layer.match(name) for name in modules):
            raise ValueError("a module is in no decoder layer")
        if self.scheme == "W4A4" and self.checkpoint is None and not self.activations.keys() >= set(modules):
            raise ValueError("a module has no activation amax")
        return self


def read_sensitivity(file: Path) -> Sensitivity:
    """Read a document back.

    Raises:
        InputError: not a document of this version.
    """
    value = read_json(file)
    try:
        return Sensitivity.model_validate(value)
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(str(step) for step in fault["loc"])
        what = f"{place} is missing or of another kind" if place else fault["msg"].removeprefix("Value error, ")
        raise InputError(
            f"{file}: no sensitivity measurement of this version ({what}); make one with `curate sensitivity`"
        ) from error


def document_of(
    plan: SensitivityPlan,
    layout: Layout,
    parts: Sequence[Part],
    samples: tuple[Sample, Sample],
    baseline: Baseline,
    amax: Mapping[str, float],
    measured: Measured,
    exact: bool,
) -> dict[str, Any]:
    """The document: settings, parts with the highest KL first, and all parts together."""
    sample, kept = samples
    rows, together = _measured_parts(plan, parts, sample, measured)
    return {
        **_settings(plan, layout),
        "tokens_per_prompt": max(window.scored for window in sample.windows),
        "scored_tokens": sample.scored,
        # Of this folder by its name alone, so that the folder can be moved.
        "baseline": "baseline" if plan.baseline is None else os.path.abspath(baseline.folder),
        "prompts": list(sample.ids),
        "tasks": list(sample.tasks),
        "kept_prompts": list(kept.ids),
        "parts": rows,
        "together": together,
        "activations": dict(amax),
        "warnings": _warnings(plan, layout, amax, exact),
    }


def _settings(plan: SensitivityPlan, layout: Layout) -> dict[str, Any]:
    """What was measured, and how."""
    return {
        "format": FORMAT_VERSION,
        "tool": {"name": "curate", "version": curator.__version__},
        "model": plan.model_name,
        "model_path": str(plan.model),
        "model_hash": plan.model_hash,
        "set_hash": plan.set_hash,
        "set_rows": len(plan.rows),
        "checkpoint": None if plan.checkpoint is None else os.path.abspath(plan.checkpoint),
        "checkpoint_hash": plan.checkpoint_hash,
        "by": plan.by,
        "scheme": plan.scheme,
        "dtype": plan.dtype,
        "trust_remote_code": plan.trust_remote_code,
        "estimator": "full vocabulary",
        "batch_size": plan.batch_size,
        "root": layout.root,
        "layers": len(layout.layers),
        "weights": layout.weights,
        "other_weights": layout.others,
        "ignore": list(plan.ignore),
        "bits": {chosen: BITS[chosen] for chosen in plan.formats},
    }


def _measured_parts(
    plan: SensitivityPlan, parts: Sequence[Part], sample: Sample, measured: Measured
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Every part's estimates, the highest KL first; and those of all at once beside the sum of the parts'."""
    design = design_of(sample.tasks)
    first: QuantisedFormat = plan.formats[0]

    def estimates(name: str) -> dict[str, Any]:
        return {chosen: estimate_of(measured[f"{name} {chosen}"], design) for chosen in plan.formats}

    rows: list[dict[str, Any]] = [
        {
            "name": part.name,
            "modules": list(part.modules),
            "weights": part.weights,
            "first_layer": part.first,
            "kl": estimates(part.name),
        }
        for part in parts
    ]
    rows.sort(key=lambda row: (-row["kl"][first]["mean"], row["name"]))
    together = {
        chosen: {**found, "sum_of_parts": sum(row["kl"][chosen]["mean"] for row in rows)}
        for chosen, found in estimates(TOGETHER).items()
    }
    return rows, together


def _warnings(plan: SensitivityPlan, layout: Layout, amax: Mapping[str, float], exact: bool) -> list[str]:
    warnings = [f"{name} stays in BF16: {reason}" for name, reason in layout.spared.items() if reason != "ignored"]
    unseen = [name for name, value in amax.items() if value == 0]
    if unseen and plan.checkpoint is None:
        warnings.append(
            f"{len(unseen)} linear layers were reached by no row of the set, such as {unseen[0]}: "
            "their activation scale is a constant"
        )
    if not exact:
        warnings.append(
            "the model cannot be started at a layer (its layers share more than a hidden state): "
            "every measurement ran it whole"
        )
    if plan.scheme == "W4A16":
        warnings.append("W4A16: activations are not quantised, in FP8 layers neither")
    return warnings
