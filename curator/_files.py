"""Reading and writing files so that none is ever half there."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from curator._errors import DependencyError, InputError

# What a full or failing disk says; write() names no file with it.
_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary neighbour of ``path``; flush, sync and rename it on success.

    An ``OSError`` of the body that has another cause, such as a missing input, passes unchanged.

    Raises:
        DependencyError: the disk is full or the folder cannot be written. ``path`` keeps its old content.
    """
    handle = None
    name = ""
    try:
        with _told(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=_prefix(path), suffix=".tmp")
            # mkstemp gives 0600; a result is as readable as any other file the user writes.
            os.fchmod(descriptor, 0o666 & ~_umask())
            handle = os.fdopen(descriptor, "wb")
        try:
            yield handle
        except OSError as error:
            if _is_disk(error):
                _refuse(path, error)
            raise
        with _told(path):
            handle.flush()
            os.fsync(handle.fileno())
            handle.close()
            os.replace(name, path)
        name = ""
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

    An existing ``path`` is replaced as a whole: no file of the old folder stays in the new one. An
    ``OSError`` of the body that has another cause, such as a missing input, passes unchanged.

    Raises:
        DependencyError: the disk is full or the folder cannot be written. ``path`` keeps its old content.
    """
    temporary: Path | None = None
    try:
        with _told(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=_prefix(path), suffix=".tmp"))
            temporary.chmod(0o777 & ~_umask())
        try:
            yield temporary
        except OSError as error:
            if _is_disk(error) or _is_inside(error, temporary):
                _refuse(path, error)
            raise
        with _told(path):
            _swap(temporary, path)
        temporary = None
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


def _swap(new: Path, path: Path) -> None:
    """Put ``new`` in the place of ``path``; when that fails, what was there comes back."""
    if not os.path.lexists(path):
        os.replace(new, path)
        return
    aside = Path(tempfile.mkdtemp(dir=path.parent, prefix=_prefix(path), suffix=".old"))
    try:
        os.replace(path, aside / "old")
        try:
            os.replace(new, path)
        except BaseException:
            os.replace(aside / "old", path)
            raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        _refuse(path, error)


def _refuse(path: Path, error: OSError) -> NoReturn:
    raise DependencyError(
        f"{path}: cannot be written ({error.strerror or error}); free space or choose another folder"
    ) from error


def _is_disk(error: OSError) -> bool:
    return error.filename is None and error.errno in _DISK


def _is_inside(error: OSError, folder: Path) -> bool:
    return isinstance(error.filename, str | Path) and Path(error.filename).is_relative_to(folder)


def _prefix(path: Path) -> str:
    # A name may have 255 bytes; the temporary one is longer than the final one.
    return f".{path.name[:32]}."


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
        InputError: the file is missing or is not strict JSON; names file and line.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_constant)
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: not JSON ({error.msg})") from error
    except RecursionError as error:
        raise InputError(f"{path}: not usable JSON (nested too deeply)") from error
    except ValueError as error:
        raise InputError(f"{path}: not JSON ({error})") from error


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


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


def refuse_foreign(out: Path, marker: str, what: str) -> None:
    """Refuse to replace what is not ours: ``out`` may be missing, empty, or a folder that holds ``marker``.

    Raises:
        InputError: ``out`` is something else.
    """
    empty = out.is_dir() and not any(out.iterdir())
    if out.exists() and not empty and not (out / marker).is_file():
        raise InputError(f"{out}: exists and is not {what}; choose another folder")


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
    for pattern in ("**/.*.tmp", "**/.*.old"):
        for path in folder.glob(pattern):
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
