"""Takes a baseline of SmolLM2, breaks its KV cache in decode steps alone, and measures that."""

from __future__ import annotations

import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
from decode_faults import fp8_cache_with_wrong_scale
from rich.console import Console

from curator._files import write_json
from curator._progress import unseen
from curator.measure.baseline import Baseline
from curator.measure.baseline_settings import Settings
from curator.measure.collect import collect
from curator.measure.decode import decode_summary, free_running
from curator.measure.heldout import Prompt
from curator.measure.partial import Partial
from curator.measure.score import score_candidate
from curator.measure.summary import weighted
from curator.models.locate import DEFAULT_MODEL, locate_model
from curator.serve.in_process import InProcess
from curator.tokens.tokenizer import Tokenizer

_OUT = Console(width=120, highlight=False, markup=False)
_RESULTS = Path(__file__).parent / "results.json"
_BATCH, _TOKENS = 8, 32
_TEXTS = (
    "In a small village by the sea there lived an old man who",
    "The capital of France is",
    "def volume(",
    "Water boils at a hundred degrees. At the top of a mountain it",
    "Dear Sir or Madam, I am writing to",
    "The three primary colours are",
    "Once the war was over, the soldiers",
    "To make bread you need flour,",
)
# What an FP8 value of 448, the largest, stands for: keys and values beyond it are cut. None is a sound cache.
_LARGEST = (None, 14.0, 7.0, 3.5)


def main() -> None:
    """Measure, print and write."""
    folder = locate_model(DEFAULT_MODEL)
    prompts = [Prompt(f"p{n}", "text", "own", "own", "en", "Apache-2.0", text) for n, text in enumerate(_TEXTS)]
    server = InProcess(folder)
    settings = Settings(_TOKENS, _TOKENS, batch_sizes=(_BATCH, 1), full=False, phases=("prefill", "decode"))
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        baseline = collect(server, Tokenizer(folder), prompts, settings, Path(scratch) / "baseline", unseen)
        for largest in _LARGEST:
            rows.append({"largest": largest, **_measured(baseline, server, largest)})
            _OUT.print(_words(rows[-1]))
    write_json(_RESULTS, {"model": DEFAULT_MODEL, "prompts": len(prompts), "tokens": _TOKENS, "rows": rows})


def _measured(baseline: Baseline, server: InProcess, largest: float | None) -> dict[str, Any]:
    fault = nullcontext() if largest is None else fp8_cache_with_wrong_scale(server.model, largest / 448)
    with torch.inference_mode(), fault:
        prefill = score_candidate(baseline, server, _BATCH, unseen)
        forced = score_candidate(baseline, server, _BATCH, unseen, phase="decode")
        with tempfile.TemporaryDirectory() as scratch:
            kept = Partial(Path(scratch), server.weights_probe())
            free = decode_summary(baseline, free_running(baseline, server, _BATCH, unseen, kept))
    return {
        "prefill_kl": weighted(prefill, "kl"),
        "forced_kl": weighted(forced, "kl"),
        "forced_top1": weighted(forced, "top1"),
        **{key: free["candidate"][key] for key in ("tokens", "tokens_ci", "cap", "departures", "at_risk")},
        "kl_while_following": free["kl_while_following"],
    }


def _words(row: dict[str, Any]) -> str:
    cache = "sound" if row["largest"] is None else f"cut at {row['largest']:g}"
    return (
        f"{cache:12} prefill KL {row['prefill_kl']:.4f}  forced KL {row['forced_kl']:.4f}  top-1 "
        f"{row['forced_top1']:.1%}  follows {row['tokens']:.1f} of {row['cap']} tokens"
    )


if __name__ == "__main__":
    main()
