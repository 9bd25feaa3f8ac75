"""A ranking whose disk is full again and again: a program for test_full_disk_runs.py, in a name space of its own.

Writes a line a start: the room that the disk had, and how the run ended.
"""

from __future__ import annotations

import dataclasses
import importlib
import os
import shutil
import subprocess
import sys
import traceback
from pathlib import Path

import pytest
from fake_runs import Fakes, loaded, plan
from full_disk import fill

from curator._errors import CurateError
from curator._progress import Silent
from curator.rank.experiment import run

# What a run imports on its way, once for all of them; before any thread is started.
for module in ("accelerate", "datasets", "sklearn", "torch._dynamo", "transformers.models.llama.modeling_llama"):
    importlib.import_module(module)

# From not a byte to enough: each start comes further than the one before it, or ends at the same step.
ROOMS = tuple(kib << 10 for kib in (0, 16, 64, 128, 256, 512, 1024, 2048))


def main(folder: Path, model: Path) -> None:
    """One run in ``once``, and one in ``often``, on a disk that is filled before each start but the last."""
    disk = folder / "often"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "none", str(disk)], check=True)
    _tell("once", _started(folder, folder / "once" / "out", model))
    for room in ROOMS:
        fill(disk, room)
        _tell(str(room), _started(folder, disk / "out", model))
        (disk / "filler").unlink()
    _tell("enough", _started(folder, disk / "out", model))
    # The disk is gone with this process.
    (folder / "kept" / "out").mkdir(parents=True)
    shutil.copy(disk / "out" / "ranking.json", folder / "kept" / "out")
    _tell("left", str([path.name for path in disk.rglob(".curate.*")]))


def _started(folder: Path, out: Path, model: Path) -> str:
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(write, _ended(folder, out, model).encode())
        except BaseException:
            # What a user would see; and a test that fails with it.
            traceback.print_exc()
            raise
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as told:
        words = told.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return words or f"died ({status})"


def _ended(folder: Path, out: Path, model: Path) -> str:
    Fakes(model).install(pytest.MonkeyPatch())
    try:
        recipes = (loaded(folder, "words", "random-words"), loaded(folder, "others"))
        asked = plan(folder, model, recipes, draws=2, nulls=("no-data",))
        run(dataclasses.replace(asked, out=out), Silent())
    except CurateError as error:
        return f"{type(error).__name__}: {error}"
    return "done"


def _tell(name: str, words: str) -> None:
    sys.stdout.write(f"{name} {words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
