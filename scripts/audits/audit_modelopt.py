"""NVIDIA ModelOpt: `mtq.quantize` to NVFP4, and by AWQ, which runs its calibration twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from witness import Row, Witness, main, run_printed

from curator.adapters import modelopt, read_set


def quantise(
    work: Path, loop: Callable[[Any], Callable[[Any], None]], scheme: str = "NVFP4_DEFAULT_CFG"
) -> list[Row]:
    """One real `mtq.quantize`; what its embedding saw."""
    import modelopt.torch.quantization as mtq
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(work / "model", dtype="bfloat16")
    witness = Witness()
    mtq.quantize(model, getattr(mtq, scheme), forward_loop=loop(model))
    return witness.seen


def printed(work: Path, _rows: list[list[int]], _batch_size: int) -> list[Row]:
    """The lines that `curate export` prints."""
    from modelopt.torch import export

    witness, whole = Witness(), export.export_hf_checkpoint

    def after_calibration(*arguments: Any, **options: Any) -> None:
        # Exporting runs two ids of its own through the finished model, to find the layers that share an input.
        witness.stop()
        whole(*arguments, **options)

    export.export_hf_checkpoint = after_calibration
    run_printed("modelopt", work)
    return witness.seen


def adapted(work: Path, rows: list[list[int]], batch_size: int) -> list[Row]:
    """By the adapter."""
    return quantise(work, lambda model: modelopt.forward_loop(rows, batch_size))


def adapted_awq(work: Path, rows: list[list[int]], batch_size: int) -> list[Row]:
    """By the adapter, for a method of several passes; NVFP4's own AWQ needs a GPU."""
    return quantise(work, lambda model: modelopt.forward_loop(rows, batch_size), "INT4_AWQ_CFG")


def plain(work: Path, rows: list[list[int]], batch_size: int) -> list[Row]:
    """The library's own loop over the set's texts."""
    from modelopt.torch.utils.dataset_utils import create_forward_loop
    from transformers import AutoTokenizer

    texts = work / "texts.jsonl"
    texts.write_text("".join(json.dumps({"text": text}) + "\n" for text in read_set(work / "set").texts))
    tokenizer = AutoTokenizer.from_pretrained(work / "model", padding_side="left")
    return quantise(
        work,
        lambda model: create_forward_loop(
            model, str(texts), tokenizer, batch_size, num_samples=len(rows), max_sample_length=128
        ),
    )


if __name__ == "__main__":
    main("nvidia-modelopt", {"printed": printed, "adapted": adapted, "adapted_awq": adapted_awq, "plain": plain})
