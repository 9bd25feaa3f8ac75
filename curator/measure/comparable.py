"""Whether a candidate's numbers may be compared with a baseline's."""

from __future__ import annotations

from collections.abc import Sequence

from curator._errors import RefusedError
from curator.measure.baseline import Baseline
from curator.serve.interface import Server

# Facts that must be equal for KL to be comparable. Weights, quantisation and FP4 backend may differ.
COMPARABLE = (
    "backend",
    "version",
    "torch",
    "dtype",
    "device",
    "attention",
    "chunked_prefill_size",
    "kv_cache_dtype",
    "page_size",
    "radix_cache_off",
    "deterministic",
    "tensor_parallel",
    "data_parallel",
    "sampling",
)
# Facts that not every backend can tell: they must be equal where both sides tell them.
TOLD = ("architecture", "tokenizer", "gpu")


def check_comparable(baseline: Baseline, server: Server, allow: Sequence[str] = ()) -> list[str]:
    """Compare the facts of both servers.

    Returns:
        A warning for each difference that ``allow`` names, and for what could not be compared.

    Raises:
        RefusedError: any other difference, by name.
    """
    mine, theirs = server.facts(), baseline.manifest["server"]
    different = [name for name in COMPARABLE if mine.get(name) != theirs.get(name)]
    unknown = [name for name in TOLD if name not in mine or name not in theirs]
    different += [name for name in TOLD if name not in unknown and not _same(mine[name], theirs[name])]
    refused = [name for name in different if name not in allow]
    if refused:
        details = "; ".join(
            f"{name}: baseline {theirs.get(name)!r}, candidate {mine.get(name)!r}" for name in refused
        )
        raise RefusedError(
            f"not comparable with the baseline ({details}); measure both alike, or pass --allow {refused[0]} to "
            "mark the result as not comparable"
        )
    return [
        *(f"not comparable: {name} differs between baseline and candidate (--allow {name})" for name in different),
        *(f"not compared: the {name}, which one side does not tell" for name in unknown if name != "gpu"),
    ]


def _same(mine: str, theirs: str) -> bool:
    """Whether two facts agree as far as both go: a server may tell an architecture's class and not its shape."""
    return all(a == b for a, b in zip(mine.split(", "), theirs.split(", "), strict=False))
