"""Models that leave dense attention for a sparse one beyond some length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# MiniCPM4's and MiniCPM-SALA's name; -1 there means that attention is always sparse.
_SECTION, _KEY = "sparse_config", "dense_len"


def dense_length(config: Mapping[str, Any]) -> int | None:
    """Tokens from which on a model's attention is sparse; ``None`` where none is said."""
    section = config.get(_SECTION)
    length = section.get(_KEY) if isinstance(section, Mapping) else None
    return length if type(length) is int and length > 0 else None


def short_rows_note(config: Mapping[str, Any], longest: int) -> list[str]:
    """A warning when every sample is so short that the sparse attention of the model never runs.

    Args:
        config: the model's ``config.json``.
        longest: tokens of the longest sample.
    """
    length = dense_length(config)
    if length is None or longest >= length:
        return []
    return [
        f"the longest sample has {longest} tokens, and this model's attention is dense below {length} "
        f"({_SECTION}.{_KEY}): its sparse attention is calibrated by no sample; build with longer sequences"
    ]
