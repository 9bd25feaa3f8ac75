"""Where the bytes of a file come from: a disk here, or a hub."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol


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


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file on this machine.

    Attributes:
        path: where it is.
        name: what messages call it.
    """

    path: Path
    name: str

    def open(self) -> BinaryIO:
        """See `ByteSource`."""
        raise NotImplementedError
