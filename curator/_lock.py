"""One process at a time in a run folder."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path

from curator._errors import DependencyError, InputError
from curator._files import STEM, remove


@contextlib.contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold a folder for one process; the lock dies with the process.

    Raises:
        InputError: another process holds it.
        DependencyError: the folder cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = (folder / ".lock").open("w")
    except OSError as error:
        raise DependencyError(f"{folder}: cannot be used ({error.strerror}); choose another folder") from error
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError(
                f"{folder}: another curate is at work here; wait for it or choose another --out"
            ) from error
        yield


def sweep_temporaries(folder: Path) -> None:
    """Remove what killed runs left half-written below ``folder``. Only under its lock."""
    for pattern in (f"**/{STEM}*.tmp", f"**/{STEM}*.old"):
        for path in folder.glob(pattern):
            remove(path)
