"""What was quantised, on a terminal or in a pipe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from curator.report._terminal_parts import print_line, print_warnings
from curator.report.format import count, number, one_line, seconds
from curator.report.verify_terminal import size_words

_NAMES = {
    "nvfp4": "in NVFP4",
    "nvfp4 weight-only": "in NVFP4 (weights only)",
    "fp8": "in FP8",
    "not quantised": "not quantised",
}


def print_quantised(result: Mapping[str, Any], console: Console) -> None:
    """Print the end of `curate quantize`, as its JSON has it.

    Args:
        result: the receipt, with ``out`` and ``twin``.
        console: where to print.
    """
    made = result["checkpoint"]
    layers = ", ".join(f"{count(found)} {_NAMES[kind]}" for kind, found in made["layers"].items() if found)
    cache = ", FP8 KV cache" if made["kv_cache"] == "fp8" else ""
    print_line(console, f"{one_line(result['out'])}: linear layers {layers}; {made['scheme']}{cache}")
    bits = f"{number(made['bits_all'], 2)} bits a parameter"
    print_line(
        console, f"{size_words(made['size'])}, {bits}; made by {result['method']} in {seconds(result['seconds'])}"
    )
    reached = result["reached_model"]
    if reached:
        rows, tokens = count(reached["sequences"]), count(reached["tokens"])
        print_line(console, f"reached the model: {rows} rows, {tokens} tokens, all of the set and no others")
    if result["twin"]:
        print_line(console, f"{one_line(result['twin'])}: the same weights dequantised to float32")
    print_warnings(console, result["warnings"])
