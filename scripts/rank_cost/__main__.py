"""Runs `curate rank` with clocks around the quantiser and the model; prints and writes what each took."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from rich.console import Console

from curator._files import write_json
from rank_cost.timers import Timers

_RESULTS = Path(__file__).parent / "results.json"


def main() -> None:
    """Rank as the command line says; the run's folder must be new."""
    began = _process_start()
    timers = Timers()
    from curator.rank import measure_arm
    from curator.serve import in_process

    measure_arm.quantize_model = timers.around("quantiser", measure_arm.quantize_model)
    load = in_process.InProcess.__init__

    def loaded(self: in_process.InProcess, *given: object, **named: object) -> None:
        timers.around("model_load", load)(self, *given, **named)
        model = self.model
        model.forward = timers.around("model_forward", model.forward)

    in_process.InProcess.__init__ = loaded  # type: ignore[method-assign]
    from curator.cli.app import app

    try:
        app(["rank", *sys.argv[1:]])
    except SystemExit as end:
        if end.code:
            raise
    found = timers.document(time.time() - began)
    write_json(_RESULTS, {"command": sys.argv[1:], "load": round(os.getloadavg()[0], 1), **found})
    Console(highlight=False).print("  ".join(f"{name} {value}" for name, value in found.items()))


def _process_start() -> float:
    """When this process began, in seconds since the epoch: its imports count."""
    import psutil

    return psutil.Process().create_time()


if __name__ == "__main__":
    main()
