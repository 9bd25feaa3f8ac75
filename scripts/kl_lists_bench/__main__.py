"""Measures, prints a table, and keeps the results beside this file."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from curator._files import read_json, write_json
from curator.models.locate import DEFAULT_MODEL, model_name
from kl_lists_bench.measure import ESTIMATES, LENGTHS, Comparison, paired
from kl_lists_bench.models import KINDS, Distances
from kl_lists_bench.wider import VOCABULARY, widen

# Times the error of NVFP4's weights: mean KL of about 0.01, 0.03, 0.1 and 0.3.
SCALES = (0.24, 0.42, 0.75, 1.25)
RESULTS = Path(__file__).with_name("results.json")


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(prog="scripts/bench_kl_lists")
    parser.add_argument("--model", default=DEFAULT_MODEL)
    parser.add_argument("--prompts", type=int, default=24)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--json", type=Path, default=RESULTS)
    asked = parser.parse_args()
    found = measure(asked.model, asked.prompts, asked.tokens)
    before = read_json(asked.json)["models"] if asked.json.is_file() else []
    write_json(asked.json, {"models": [*(one for one in before if one["model"] != found["model"]), found]})
    show(found)


def measure(model: str, prompts: int, tokens: int) -> dict[str, Any]:
    """Compare every candidate on the model's vocabulary, and on a larger one where that is small."""
    with tempfile.TemporaryDirectory() as folder:
        distances = Distances(model, Path(folder))
        windows = distances.windows(prompts, tokens)
        references = list(distances.logits(windows, 0.0))
        size = references[0].shape[1]
        vocabularies = {"own": size} | ({"wider": VOCABULARY} if size < VOCABULARY else {})
        candidates = []
        for scale in SCALES:
            compared = {name: [Comparison() for _ in KINDS] for name in vocabularies}
            for place, kind in enumerate(KINDS):
                rows = zip(references, distances.logits(windows, scale, kind), strict=True)
                for seed, (reference, candidate) in enumerate(rows):
                    compared["own"][place].add(reference, candidate)
                    if "wider" in compared:
                        compared["wider"][place].add(*widen(reference, candidate, seed))
            found = {name: {**one.summary(), "pair": paired(one, two)} for name, (one, two) in compared.items()}
            candidates.append({"scale": scale, **found})
    return {
        "model": model_name(model),
        "prompts": len(windows),
        "scored_tokens": sum(window.scored for window in windows),
        "vocabularies": vocabularies,
        "candidates": candidates,
    }


def show(found: dict[str, Any]) -> None:
    """Print the bias of each estimate."""
    shown = f"{found['model']}: {found['prompts']} prompts, {found['scored_tokens']} greedy tokens"
    title = f"Bias of the mean KL from lists, and of a difference of two in its SE (union); {shown}"
    table = Table("ids", "KL", "K", "in lists", *ESTIMATES, "difference", title=title)
    for name, vocabulary in found["vocabularies"].items():
        for one in found["candidates"]:
            for k in LENGTHS:
                row = one[name]["by_k"][str(k)]
                biases = (f"{100 * row[estimate]['bias']:+.1f} %" for estimate in ESTIMATES)
                pair = f"{one[name]['pair']['bias_over_se'][str(k)]['union']:+.2f}"
                size, kl = f"{vocabulary:,}", f"{one[name]['kl']:.4f}"
                table.add_row(size, kl, str(k), f"{100 * row['mass']:.2f} %", *biases, pair)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
