"""One checkpoint by NVIDIA ModelOpt, from a loaded model. Runs in ModelOpt's environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from curator.adapters.modelopt import forward_loop
from curator.quantize.audit.watch import watch
from curator.quantize.layer_formats import refuse_unmatched
from curator.quantize.modelopt.configs import configuration
from curator.quantize.preflight.skeleton import lay_out
from curator.quantize.preflight.widths import formats
from curator.quantize.rows import batch_sizes
from curator.recipe.quantize_settings import QuantizeSettings

SEED = 0


def quantize(
    model: Any, tokenizer: Any, settings: QuantizeSettings, rows: list[list[int]], out: Path
) -> dict[str, Any]:
    """Quantise a model in place and export it in ModelOpt's layout.

    Args:
        model: a BF16 model on the CPU; of no use afterwards.
        tokenizer: saved beside it, which ModelOpt's export does not do.
        settings: method and options.
        rows: token ids of the calibration set, one list a sequence.
        out: folder to write.

    Returns:
        What reached the model (see `Audit.counts`), with ``batches`` (batches by their number of rows),
        ``pipeline``, ``notes`` and ``seed``.

    Raises:
        InputError: a pattern of the settings matches no layer.
        RefusedError: an expert saw no token; the library may wrap it, see `refusal_in`.
    """
    import modelopt.torch.quantization as mtq
    from modelopt.torch.export import export_hf_checkpoint

    torch.manual_seed(SEED)
    keep = _kept(model, settings)
    model = model.to("cuda" if torch.cuda.is_available() else "cpu").eval()
    with watch(model, rows, stop_on_unseen=settings.experts == "refuse", can_show_all=False) as audit:
        mtq.quantize(model, configuration(settings, keep), forward_loop=forward_loop(rows, settings.batch_size))
    apart = {name.partition("_weight_quantizer")[0].rpartition(".")[0] for name, _ in model.named_modules()}
    # Exporting runs ids of its own through the model, to find layers that share an input: the hooks are off.
    export_hf_checkpoint(model, export_dir=out)
    tokenizer.save_pretrained(out)
    counts = audit.counts()
    for layer in counts["layers"]:
        # Fused experts too are quantised one by one, where ModelOpt knows their class.
        layer["fused"] = layer["fused"] and layer["name"] not in apart
    return {
        **counts,
        "batches": batch_sizes(rows, settings.batch_size),
        "pipeline": "basic",
        "notes": [],
        "seed": SEED,
    }


def _kept(model: Any, settings: QuantizeSettings) -> list[str]:
    """Names of the linear layers that stay in BF16; ModelOpt itself leaves the head and routers."""
    layout = lay_out(model)
    refuse_unmatched([(linear.name, linear.classes) for linear in layout.linears], settings)
    kept = [linear.name for linear, name in formats(layout, settings).items() if name == "bf16"]
    return [*kept, layout.head] if layout.head else kept
