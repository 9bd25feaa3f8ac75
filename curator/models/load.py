"""Loading a model whole: transformers fills what a folder lacks with random numbers and goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from curator._errors import InputError


def load_model(folder: Path, dtype: Literal["float32", "bfloat16"]) -> Any:
    """A causal language model in evaluation dtype, every weight of it from the folder.

    Raises:
        InputError: a file is damaged, or weights are missing, left over or of another shape than config.json says.
    """
    import torch
    from huggingface_hub.errors import StrictDataclassError
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM

    faults = (OSError, ValueError, RuntimeError, TypeError, AttributeError, KeyError)
    try:
        model, info = AutoModelForCausalLM.from_pretrained(
            folder, dtype=getattr(torch, dtype), output_loading_info=True
        )
    except (*faults, SafetensorError, StrictDataclassError) as error:
        first = (str(error).strip() or type(error).__name__).split("\n", 1)[0][:200]
        raise InputError(f"model {folder}: cannot be loaded ({first}); is every file whole?") from error
    tied = bool(getattr(model.config, "tie_word_embeddings", False))
    missing = [name for name in sorted(info["missing_keys"]) if not (tied and name.startswith("lm_head"))]
    for words, names in (
        ("has no weight", missing),
        ("has a weight that config.json does not know,", sorted(info["unexpected_keys"])),
        ("has a weight of another shape,", sorted(str(entry) for entry in info["mismatched_keys"])),
    ):
        if names:
            raise InputError(
                f"model {folder}: {words} {names[0]} ({len(names)} such); give the whole folder of one model"
            )
    return model
