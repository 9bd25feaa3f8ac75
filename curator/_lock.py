"""One process at a time in a run folder."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from curator._errors import DependencyError, InputError
from curator._files import STEM, remove


@contextlib.contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold a folder for one process; the lock dies with the process.

    Raises:
        InputError: another process holds it, or ``.lock`` in it is no file.
        DependencyError: the folder cannot be made or written.
    """
    name = folder / ".lock"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Never through a link, and nothing is emptied: what is there may be the user's. Without O_NONBLOCK a pipe
        # would keep us for ever.
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(name, flags, 0o666)
    except OSError as error:
        if name.is_symlink() or name.is_dir():
            raise InputError(f"{name}: is no file of ours; remove it") from error
        raise DependencyError(f"{folder}: cannot be used ({error.strerror}); choose another folder") from error
    with os.fdopen(descriptor, "wb", buffering=0) as handle:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise InputError(f"{name}: is no file of ours; remove it")
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
