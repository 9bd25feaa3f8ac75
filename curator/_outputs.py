"""Output folders and files: which of them are ours to replace."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from curator._errors import InputError
from curator._files import LOCK, STEM, read_json, remove


@dataclass(frozen=True, slots=True)
class Ours:
    """How a kind of folder that we write is told from any other.

    Attributes:
        what: its name in words.
        marker: a JSON file in it.
        key: a key that the marker's object has.
        names: patterns of all that we write into it.
    """

    what: str
    marker: str
    key: str
    names: tuple[str, ...]


def refuse_foreign(out: Path, ours: Ours) -> None:
    """Refuse an output folder that is not ours to replace, before any work is done for it.

    Raises:
        InputError: it exists, is not empty, and is no folder of this kind or holds other files too; it is the
            current folder or contains it; it cannot be made.
    """
    out = Path(os.path.abspath(out))
    if Path.cwd().is_relative_to(out):
        raise InputError(f"{out}: is or contains the current folder; name a folder of its own")
    if os.path.lexists(out):
        if not out.is_dir():
            raise InputError(f"{out}: exists and is no folder; choose another")
        strange = [path.name for path in sorted(out.iterdir()) if not _named(path.name, ours.names)]
        if strange:
            raise InputError(f"{out}: holds {strange[0]}, which is not of {ours.what}; choose another folder")
        # A run that was killed before it could write its marker has left no more than that.
        begun = any(path.name != LOCK and not path.name.startswith(STEM) for path in out.iterdir())
        if begun and not _has_key(out / ours.marker, ours.key):
            raise InputError(_why_not(out, ours))
    refuse_unwritable(out)


def _why_not(out: Path, ours: Ours) -> str:
    """Why a folder whose names are all ours is not known to be of this kind, and what to do."""
    marker = out / ours.marker
    if marker.is_file():
        try:
            read_json(marker)
        except InputError as error:
            return (
                f"{error}; without it nothing tells what else lies in {out}: restore the file from a copy, or "
                "remove the folder and start again"
            )
    return f"{out}: exists and is not {ours.what}; choose another folder"


def drop_damaged(out: Path, ours: Ours) -> None:
    """Remove a folder of results that can be made again, when its marker is missing or damaged.

    Only where all in it has names that we write; else it stays, and `refuse_foreign` has the word.

    Args:
        out: a folder inside one that is ours and that is locked.
        ours: what it should be.
    """
    if out.is_symlink() or not out.is_dir() or _has_key(out / ours.marker, ours.key):
        return
    if all(_named(path.name, ours.names) for path in out.iterdir()):
        remove(out)


def refuse_unwritable(out: Path) -> None:
    """Refuse a path at which nothing can be made.

    Args:
        out: a file or folder; folders above it that do not exist can be made.

    Raises:
        InputError: what is above it is a file, or a folder that cannot be written.
    """
    above = next(parent for parent in Path(os.path.abspath(out)).parents if parent.exists())
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        raise InputError(f"{out}: cannot be made, {above} is no folder that can be written; choose another")


def refuse_foreign_file(out: Path, is_ours: Callable[[bytes], bool]) -> None:
    """Refuse an output file that is not ours to replace.

    Args:
        out: the file; it need not exist.
        is_ours: whether a file with this content is.

    Raises:
        InputError: it exists and is no regular file, cannot be read, or holds something else; it cannot be made.
    """
    refuse_unwritable(out)
    if not os.path.lexists(out):
        return
    if not out.is_file():
        raise InputError(f"{out}: is a folder or a device; name a file")
    try:
        held = out.read_bytes()
    except OSError as error:
        raise InputError(f"{out}: exists and cannot be read ({error.strerror}); choose another name") from error
    if not is_ours(held):
        raise InputError(f"{out}: exists and holds something else; choose another name, or remove it")


def _named(name: str, patterns: tuple[str, ...]) -> bool:
    return name.startswith(STEM) or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _has_key(marker: Path, key: str) -> bool:
    try:
        content = read_json(marker)
    except InputError:
        return False
    return isinstance(content, dict) and key in content
