"""Tiny random mixture-of-experts models in which one expert never sees a token, by their router weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from toy_tokenizers import save_tokenizer

# Two pairs of opposite router rows: exactly two of them have a positive logit, whatever the token is, so with two
# experts a token the row of zeros is never among them.
EXPERTS, PER_TOKEN, UNSEEN = 5, 2, 3
VOCABULARY = 258
# The config of each model type beyond what all share.
KINDS: dict[str, dict[str, Any]] = {
    "mixtral": {"num_local_experts": EXPERTS},
    "qwen3_moe": {"num_experts": EXPERTS, "moe_intermediate_size": 32, "head_dim": 16},
    "olmoe": {"num_experts": EXPERTS},
    "granitemoe": {"num_local_experts": EXPERTS},
    "gpt_oss": {"num_local_experts": EXPERTS, "head_dim": 16, "sliding_window": 64},
    "jetmoe": {"num_local_experts": EXPERTS, "kv_channels": 16},
    "llama4_text": {
        "num_local_experts": EXPERTS,
        "intermediate_size_mlp": 64,
        "head_dim": 16,
        "interleave_moe_layer_step": 1,
    },
    "deepseek_v3": {
        "n_routed_experts": EXPERTS,
        "n_shared_experts": 1,
        "n_group": 1,
        "topk_group": 1,
        "moe_intermediate_size": 32,
        "first_k_dense_replace": 1,
        "q_lora_rank": 32,
        "kv_lora_rank": 32,
        "qk_rope_head_dim": 16,
        "qk_nope_head_dim": 16,
        "v_head_dim": 16,
    },
}


def tiny_moe(kind: str = "mixtral", *, unseen: bool = True) -> Any:
    """A random BF16 model of 2 layers, hidden 64, 5 experts of which 2 take a token.

    Args:
        kind: a model type of transformers, see ``KINDS``.
        unseen: whether expert ``UNSEEN`` of every MoE layer is never chosen.
    """
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    shared: dict[str, Any] = {
        "vocab_size": VOCABULARY,
        "hidden_size": 64,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 4 if kind == "deepseek_v3" else 2,
        "num_experts_per_tok": PER_TOKEN,
        "max_position_embeddings": 256,
        "pad_token_id": None,
        "tie_word_embeddings": False,
        "dtype": "bfloat16",
        "initializer_range": 0.1,
    }
    torch.manual_seed(3)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **{**shared, **KINDS[kind]}))
    model = model.to(torch.bfloat16).eval()
    for module in model.modules():
        for name, value in [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]:
            if value.shape == (EXPERTS, 64):
                torch.nn.init.normal_(value)
                if unseen:
                    _never(value)
            elif value.shape == (EXPERTS,):
                # The bias of a router: of gpt-oss', and the correction of deepseek's, whose scores are sigmoids.
                torch.nn.init.zeros_(value)
                if unseen and "bias" in name:
                    value.data[UNSEEN] = -100.0
    return model


def _never(router: Any) -> None:
    """Make row ``UNSEEN`` zero and the others two pairs of opposites."""
    a, b, c, d = (row for row in range(EXPERTS) if row != UNSEEN)
    router.data[b], router.data[d] = -router.data[a], -router.data[c]
    router.data[UNSEEN] = 0


def save_moe(folder: Path, kind: str = "mixtral", *, unseen: bool = True) -> Path:
    """The model of ``tiny_moe`` as a folder with a tokenizer of bytes."""
    tiny_moe(kind, unseen=unseen).save_pretrained(folder)
    return save_tokenizer(folder)
