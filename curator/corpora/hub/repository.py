"""A data set's files, before any of them is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from curator.corpora.rows.byte_source import ByteSource


@dataclass(frozen=True, slots=True, order=True)
class Listed:
    """A file of a data set.

    Attributes:
        path: within the data set, with ``/``.
        size: bytes.
        sha256: of its content, in hexadecimal; empty when the hub keeps the file in git.
        git_sha1: of git's blob, for small files; empty when unknown.
    """

    path: str
    size: int
    sha256: str = ""
    git_sha1: str = ""


class Repository(Protocol):
    """A data set at one commit, or a local folder that has the layout of one.

    Attributes:
        name: what messages call it.
        commit: 40 hexadecimal digits; empty for a local folder.
        files: all its files, in the order of their paths.
        notes: what the user should know about where it came from.
    """

    @property
    def name(self) -> str:
        """See the class."""

    @property
    def commit(self) -> str:
        """See the class."""

    @property
    def files(self) -> tuple[Listed, ...]:
        """See the class."""

    @property
    def notes(self) -> tuple[str, ...]:
        """See the class."""

    def source(self, file: Listed) -> ByteSource:
        """The bytes of one of its files."""

    def revision(self, file: Listed) -> str:
        """What fixes the content of one of its files: the commit, or the file's SHA-256."""
