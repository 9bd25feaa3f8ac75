"""The quantising process of a ranking, with clocks: what of it is the quantiser's, and what Curate's checks."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from curator._files import write_json
from curator.quantize import worker
from rank_cost.clocks import Clocks, now

TIMES = "CURATE_BENCH_TIMES"
"""Variable with the folder that takes each process's seconds."""


def preload() -> None:
    """See `curator.quantize.worker`."""
    worker.preload()


def forked() -> None:
    """See `curator.quantize.worker`."""
    _timed(worker.forked)


def main() -> None:
    """See `curator.quantize.worker`."""
    _timed(worker.main)


def _timed(work: Callable[[], None]) -> None:
    started, clocks = now(), Clocks()
    clocks.put_around("quantiser", "curator.quantize.worker:_by_its_library")
    clocks.put_around("model_load", "curator.models.load:load_model")
    try:
        work()
    finally:
        parts = {name: clocks.seconds[name] for name in ("quantiser", "model_load")}
        write_json(Path(os.environ[TIMES]) / f"{os.getpid()}.json", {**parts, "whole": now() - started})


if __name__ == "__main__":
    main()
