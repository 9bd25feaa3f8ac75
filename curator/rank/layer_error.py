"""How far each layer of a draw's checkpoint is from the BF16 model, kept before the checkpoint goes."""

from __future__ import annotations

import math
import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curator._errors import InputError
from curator._files import write_json
from curator._seal import sealed
from curator.rank.arms import Draw
from curator.rank.stored import read_result

if TYPE_CHECKING:
    from curator.quantize.checkpoint.linear import QuantisedLinear

LAYERS = "layers.json"
_NUMBER = re.compile(r"^\d+$")

Rows = list[dict[str, Any]]


def record_layers(model: Path, draw: Draw, receipt: Mapping[str, Any]) -> None:
    """Compare a draw's checkpoint with the model, layer by layer, unless that is done.

    Writes ``layers.json`` beside the checkpoint: one row for each block and kind of layer, experts together, with
    the relative error of the weight (Frobenius norm), that of rounding the model's own weight to the nearest
    value, and the largest input that its activation scale was made for. A model without safetensors leaves none.

    Args:
        model: folder of the BF16 model.
        draw: its ``checkpoint`` is there.
        receipt: of the quantisation.
    """
    from curator.quantize.checkpoint.findings import Findings
    from curator.quantize.checkpoint.opened import open_checkpoint
    from curator.quantize.checkpoint.reference import layer_errors

    if stored_layers(draw, receipt) is not None:
        return
    try:
        with open_checkpoint(draw.folder / "checkpoint") as checkpoint:
            errors = layer_errors(checkpoint, model, Findings())
            amax = {one.layer: input_amax(checkpoint.linears[one.layer]) for one in errors}
    except InputError:
        return
    grouped = defaultdict(list)
    for one in errors:
        grouped[_place(one.layer)].append(one)
    rows = [
        {
            "block": block,
            "kind": kind,
            "layers": len(own),
            "error": _mean(one.error for one in own),
            "rounding": _mean(one.rounding for one in own),
            "input_amax": max((value for one in own if (value := amax[one.layer])), default=None),
        }
        for (block, kind), own in grouped.items()
    ]
    rows.sort(key=lambda row: (row["kind"], -1 if row["block"] is None else row["block"]))
    write_json(draw.folder / LAYERS, sealed({"key": receipt["tensors_sha256"], "rows": rows}))


def _mean(errors: Iterable[float]) -> float:
    """To twelve digits: what is behind them hangs on how many threads summed up the norms."""
    return float(f"{statistics.fmean(errors):.12g}")


def input_amax(linear: QuantisedLinear) -> float | None:
    """The input's largest magnitude by an NVFP4 layer's activation scale; ``None`` where its input has none."""
    from curator.quantize.checkpoint.linear import FULL_RANGE

    scale = linear.input_scale() if linear.input_format == "nvfp4" else None
    value = 0.0 if scale is None else float(scale)
    return FULL_RANGE / value if value > 0 and math.isfinite(value) else None


def stored_layers(draw: Draw, receipt: Mapping[str, Any]) -> Rows | None:
    """The rows that were kept of a draw's checkpoint, or ``None``."""
    stored = read_result(draw.folder / LAYERS)
    if stored is None or stored.get("key") != receipt.get("tensors_sha256"):
        return None
    rows: Rows = stored.get("rows", [])
    return rows


def layers_of(arms: Mapping[str, Rows], best: str, worst: str) -> dict[str, Any]:
    """Errors of two arms side by side, by kind of layer.

    Args:
        arms: rows of `stored_layers` by arm.
        best: the arm with the lowest KL.
        worst: the one with the highest.

    Returns:
        ``best`` and ``worst`` (names), ``kinds``: for each kind of layer lists ``blocks``, ``layers``, ``best``,
        ``worst``, ``rounding``, ``best_input`` and ``worst_input``, one entry a block that both arms have.
    """
    if best not in arms or worst not in arms or best == worst:
        return {}
    theirs = {(row["kind"], row["block"]): row for row in arms[worst]}
    kinds: dict[str, dict[str, list[Any]]] = {}
    for row in arms[best]:
        other = theirs.get((row["kind"], row["block"]))
        if other is not None:
            _append(kinds.setdefault(row["kind"], defaultdict(list)), row, other)
    return {"best": best, "worst": worst, "kinds": {kind: dict(lists) for kind, lists in kinds.items()}}


def _append(lists: dict[str, list[Any]], best: Mapping[str, Any], worst: Mapping[str, Any]) -> None:
    values = {
        "blocks": best["block"],
        "layers": best["layers"],
        "best": best["error"],
        "worst": worst["error"],
        "rounding": best["rounding"],
        "best_input": best.get("input_amax"),
        "worst_input": worst.get("input_amax"),
    }
    for name, value in values.items():
        lists[name].append(value)


def _place(layer: str) -> tuple[int | None, str]:
    """Block and kind of a layer: ``model.layers.3.mlp.experts.7.w1`` is of block 3 and kind ``mlp.experts.w1``."""
    steps = layer.split(".")
    numbers = [index for index, step in enumerate(steps) if _NUMBER.match(step)]
    if not numbers:
        return None, layer
    first = numbers[0]
    kind = ".".join(step for step in steps[first + 1 :] if not _NUMBER.match(step))
    return int(steps[first]), kind or steps[first - 1]
