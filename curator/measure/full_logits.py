"""Full-vocabulary logits of a baseline under way, in one file that is mapped, never held."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from curator._errors import DependencyError
from curator._files import remove
from curator.measure.baseline_files import full_name
from curator.measure.baseline_settings import Settings
from curator.serve.interface import FloatArray


class FullLogits:
    """Logits [rows of all prompts, vocabulary] of one batch size.

    Args:
        folder: where the file is.
        size: the batch size.
        counts: rows of each prompt.
    """

    def __init__(self, folder: Path, size: int, counts: Sequence[int]) -> None:
        self._file = folder / full_name(size)
        self._ends = np.cumsum(counts)
        self._counts = counts
        self._array: np.memmap[Any, np.dtype[np.float32]] | None = None

    def keep(self, index: int, logits: FloatArray) -> None:
        """Write one prompt's logits; they are on the disk before its lists are."""
        if self._array is None:
            self._array = self._open(logits.shape[-1])
        end = self._ends[index]
        self._array[end - self._counts[index] : end] = logits
        self._array.flush()

    def holds(self, vocabulary: int) -> bool:
        """Whether logits of so many ids, kept by a run before this one, are there; of none there always are."""
        return not vocabulary or self._mapped(vocabulary) is not None

    def _open(self, vocabulary: int) -> np.memmap[Any, np.dtype[np.float32]]:
        """The file of a run before this one, or a new one."""
        mapped = self._mapped(vocabulary)
        if mapped is None:
            remove(self._file)
            mapped = np.lib.format.open_memmap(self._file, "w+", np.float32, (int(self._ends[-1]), vocabulary))
        _reserve(self._file)
        return mapped

    def _mapped(self, vocabulary: int) -> np.memmap[Any, np.dtype[np.float32]] | None:
        """What is there, ``None`` where it cannot be ours: a killed run leaves half a header."""
        if not self._file.is_file():
            return None
        try:
            # Read first: opened for writing, a cut file would be filled up with zeros.
            np.lib.format.open_memmap(self._file, "r")
            found = np.lib.format.open_memmap(self._file, "r+")
        except (OSError, ValueError, EOFError, SyntaxError):
            return None
        return found if found.dtype == np.float32 and found.shape == (int(self._ends[-1]), vocabulary) else None


def _reserve(file: Path) -> None:
    """Take the whole file from the disk now: a page of it that found no room later would kill the process.

    Raises:
        DependencyError: the disk has too little room.
    """
    # macOS has no such call; `need_room` has looked.
    if not hasattr(os, "posix_fallocate"):
        return
    try:
        with file.open("r+b") as handle:
            os.posix_fallocate(handle.fileno(), 0, file.stat().st_size)
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS):
            return
        raise DependencyError(
            f"{file}: cannot be written ({error.strerror}); free space or choose another folder"
        ) from error


def need_room(folder: Path, values: int, settings: Settings) -> None:
    """Refuse before the work, not after it: writing past a full disk through a memory map kills the process.

    Args:
        folder: where the baseline will be.
        values: logits at most of one batch size.
        settings: how many of them.

    Raises:
        DependencyError: the disk has too little room.
    """
    size = values * 4 * len(settings.batch_sizes) if "prefill" in settings.phases else 0
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if free < size * 1.05:
        raise DependencyError(
            f"{folder}: {free / 1e6:,.0f} MB free, full-vocabulary logits need up to {size / 1e6:,.0f} MB; "
            "free space, lower --tokens, or use --no-full (top-K lists only)"
        )
