"""The formats that a part of a model can have, and what a part can be."""

from __future__ import annotations

from typing import Literal

from curator.recipe.quantize_settings import Format

__all__ = ["BITS", "By", "Format", "QuantisedFormat"]

QuantisedFormat = Literal["nvfp4", "fp8"]
# What a part is: see parts.py.
By = Literal["group", "layer", "pattern"]

# Bits a weight: of NVFP4 four and its part of a block's E4M3 scale. Scales of a tensor or a row are left out:
# they are 0.03 bits a weight at most from 1024 columns on.
BITS: dict[Format, float] = {"nvfp4": 4.5, "fp8": 8.0, "bf16": 16.0}
