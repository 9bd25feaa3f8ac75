"""Reading and writing files so that none is ever half there."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from curator._errors import DependencyError, InputError


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary neighbour of ``path``; flush, sync and rename it on success.

    Raises:
        DependencyError: the disk is full or the folder cannot be written. ``path`` keeps its old content.
    """
    handle = None
    name = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
        # mkstemp gives 0600; a result is as readable as any other file the user writes.
        os.fchmod(descriptor, 0o666 & ~_umask())
        handle = os.fdopen(descriptor, "wb")
        yield handle
        handle.flush()
        os.fsync(handle.fileno())
        handle.close()
        os.replace(name, path)
        name = ""
    except OSError as error:
        raise DependencyError(
            f"{path}: cannot be written ({error.strerror or error}); free space or choose another folder"
        ) from error
    finally:
        # Closing flushes again, which fails again on a full disk: the first error is the one to tell.
        with contextlib.suppress(OSError):
            if handle is not None:
                handle.close()
        if name:
            with contextlib.suppress(OSError):
                os.unlink(name)


@contextlib.contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Give a temporary folder beside ``path`` that takes its place on success.

    An existing ``path`` is replaced as a whole: no file of the old folder stays in the new one.

    Raises:
        DependencyError: the disk is full or the folder cannot be written.
    """
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp"))
        temporary.chmod(0o777 & ~_umask())
        yield temporary
        old = None
        if path.exists():
            old = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=".old"))
            os.replace(path, old / path.name)
        os.replace(temporary, path)
        temporary = None
        if old is not None:
            shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise DependencyError(
            f"{path}: cannot be written ({error.strerror or error}); free space or choose another folder"
        ) from error
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


def write_text(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8, whole or not at all."""
    with atomic_write(path) as handle:
        handle.write(text.encode("utf-8"))


def dump_json(value: Any) -> str:
    """Strict JSON (no NaN, no infinity), keys in the order given, with a final newline."""
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def write_json(path: Path, value: Any) -> None:
    """Write strict JSON, whole or not at all."""
    write_text(path, dump_json(value))


def read_json(path: Path) -> Any:
    """Read one JSON file.

    Raises:
        InputError: the file is missing or is not JSON; names file and line.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: not JSON ({error.msg})") from error


def write_jsonl(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    """Write one strict JSON object a line, whole or not at all."""
    with atomic_write(path) as handle:
        for row in rows:
            handle.write(json.dumps(row, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n")


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def json_sha256(value: Any) -> str:
    """SHA-256 of a value's canonical JSON: sorted keys, no spaces."""
    canonical = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode("utf-8")).hexdigest()


def _umask() -> int:
    value = os.umask(0)
    os.umask(value)
    return value


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
            raise InputError(f"{folder}: another curate is at work here; wait for it or choose another --out") from error
        yield


def sweep_temporaries(folder: Path) -> None:
    """Remove what killed runs left half-written below ``folder``. Only under its lock."""
    for pattern in ("**/.*.tmp", "**/.*.old"):
        for path in folder.glob(pattern):
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
