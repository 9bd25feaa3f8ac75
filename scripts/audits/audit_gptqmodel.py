"""GPTQModel: `model.quantize`, GPTQ to 4 bits on the CPU."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from witness import Row, Witness, main, run_printed

from curator.adapters import gptqmodel

# Version 7.7 asks its pool of workers for more than it has where there are two CPUs or fewer.
os.cpu_count = lambda: 4


def quantise(work: Path, arguments: Callable[[Any], dict[str, Any]]) -> list[Row]:
    """One real `quantize`; what its embedding saw."""
    from gptqmodel import GPTQModel, QuantizeConfig

    model = GPTQModel.load(str(work / "model"), QuantizeConfig(bits=4, group_size=32, device="cpu"))
    witness = Witness()
    model.quantize(**arguments(model))
    return witness.seen


def printed(work: Path, _rows: list[list[int]], _batch_size: int) -> list[Row]:
    """The lines that `curate export` prints."""
    witness = Witness()
    run_printed("gptqmodel", work)
    return witness.seen


def adapted(work: Path, rows: list[list[int]], batch_size: int) -> list[Row]:
    """By the adapter."""
    return quantise(work, lambda model: gptqmodel.quantize_arguments(rows, model, batch_size))


def plain(work: Path, rows: list[list[int]], batch_size: int) -> list[Row]:
    """The same ids and the library's own settings."""
    return quantise(work, lambda model: {"calibration": rows, "batch_size": batch_size})


def argument_only(work: Path, rows: list[list[int]], batch_size: int) -> list[Row]:
    """With every argument that `quantize` has for it, and nothing else."""
    settings = {"calibration_sort": None, "calibration_data_min_length": 0}
    return quantise(work, lambda model: {"calibration": rows, "batch_size": batch_size, **settings})


if __name__ == "__main__":
    main("gptqmodel", {"printed": printed, "adapted": adapted, "plain": plain, "argument_only": argument_only})
