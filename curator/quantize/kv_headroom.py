"""Room above the largest key or value that was calibrated.

Servers cast keys and values to E4M3 by the stored scale, some without clamping, as torch 2.11 does: a value above
464 x scale becomes NaN, and one token of a later text that is larger than all of the set's ends the answer. SGLang
0.5.16 gave NaN with scales of amax / 448. E4M3 is a floating type: a wider scale costs no precision but that of
values below amax / 2^14, which come nearer to its subnormals.
"""

from __future__ import annotations

import torch
from torch import nn

KV_HEADROOM = 2.0


def widen_scales(model: nn.Module) -> None:
    """Widen the ``k_scale`` and ``v_scale`` (amax / 448) that llm-compressor has put into attention modules."""
    # Inside: ModelOpt's environment, which reads the constant, has no compressed-tensors.
    from compressed_tensors.offload import update_offload_parameter

    for module in model.modules():
        for leaf in ("k_scale", "v_scale"):
            scale = getattr(module, leaf, None)
            if isinstance(scale, torch.Tensor):
                # Not in place: on a GPU the modules are offloaded, and what they hand out is a copy.
                update_offload_parameter(module, leaf, scale.detach() * KV_HEADROOM)
