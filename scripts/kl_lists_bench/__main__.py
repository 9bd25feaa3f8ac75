"""Measures, prints a table, and keeps the results beside this file."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from curator._files import write_json
from kl_lists_bench.measure import ESTIMATES, LENGTHS, Comparison
from kl_lists_bench.models import MODEL, Distances
from kl_lists_bench.wider import VOCABULARY, widen

# Times the error of NVFP4's weights: mean KL of about 0.01, 0.03, 0.1 and 0.3.
SCALES = (0.24, 0.42, 0.75, 1.25)
RESULTS = Path(__file__).with_name("results.json")


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(prog="scripts/bench_kl_lists")
    parser.add_argument("--prompts", type=int, default=24)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--json", type=Path, default=RESULTS)
    asked = parser.parse_args()
    found = measure(asked.prompts, asked.tokens)
    write_json(asked.json, found)
    show(found)


def measure(prompts: int, tokens: int) -> dict[str, Any]:
    """Compare every candidate on both vocabularies."""
    with tempfile.TemporaryDirectory() as folder:
        distances = Distances(Path(folder))
        windows = distances.windows(prompts, tokens)
        references = list(distances.logits(windows, 0.0))
        candidates = []
        for scale in SCALES:
            own, wider = Comparison(), Comparison()
            for seed, (reference, candidate) in enumerate(
                zip(references, distances.logits(windows, scale), strict=True)
            ):
                own.add(reference, candidate)
                wider.add(*widen(reference, candidate, seed))
            candidates.append({"scale": scale, "own": own.summary(), "wider": wider.summary()})
    return {
        "model": MODEL,
        "prompts": len(windows),
        "scored_tokens": sum(window.scored for window in windows),
        "vocabularies": {"own": references[0].shape[1], "wider": VOCABULARY},
        "candidates": candidates,
    }


def show(found: dict[str, Any]) -> None:
    """Print the bias of each estimate."""
    shown = f"{found['model']}: {found['prompts']} prompts, {found['scored_tokens']} greedy tokens"
    table = Table("ids", "KL", "K", "in lists", *ESTIMATES, title=f"Bias of the mean KL from lists; {shown}")
    for name, vocabulary in found["vocabularies"].items():
        for one in found["candidates"]:
            for k in LENGTHS:
                row = one[name]["by_k"][str(k)]
                biases = (f"{100 * row[estimate]['bias']:+.1f} %" for estimate in ESTIMATES)
                table.add_row(
                    f"{vocabulary:,}", f"{one[name]['kl']:.4f}", str(k), f"{100 * row['mass']:.2f} %", *biases
                )
    Console().print(table)


if __name__ == "__main__":
    main()
