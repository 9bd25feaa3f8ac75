"""llm-compressor: GPTQ to NVFP4 by `oneshot`, the sequential pipeline."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from witness import Row, Witness, main, run_printed

from curator.adapters import llm_compressor


def quantise(work: Path, arguments: Callable[[Any], dict[str, Any]]) -> list[Row]:
    """One real `oneshot`; what its embedding saw."""
    from llmcompressor import oneshot
    from llmcompressor.modifiers.gptq import GPTQModifier
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(work / "model", dtype="bfloat16")
    witness = Witness()
    recipe = GPTQModifier(targets="Linear", scheme="NVFP4", ignore=["lm_head"])
    oneshot(model=model, tokenizer=str(work / "model"), recipe=recipe, **arguments(model))
    return witness.seen


def printed(work: Path, _rows: list[list[int]], _batch_size: int) -> list[Row]:
    """The lines that `curate export` prints."""
    witness = Witness()
    run_printed("llm-compressor", work)
    return witness.seen


def adapted(work: Path, rows: list[list[int]], batch_size: int) -> list[Row]:
    """By the adapter."""
    return quantise(work, lambda model: llm_compressor.oneshot_arguments(rows, model, batch_size))


def plain(work: Path, rows: list[list[int]], batch_size: int) -> list[Row]:
    """A dataset of the same ids and the library's own settings."""
    return quantise(work, lambda model: {"dataset": ids_only(rows), "batch_size": batch_size})


def unshuffled(work: Path, rows: list[list[int]], batch_size: int) -> list[Row]:
    """The same with its shuffle off."""
    settings = {"batch_size": batch_size, "shuffle_calibration_samples": False}
    return quantise(work, lambda model: {"dataset": ids_only(rows), **settings})


def ids_only(rows: list[list[int]]) -> Any:
    """The dataset that the library's examples make."""
    from datasets import Dataset

    return Dataset.from_dict({"input_ids": rows, "attention_mask": [[1] * len(row) for row in rows]})


if __name__ == "__main__":
    main("llmcompressor", {"printed": printed, "adapted": adapted, "plain": plain, "unshuffled": unshuffled})
