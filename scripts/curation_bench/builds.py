"""`curate build` of 512 x 2048 tokens from a million documents: time and memory, and of ten times as many."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from curation_bench.metered import metered

_RECIPE = """\
name: million
seed: 17
size: {{samples: {samples}, tokens: 2048}}
target: {{tasks: {{prose: 1}}}}
sources: [{{files: "{pattern}", task: prose}}]
gates: {{language: {{allow: [en], detector: langdetect-rs}}}}
"""


def measure_build(
    root: Path, corpus: Path, documents: int, samples: int, workers: int, more: Sequence[str] = ()
) -> dict[str, Any]:
    """Build a set with nothing in the store of scores.

    Args:
        root: folder of the bench.
        corpus: folder of the documents.
        documents: how many they are.
        samples: sequences of 2048 tokens.
        workers: processes.
        more: options of `curate build`.

    Raises:
        SystemExit: the build failed.
    """
    out, cache = root / "build", root / "cache"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    cache.mkdir(exist_ok=True)
    for stored in cache.glob("scores-*"):
        stored.unlink()
    recipe = out / "million.yaml"
    recipe.write_text(_RECIPE.format(samples=samples, pattern=corpus / "*.jsonl"), encoding="utf-8")
    command = [
        Path(sys.executable).with_name("curate"), "build", recipe, "--out", out / "set", "--workers", str(workers),
        "--json", *more,
    ]  # fmt: skip
    # Cores are shared out as the product does it.
    environment = {"CURATE_CACHE": str(cache), "HF_HUB_OFFLINE": "1"}
    cost = metered(command, out / "log.txt", environment, out / "told.json")
    told = json.loads((out / "told.json").read_text(encoding="utf-8"))
    return {
        "documents": documents,
        "bytes": sum(path.stat().st_size for path in corpus.glob("*.jsonl")),
        "samples": samples,
        "options": list(more),
        "workers": workers,
        "cores": len(os.sched_getaffinity(0)),
        "wall_s": round(cost.wall, 1),
        "cpu_s": round(cost.cpu, 1),
        "memory_bytes": cost.memory,
        "largest_process_bytes": cost.largest,
        "load": round(cost.load, 1),
        "set_hash": told["set_hash"],
        "dropped": told["dropped"],
    }
