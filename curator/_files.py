"""Reading and writing files so that none is ever half there."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from curator._errors import DependencyError, InputError
from curator._strict_json import strict_json

# What a full or failing disk says; write() names no file with it.
_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}
# How our temporary names begin: nothing of the user's is called so.
STEM = ".curate."
# What holds a run folder for one process, and lies in it before all else.
LOCK = ".lock"


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
    # Absolute now: the folder that a relative path starts from may be the one that is about to be moved.
    path = Path(os.path.abspath(path))
    temporary: Path | None = None
    try:
        with _told(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            _sweep_dead(path)
            temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=_prefix(path), suffix=".tmp"))
            temporary.chmod(0o777 & ~_umask())
        try:
            with named_as(temporary, path):
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


@contextlib.contextmanager
def named_as(temporary: Path, name: Path | str) -> Iterator[None]:
    """Let errors of the body tell what the user asked for, not the place where it is made.

    Args:
        temporary: a file or folder of ours.
        name: what it will be, or is a part of.
    """
    try:
        yield
    except DependencyError as error:
        error.args = tuple(str(words).replace(str(temporary), str(name)) for words in error.args)
        raise


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
        # When even the way back failed, the old content is in there and stays.
        if os.path.lexists(path):
            shutil.rmtree(aside, ignore_errors=True)


def _sweep_dead(path: Path) -> None:
    """Remove what processes that were killed while they wrote ``path`` have left beside it."""
    for left in path.parent.glob(f"{STEM}*"):
        owner = left.name.removeprefix(STEM).partition(".")[0]
        mine = left.name.startswith(f"{STEM}{owner}.{path.name[:32]}.")
        # An old folder that was moved aside is the only copy as long as ``path`` is missing.
        if mine and not _is_alive(owner) and (left.suffix == ".tmp" or os.path.lexists(path)):
            remove(left)


def refuse_at_work(path: Path) -> None:
    """Refuse a folder that another process is making: the last to finish would take the place of the first.

    Raises:
        InputError: names what the other has made so far.
    """
    for other in path.absolute().parent.glob(f"{STEM}*.{path.name[:32]}.*.tmp"):
        owner = other.name.removeprefix(STEM).partition(".")[0]
        if other.is_dir() and owner != str(os.getpid()) and _is_alive(owner):
            raise InputError(
                f"{path}: another process is writing it (in {other.name}); wait for it or choose another --out"
            )


def _is_alive(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


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
    # The owner's number tells what a killed process left. A name may have 255 bytes, hence the cut.
    return f"{STEM}{os.getpid()}.{path.name[:32]}."


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
    """Read one JSON file: strict, with finite numbers and whole characters, so that it can be written again.

    Raises:
        InputError: the file is missing or is not such JSON; names file and line.
    """
    # Reading a pipe that nobody writes would never end, nor would a device.
    if path.exists() and not path.is_file() and not path.is_dir():
        raise InputError(f"{path}: not a regular file")
    try:
        text = path.read_text(encoding="utf-8")
        return strict_json(text)
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


def write_jsonl(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    """Write one strict JSON object a line, whole or not at all."""
    with atomic_write(path) as handle:
        for row in rows:
            handle.write(json.dumps(row, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n")


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal.

    Raises:
        InputError: no such file, no regular file, or it cannot be read.
    """
    if not path.is_file():
        # What a pipe gave is gone when it is asked for again.
        raise InputError(f"{path}: {'not a regular file; give one' if path.exists() else 'no such file'}")
    try:
        with path.open("rb") as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error


def json_sha256(value: Any) -> str:
    """SHA-256 of a value's canonical JSON: sorted keys, no spaces."""
    canonical = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode("utf-8")).hexdigest()


def open_to_others(file: Path) -> None:
    """Make a file as readable as any other that the user writes, whatever a library made of it."""
    file.chmod(0o666 & ~_umask())


def _umask() -> int:
    value = os.umask(0)
    os.umask(value)
    return value
