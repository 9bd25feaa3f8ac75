"""NVFP4 checkpoints on disk: reading either layout, checking, converting, and the dequantised twin."""

from curator.quantize.checkpoint.convert import CONVERTED_FOLDER, Converted, convert_checkpoint
from curator.quantize.checkpoint.linear import QuantisedLinear
from curator.quantize.checkpoint.opened import Checkpoint, open_checkpoint
from curator.quantize.checkpoint.tensors import Tensors, tensors_sha256
from curator.quantize.checkpoint.twin import TWIN_FOLDER, TwinDtype, write_twin
from curator.quantize.checkpoint.verify import (
    CheckpointReport,
    Verification,
    check_checkpoint,
    verify_checkpoint,
)

__all__ = [
    "CONVERTED_FOLDER",
    "TWIN_FOLDER",
    "Checkpoint",
    "CheckpointReport",
    "Converted",
    "QuantisedLinear",
    "Tensors",
    "TwinDtype",
    "Verification",
    "check_checkpoint",
    "convert_checkpoint",
    "open_checkpoint",
    "tensors_sha256",
    "verify_checkpoint",
    "write_twin",
]
