"""What becomes of an expert that no token reached: rounded to nearest, with the scales of its neighbours.

Left alone, llm-compressor writes its activation scale from uninitialised memory, and GPTQ takes every weight of it
for one that no input touches, and sets it to zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn

from curator.quantize.audit.experts import listed_experts


def round_to_nearest(linears: Sequence[nn.Linear]) -> None:
    """Have a running GPTQ round these layers to nearest: that is what it does when its Hessian is the identity.

    For `watch(on_unseen=...)`, inside llm-compressor's ``oneshot``.
    """
    from llmcompressor.core import active_session

    for modifier in active_session().lifecycle.recipe.modifiers:
        hessians = getattr(modifier, "_hessians", {})
        for linear in linears:
            if linear in hessians:
                hessians[linear].zero_().fill_diagonal_(1.0)


def fill_unseen(model: nn.Module, counts: Mapping[str, Any]) -> None:
    """Give experts without a token the widest activation scale among the other experts of their layer.

    Args:
        model: after calibration, before it is saved. An ``input_global_scale`` is a divisor: the least is widest.
        counts: what `Audit.counts` gives.
    """
    from compressed_tensors.offload import update_offload_parameter

    for layer in counts["layers"]:
        unseen = [index for index, tokens in enumerate(layer["tokens"]) if not tokens]
        if layer["fused"] or not unseen:
            continue
        experts = list(listed_experts(model.get_submodule(layer["name"])))
        for leaf, part in experts[0].named_modules():
            if not isinstance(getattr(part, "input_global_scale", None), torch.Tensor):
                continue
            parts: list[Any] = [expert.get_submodule(leaf) for expert in experts]
            seen = [one.input_global_scale.detach() for index, one in enumerate(parts) if index not in unseen]
            least = torch.stack(seen).amin(dim=0)
            for index in unseen:
                # Not in place: of an offloaded module what is handed out is a copy.
                update_offload_parameter(parts[index], "input_global_scale", least)
