"""A run that is killed again and again: a program for test_killed_runs.py.

It imports all once and forks a process a run, before any thread is started. Each is killed with SIGKILL around the
moment at which it would give a file its name for the n-th time, until one comes to its end.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from fake_runs import Fakes, loaded, plan

from curator._progress import Silent
from curator.rank.experiment import run

# What a run imports on its way, once for all of them.
for name in ("accelerate", "datasets", "sklearn", "torch._dynamo", "transformers.models.llama.modeling_llama"):
    importlib.import_module(name)


def main(folder: Path, model: Path, steps: int) -> int:
    """One run in ``once``, and one in ``often``, killed every ``steps`` renames; writes how often that was."""
    _killed(folder / "once", model, 0)
    sys.stdout.write(str(_killed(folder / "often", model, steps)))
    return 0


def _killed(folder: Path, model: Path, steps: int) -> int:
    folder.mkdir()
    recipes = (loaded(folder, "words", task="random-words"), loaded(folder, "others"))
    asked = plan(folder, model, recipes, draws=4, looks=(3, 4), margin=0.0, nulls=("no-data",))
    for killed in range(50):
        child = os.fork()
        if not child:
            patches = pytest.MonkeyPatch()
            Fakes(model).install(patches)
            if steps:
                patches.setattr(os, "replace", _deadly(steps, before=killed % 2 == 0))
            run(asked, Silent())
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status == 0:
            return killed
        if status != -signal.SIGKILL:
            break
    raise SystemExit(f"{folder}: came to no end")


def _deadly(steps: int, *, before: bool) -> Any:
    real, left = os.replace, [steps]

    def replace(old: Any, new: Any) -> None:
        # What is in a temporary folder comes to nothing until that has its name.
        left[0] -= ".tmp" not in str(new)
        if before and not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        real(old, new)
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)

    return cast(Any, replace)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
