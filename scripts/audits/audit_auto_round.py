"""AutoRound: two steps of tuning to 4 bits, weight-only."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from witness import Row, Witness, main, run_printed

from curator.adapters import auto_round


def quantise(work: Path, arguments: Callable[[Any], dict[str, Any]]) -> list[Row]:
    """One real `quantize`; what its embedding saw."""
    from auto_round import AutoRound
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(work / "model", dtype="bfloat16")
    tokenizer = AutoTokenizer.from_pretrained(work / "model")
    witness = Witness()
    settings = {"scheme": "W4A16", "iters": 2, "device_map": "cpu", "enable_torch_compile": False}
    AutoRound(model, tokenizer, **settings, **arguments(model)).quantize()
    return witness.seen


def printed(work: Path, _rows: list[list[int]], _batch_size: int) -> list[Row]:
    """The lines that `curate export` prints."""
    import auto_round as library

    # Its 200 steps of tuning a block run the same rows again, from a cache behind the embedding.
    library.AutoRound = partial(library.AutoRound, iters=2)
    witness = Witness()
    run_printed("auto-round", work)
    return witness.seen


def adapted(work: Path, rows: list[list[int]], batch_size: int) -> list[Row]:
    """By the adapter."""
    return quantise(work, lambda model: auto_round.auto_round_arguments(rows, model, batch_size))


def plain(work: Path, rows: list[list[int]], batch_size: int) -> list[Row]:
    """The same ids one by one, at a sequence length that most of them do not have."""
    import torch

    settings = {"seqlen": 64, "nsamples": 128, "batch_size": batch_size}
    return quantise(work, lambda model: {"dataset": [torch.tensor([row]) for row in rows], **settings})


if __name__ == "__main__":
    main("auto-round", {"printed": printed, "adapted": adapted, "plain": plain})
