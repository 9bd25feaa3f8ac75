"""What is written to a disk that is full: a program for test_full_disk.py, started where it may mount one.

Mounts a file system of 1 MiB in a name space of its own, fills it but for some blocks, and writes a line a case:
its name, and how it ended.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from curator._errors import CurateError
from curator._files import atomic_folder, write_json, write_jsonl
from curator._lock import folder_lock, output_lock
from curator.measure.full_logits import FullLogits
from curator.quantize.checkpoint.files import save
from curator.scores.store import ScoreStore

_ROOM = 32 << 10


def logits(folder: Path) -> None:
    """Two prompts' logits in a map: without room for the second, a page of it kills the process (SIGBUS)."""
    full = FullLogits(folder, 1, [4, 4])
    for index in range(2):
        full.keep(index, np.ones((4, 3000), np.float32))


def tensors(folder: Path) -> None:
    with atomic_folder(folder / "checkpoint") as made:
        save({"weight": torch.ones(1 << 16)}, made / "model.safetensors")


def rows(folder: Path) -> None:
    write_jsonl(folder / "samples.jsonl", ({"input_ids": list(range(500))} for _ in range(500)))


def arrays(folder: Path) -> None:
    with atomic_folder(folder / "baseline") as made:
        np.savez(made / "windows.npz", ids=np.random.default_rng(0).integers(0, 1 << 30, 1 << 16))


def store(folder: Path) -> None:
    """Scores go on without being kept, and say so."""
    told: list[str] = []
    kept = ScoreStore(told.append, folder)
    for number in range(200):
        kept.put(f"{number:064x}", {"score": 0.5}, bytes(4096))
    kept.close()
    sys.stdout.write(f"told {' '.join(told)}\n")


def whole(folder: Path) -> None:
    """What was there before stays as it was."""
    write_json(folder / "kept.json", {"old": 1})
    fill(folder, 0)
    write_json(folder / "kept.json", {"new": list(range(5000))})


def read_only(folder: Path) -> None:
    """A disk that may not be written at all."""
    _remount(folder)
    write_json(folder / "new.json", 1)


def locked(folder: Path) -> None:
    """A run in such a folder."""
    _remount(folder)
    with folder_lock(folder / "run"):
        pass


def built(folder: Path) -> None:
    """A set in such a folder."""
    _remount(folder)
    with output_lock(folder / "set"):
        pass


def _remount(folder: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)


def fill(folder: Path, room: int) -> None:
    """Fill the disk but for ``room`` bytes."""
    content = b"x" * room
    (folder / "room").write_bytes(content)
    try:
        with (folder / "filler").open("ab", buffering=0) as filler:
            while filler.write(bytes(4096)):
                pass
    except OSError:
        pass
    (folder / "room").unlink()


def main(folder: Path) -> None:
    cases: list[Callable[[Path], None]] = [logits, tensors, rows, arrays, store, whole, read_only, locked, built]
    for case in cases:
        disk = folder / case.__name__
        disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(disk)], check=True)
        fill(disk, _ROOM)
        try:
            case(disk)
            words = "done"
        except CurateError as error:
            words = f"{type(error).__name__}: {error}"
        left = sorted(path.name for path in disk.iterdir() if path.name.startswith(".curate."))
        sys.stdout.write(f"{case.__name__} {left} {words.replace(str(disk), 'DISK')}\n")
        sys.stdout.flush()
        if case is whole:
            sys.stdout.write(f"kept {(disk / 'kept.json').read_text()!r}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
