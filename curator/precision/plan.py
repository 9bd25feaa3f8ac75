"""What a sensitivity measurement is going to do, written down before it starts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator._errors import RefusedError
from curator._files import file_sha256, json_sha256, write_json
from curator._outputs import Ours
from curator.precision.formats import By, QuantisedFormat
from curator.rank.stored import read_result
from curator.recipe.quantize_methods import Scheme
from curator.serve.interface import Dtype

_PLAN = "plan.json"
SENSITIVITY_FOLDER = Ours(
    "a sensitivity measurement",
    _PLAN,
    "sensitivity_of",
    (
        _PLAN,
        ".lock",
        "baseline",
        "baseline-key.json",
        "activations.json",
        "measured.json",
        "sensitivity.json",
        "report.html",
    ),
)


@dataclass(frozen=True, slots=True)
class SensitivityPlan:
    """One measurement.

    Attributes:
        model: folder of the BF16 model.
        model_name: what the user called it.
        model_hash: its fingerprint.
        out: folder of the results.
        rows: token ids of the calibration set that activation scales are from.
        set_hash: the set's.
        checkpoint: NVFP4 weights and scales to use instead of rounding to nearest, or ``None``.
        checkpoint_hash: of its tensors; empty without one.
        by: what a part is.
        formats: that each part is measured in.
        scheme: whether activations are quantised too.
        prompts: to measure on; as many others are kept to confirm a mix on.
        tokens: scored tokens a prompt.
        batch_size: prompts run together.
        heldout: file of prompts, or ``None`` for those that come with the install.
        baseline: a baseline to take the windows of, or ``None`` to decode them here.
        ignore: names or patterns of linear layers that stay in BF16.
        dtype: compute type.
        trust_remote_code: run the Python files of the model's folder.
    """

    model: Path
    model_name: str
    model_hash: str
    out: Path
    rows: tuple[tuple[int, ...], ...]
    set_hash: str
    checkpoint: Path | None = None
    checkpoint_hash: str = ""
    by: By = "group"
    formats: tuple[QuantisedFormat, ...] = ("nvfp4", "fp8")
    scheme: Scheme = "W4A4"
    prompts: int = 12
    tokens: int = 64
    batch_size: int = 8
    heldout: Path | None = None
    baseline: Path | None = None
    ignore: tuple[str, ...] = ()
    dtype: Dtype = "float32"
    trust_remote_code: bool = False

    def fixed(self) -> dict[str, Any]:
        """What may not change when a measurement is continued. Formats may be added."""
        return {
            "sensitivity_of": self.model_name,
            "model_hash": self.model_hash,
            "set_hash": self.set_hash,
            "rows": len(self.rows),
            "checkpoint_hash": self.checkpoint_hash,
            "by": self.by,
            "scheme": self.scheme,
            "prompts": self.prompts,
            "tokens": self.tokens,
            "batch_size": self.batch_size,
            "heldout": None if self.heldout is None else file_sha256(self.heldout),
            "baseline": None if self.baseline is None else file_sha256(self.baseline / "windows.npz"),
            "ignore": list(self.ignore),
            "dtype": self.dtype,
            "trust_remote_code": self.trust_remote_code,
        }

    def key(self) -> str:
        """Hash of all that a part's KL depends on."""
        return json_sha256(self.fixed())


def fix_plan(plan: SensitivityPlan) -> None:
    """Write the plan into its folder, once all that can be refused has been looked at."""
    write_json(plan.out / _PLAN, plan.fixed())


def check_plan(plan: SensitivityPlan) -> None:
    """Check that a plan continues the one in its folder, if there is any.

    Raises:
        RefusedError: the folder holds a measurement with other settings; names them.
    """
    fixed, before = plan.fixed(), read_result(plan.out / _PLAN)
    if before is None:
        return
    changed = [
        f"{name} was {before.get(name)!r}, is {value!r}"
        for name, value in fixed.items()
        if before.get(name) != value
    ]
    if changed:
        raise RefusedError(
            f"{plan.out}: this measurement was started with other settings ({'; '.join(changed)}); "
            "use another --out"
        )
