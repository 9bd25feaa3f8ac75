"""What tells one model's architecture and tokenizer from another's, for both backends alike."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

# Words, code, digits, other scripts and spaces: what tokenizers cut differently.
PROBE_TEXT = "The ferry's 1,024 lamps\n    for i in range(10):\treturn  x != y  # été, 渡船在中午离开港口。"


def ids_digest(ids: Sequence[int]) -> str:
    """A short name of token ids: equal for ``PROBE_TEXT`` under the same tokenizer."""
    return hashlib.sha256(",".join(map(str, ids)).encode()).hexdigest()[:16]


def architecture_of(config: Mapping[str, Any]) -> str:
    """A model's class and shape in words, from what its ``config.json`` says.

    Returns:
        Such as ``LlamaForCausalLM, 30 layers of 576, vocabulary 49152``; what the config lacks is left out.
    """
    inner = config.get("text_config")
    text = inner if isinstance(inner, Mapping) else config
    names = config.get("architectures")
    parts = [str(names[0])] if isinstance(names, Sequence) and not isinstance(names, str) and names else []
    layers, width = text.get("num_hidden_layers"), text.get("hidden_size")
    if layers is not None and width is not None:
        parts.append(f"{layers} layers of {width}")
    if text.get("vocab_size") is not None:
        parts.append(f"vocabulary {text['vocab_size']}")
    return ", ".join(parts)
