"""NVFP4 by llm-compressor. Runs in a process of its own (see worker.py): it patches and leaks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from curator.adapters.llm_compressor import oneshot_arguments
from curator.models.load import load_model
from curator.quantize.cpu_kernels import register_cpu_kernels
from curator.quantize.methods import MethodName
from curator.quantize.rows import row_digest


def quantize(model_path: Path, method: MethodName, rows: list[list[int]], out: Path) -> dict[str, Any]:
    """Quantise every linear layer but the head, and save a ``nvfp4-pack-quantized`` checkpoint.

    Args:
        model_path: folder of a BF16 model that transformers can load.
        method: see methods.py.
        rows: token ids of the calibration set, one list a sequence; one short row for ``rtn``.
        out: folder to write.

    Returns:
        What reached the model, seen by a hook on the embedding: ``{"sequences", "tokens", "digests"}``.
    """
    from llmcompressor import oneshot
    from transformers import AutoTokenizer

    register_cpu_kernels()
    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(model_path)
    model = load_model(model_path, "bfloat16")
    seen: dict[str, int] = {}
    hook = model.get_input_embeddings().register_forward_pre_hook(
        lambda _module, arguments: seen.update((row_digest(row), len(row)) for row in arguments[0].tolist())
    )
    oneshot(model=model, tokenizer=tokenizer, recipe=[_modifier(method)], **oneshot_arguments(rows, model))
    hook.remove()
    if method == "rtn":
        _constant_activation_scales(model)
    model.save_pretrained(out, save_compressed=True)
    tokenizer.save_pretrained(out)
    # The pipeline passes each row more than once (tracing, calibrating, propagating): rows are told
    # apart by their ids, in the order in which they first came.
    return {"sequences": len(seen), "tokens": sum(seen.values()), "digests": list(seen)}


def _modifier(method: MethodName) -> Any:
    from llmcompressor.modifiers.gptq import GPTQModifier
    from llmcompressor.modifiers.quantization import QuantizationModifier

    # Tied or not, the head stays in BF16: servers expect it, and its error is in every logit.
    settings = {"targets": "Linear", "scheme": "NVFP4", "ignore": ["lm_head"]}
    return GPTQModifier(**settings) if method == "gptq" else QuantizationModifier(**settings)


def _constant_activation_scales(model: torch.nn.Module) -> None:
    """Set every activation scale to 1 (amax 2688), so that no data is in the checkpoint."""
    for module in model.modules():
        scale = getattr(module, "input_global_scale", None)
        if scale is not None:
            scale.data.fill_(1.0)
