"""One process at a time in a run folder, and at an output that is replaced as a whole."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from curator._errors import DependencyError, InputError
from curator._files import LOCK, STEM, remove


@contextlib.contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold a folder for one process; the lock dies with the process.

    Raises:
        InputError: another process holds it, or ``.lock`` in it is no file.
        DependencyError: the folder cannot be made or written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DependencyError(f"{folder}: cannot be used ({error.strerror}); choose another folder") from error
    with (
        _opened(folder / LOCK, folder) as descriptor,
        _taken(descriptor, f"{folder}: another curate is at work here"),
    ):
        yield


@contextlib.contextmanager
def output_lock(out: Path) -> Iterator[None]:
    """Hold an output that takes its place only at the end, so that it has no folder to lock yet.

    The lock lies beside it, dies with the process, and is taken away at the end. What is there has to be refused
    first where it is not ours.

    Raises:
        InputError: another process makes it, or what should be the lock is no file.
        DependencyError: the folder that it is to be in cannot be made or written.
    """
    out = Path(os.path.abspath(out))
    name = out.with_name(f"{STEM}lock-{out.name[:200]}")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DependencyError(f"{out}: cannot be made ({error.strerror}); choose another folder") from error
    while True:
        with _opened(name, out) as descriptor, _taken(descriptor, f"{out}: another curate is making it"):
            # One that ended between our two steps took the file with it: another lock may be there by now.
            if not _is_at(descriptor, name):
                continue
            try:
                yield
            finally:
                name.unlink(missing_ok=True)
            return


@contextlib.contextmanager
def _opened(name: Path, folder: Path) -> Iterator[int]:
    try:
        # Never through a link, and nothing is emptied: what is there may be the user's. Without O_NONBLOCK a pipe
        # would keep us for ever.
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(name, flags, 0o666)
    except OSError as error:
        if name.is_symlink() or name.is_dir():
            raise InputError(f"{name}: is no file of ours; remove it") from error
        raise DependencyError(f"{folder}: cannot be used ({error.strerror}); choose another folder") from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise InputError(f"{name}: is no file of ours; remove it")
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _taken(descriptor: int, busy: str) -> Iterator[None]:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise InputError(f"{busy}; wait for it or choose another --out") from error
    yield


def _is_at(descriptor: int, name: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), name.stat(follow_symlinks=False))
    except OSError:
        return False


def sweep_temporaries(folder: Path) -> None:
    """Remove what killed runs left half-written below ``folder``. Only under its lock."""
    for pattern in (f"**/{STEM}*.tmp", f"**/{STEM}*.old"):
        for path in folder.glob(pattern):
            remove(path)
