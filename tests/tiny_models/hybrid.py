"""A tiny model whose folder brings its own code: a hybrid with the module kinds of MiniCPM-SALA."""

from __future__ import annotations

import importlib
import shutil
import sys
from pathlib import Path
from typing import Any

from toy_tokenizers import save_tokenizer

CODE = Path(__file__).parent / "hybrid_code"
DENSE_LENGTH = 48
# What of a hybrid stays in BF16 when only projections and MLPs go to NVFP4: the gates of both kinds of attention.
GATES = r"re:.*self_attn\.(o_gate|z_proj)$"
# The linear layers by kind, as patterns for ``ignore`` and ``precision``.
SPARSE_ATTENTION = r"re:model\.layers\.0\.self_attn\.(q_proj|k_proj|v_proj|o_proj|o_gate)$"
LINEAR_ATTENTION = r"re:model\.layers\.[1-3]\.self_attn\.(q_proj|k_proj|v_proj|o_proj|z_proj)$"


def save_hybrid(folder: Path, **settings: Any) -> Path:
    """Save a random BF16 model of 4 layers, hidden 64, its code and a tokenizer of bytes.

    Args:
        folder: where; loading it needs ``trust_remote_code``.
        settings: keys of the config that are other than the defaults.
    """
    import torch

    torch.manual_seed(5)
    modeling = _code()
    config = modeling.TinyHybridConfig(**settings)
    modeling.TinyHybridConfig.register_for_auto_class()
    modeling.TinyHybridForCausalLM.register_for_auto_class("AutoModelForCausalLM")
    modeling.TinyHybridForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)
    for file in CODE.glob("*.py"):
        shutil.copy(file, folder / file.name)
    return save_tokenizer(folder)


def _code() -> Any:
    if str(CODE.parent.parent) not in sys.path:
        sys.path.insert(0, str(CODE.parent.parent))
    return importlib.import_module("tiny_models.hybrid_code.modeling_tiny_hybrid")
