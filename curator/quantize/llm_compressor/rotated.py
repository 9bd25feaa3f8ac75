"""Whether a rotated model still is the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from compressed_tensors.offload import get_execution_device
from llmcompressor.utils.helpers import DisableQuantization
from torch import Tensor

from curator._errors import RefusedError

# Rotating in BF16 costs little (0.9996 was seen); a part that was left out makes the rest noise.
_ALIKE = 0.98


def logits(model: Any, batch: Mapping[str, Tensor]) -> Tensor:
    """The model's logits for the first row of a batch, float32 [tokens, vocabulary], without quantisation."""
    device = get_execution_device(model)
    with torch.no_grad(), DisableQuantization(model):
        found = model(**{name: tensor[:1].to(device) for name, tensor in batch.items()}, use_cache=False).logits[0]
    return torch.as_tensor(found).float().cpu()


def check_rotated(model: Any, before: Tensor, after: Tensor) -> None:
    """Refuse a rotation that changed what the model says.

    llm-compressor knows by name which layers are to be turned; one that it does not know, such as the router of a
    mixture of experts, then reads turned numbers as if they were plain ones.

    Raises:
        RefusedError: the logits are others.
    """
    alike = float(torch.nn.functional.cosine_similarity(before, after, dim=-1).mean())
    if not alike > _ALIKE:
        raise RefusedError(
            f"SpinQuant's rotations do not fit {type(model).__name__}: rotated, it gives other logits (cosine "
            f"{alike:.2f}), as llm-compressor does not know all of its layers; use another method"
        )
