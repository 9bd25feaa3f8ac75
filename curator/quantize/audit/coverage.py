"""Which experts a calibration set reaches, found out before anything is quantised."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from curator._errors import DependencyError
from curator._progress import Advance, unseen
from curator.adapters.batches import check_fits
from curator.engine.memory import available_memory
from curator.models.load import load_model, refuse_own_code
from curator.quantize.audit.watch import watch
from curator.quantize.preflight.skeleton import Skeleton, check_rows, skeleton


def expert_coverage(
    folder: Path,
    rows: Sequence[Sequence[int]],
    *,
    trust_remote_code: bool = False,
    advance: Advance = unseen,
) -> dict[str, Any]:
    """Run a set through a model, without its head and without a quantiser, and count the tokens of every expert.

    Args:
        folder: a transformers model folder.
        rows: token ids.
        trust_remote_code: run the folder's own code.
        advance: told the tokens of each row that went through.

    Returns:
        ``sequences``, ``tokens``, ``few``, ``layers`` and ``uncounted`` (of `Audit.counts`). ``few`` is the width
        of the model: an expert with fewer tokens has a Hessian that is not of full rank. Each layer has ``name``,
        ``experts``, ``min``, ``median``, ``max``, ``unseen`` (numbers of experts without a token), ``share_few``
        and ``tokens`` (of each expert). A dense model has no layers, and is not run: every layer sees all tokens.

    Raises:
        InputError: the model cannot be loaded or does not take the rows.
        DependencyError: too little memory.
    """
    import torch

    refuse_own_code(folder, trust_remote_code)
    layout = skeleton(folder, trust_remote_code)
    if isinstance(layout, Skeleton) and not layout.experts and all(one.copies == 1 for one in layout.linears):
        check_rows(layout, rows)
        counted = {"sequences": len(rows), "tokens": sum(map(len, rows)), "few": layout.hidden}
        return {**counted, "layers": [], "uncounted": []}
    _check_room(folder)
    model = load_model(folder, "bfloat16", trust_remote_code).eval()
    check_fits(rows, model)
    few = _width(model)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    with watch(model, rows) as audit, torch.inference_mode():
        try:
            body = model.base_model.to(device)
            for row in rows:
                body(input_ids=torch.tensor([list(row)], device=device), use_cache=False)
                advance(len(row))
        except torch.OutOfMemoryError as error:
            raise DependencyError(
                f"model {folder}: does not fit into the GPU's memory with rows of up to {max(map(len, rows))} "
                "tokens; hide the GPU (CUDA_VISIBLE_DEVICES=) to run it on the CPU"
            ) from error
    counts = audit.counts()
    return {
        "sequences": counts["sequences"],
        "tokens": counts["tokens"],
        "few": few,
        "layers": [_layer(layer["name"], layer["tokens"], few) for layer in counts["layers"]],
        "uncounted": counts["uncounted"],
    }


def _check_room(folder: Path) -> None:
    """Refuse a model that main memory does not take: the kernel would end the process without a word."""
    size, free = sum(file.stat().st_size for file in folder.glob("*.safetensors")), available_memory()
    if size > free:
        raise DependencyError(
            f"model {folder}: its weights take {size / 1e9:.1f} GB of memory, {free / 1e9:.1f} GB are free; "
            "run it on a machine with more"
        )


def _width(model: Any) -> int:
    config = getattr(model.config, "text_config", None) or model.config
    return int(config.hidden_size)


def _layer(name: str, tokens: list[int], few: int) -> dict[str, Any]:
    return {
        "name": name,
        "experts": len(tokens),
        "min": min(tokens),
        "median": statistics.median(tokens),
        "max": max(tokens),
        "unseen": [index for index, seen in enumerate(tokens) if not seen],
        "share_few": sum(seen < few for seen in tokens) / len(tokens),
        "tokens": tokens,
    }
