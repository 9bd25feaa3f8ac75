"""Where the bytes of a file come from: a disk here, or a hub."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Protocol

from curator._errors import InputError


class ByteSource(Protocol):
    """A file that can be opened again and again, here or in another process (so it can be pickled).

    Attributes:
        name: what messages call it: a path, or a data set's id with the file's path in it.
    """

    @property
    def name(self) -> str:
        """See the class."""

    def open(self) -> BinaryIO:
        """The stored bytes, still compressed, from their start; seekable.

        Raises:
            InputError: no such file, or no regular file.
            DependencyError: a hub or a network failed.
        """


@dataclass(frozen=True, slots=True)
class Labels:
    """What every document of a file has in common.

    Attributes:
        corpus: what `Document.corpus` says.
        prefix: what document ids begin with: ``<prefix>#<row>``.
        file: what `Document.file` says.
        unit: `Document.unit`.
        task: task type.
        language: BCP 47 tag, or ``und``; a row's own language column wins.
        licence: SPDX expression, or ``unknown``; a row's own licence column wins.
        suffix: what document ids end with, so that two columns of one row are two documents.
        revision: what fixes the content.
    """

    corpus: str
    prefix: str
    file: str
    unit: str
    task: str
    language: str = "und"
    licence: str = "unknown"
    revision: str = ""
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file on this machine.

    Attributes:
        path: where it is.
        name: what messages call it.
        stamp: what told its content apart when `stamped` was called: size, time of change and inode.
    """

    path: Path
    name: str
    stamp: tuple[int, ...] = ()

    def open(self) -> BinaryIO:
        """See `ByteSource`. What is no file is refused unopened: a pipe without a writer waits for ever."""
        try:
            mode = os.stat(self.path).st_mode
            if stat.S_ISDIR(mode):
                raise InputError(f"{self.name}: is a folder, not a file; name a file in it")
            if not stat.S_ISREG(mode):
                raise InputError(f"{self.name}: a pipe or device, not a file; save the rows to a file first")
            return self.path.open("rb")
        except OSError as error:
            raise InputError(f"{self.name}: cannot be read ({error.strerror or error})") from error
        except ValueError as error:
            raise InputError(f"{self.name!r}: no possible file name ({error})") from error

    def stamped(self) -> LocalFile:
        """The file as it is now, for `check_unchanged`.

        Raises:
            InputError: it cannot be looked at.
        """
        return replace(self, stamp=self._now())

    def check_unchanged(self) -> None:
        """Refuse a file that is not what it was when it was stamped: its hash would be that of another text.

        Raises:
            InputError: it changed, or is gone.
        """
        if self.stamp and self._now() != self.stamp:
            raise InputError(f"{self.name}: changed while it was read; run again")

    def _now(self) -> tuple[int, ...]:
        try:
            found = os.stat(self.path)
        except OSError as error:
            raise InputError(f"{self.name}: cannot be read ({error.strerror or error})") from error
        return found.st_size, found.st_mtime_ns, found.st_ino
