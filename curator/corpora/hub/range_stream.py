"""A large file of the hub, read by ranges."""

from __future__ import annotations

import io
import re
from functools import partial
from typing import Protocol

import httpx
from huggingface_hub import constants, get_session, hf_hub_url, hf_raise_for_status
from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

from curator._errors import DependencyError
from curator.corpora.hub.calls import hub_call

BLOCK = 2**20
# Blocks that are asked for at once, at most, when a file is read from front to back.
_AHEAD = 8
# The columns of a Parquet file are read in turns, each a little.
_KEPT = 32
_CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")


class _Remote(Protocol):
    @property
    def dataset(self) -> str: ...
    @property
    def commit(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def sha256(self) -> str: ...


class RangeStream(io.RawIOBase):
    """The stored bytes of ``file``, seekable; a few blocks of it are held in memory.

    The hub library's own file object takes whatever answer comes: a server that ignores ranges would give the
    file's start in the place of its middle. Here each answer must say that it is the range asked for, of a file
    of the size listed; an answer that breaks off is continued at its last byte.
    """

    def __init__(self, file: _Remote) -> None:
        self._file = file
        self._what = f"file {file.path} of data set {file.dataset}"
        self._at = 0
        self._blocks: dict[int, bytes] = {}
        self._next = -1
        self._ahead = 1

    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Yes."""
        return True

    def tell(self) -> int:
        """Where the next byte is read."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move; nothing is fetched before it is read."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._file.size}[whence]
        if start + offset < 0:
            raise ValueError(f"position {start + offset} is before the start of the file")
        self._at = start + offset
        return self._at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read as many bytes as are at hand, at most ``len(buffer)``.

        Raises:
            DependencyError: see `HubFile.open`.
        """
        if not len(buffer) > 0 or self._at >= self._file.size:
            return 0
        number, offset = divmod(self._at, BLOCK)
        given = self._block(number)[offset : offset + len(buffer)]
        buffer[: len(given)] = given
        self._at += len(given)
        return len(given)

    def _block(self, number: int) -> bytes:
        if number not in self._blocks:
            self._fetch(number)
        # A dictionary keeps its order: the block that was used longest ago is first.
        block = self._blocks[number] = self._blocks.pop(number)
        while len(self._blocks) > _KEPT:
            del self._blocks[next(iter(self._blocks))]
        return block

    def _fetch(self, number: int) -> None:
        """Get a block; as long as each is the one after the last, twice as many as the time before."""
        self._ahead = min(2 * self._ahead, _AHEAD) if number == self._next else 1
        self._next = number + self._ahead
        start = number * BLOCK
        got = self._range(start, min(self._ahead * BLOCK, self._file.size - start))
        for offset in range(0, len(got), BLOCK):
            self._blocks[number + offset // BLOCK] = got[offset : offset + BLOCK]

    def _range(self, start: int, length: int) -> bytes:
        got = bytearray()
        while len(got) < length:
            # A try that brought some bytes is a success: only tries without any count against the hub.
            hub_call(self._what, self._file.dataset, partial(self._continue, start, length, got))
        return bytes(got)

    def _continue(self, start: int, length: int, got: bytearray) -> None:
        before = len(got)
        url = hf_hub_url(self._file.dataset, self._file.path, repo_type="dataset", revision=self._file.commit)
        first, last = start + before, start + length - 1
        # Compressed on the way, positions would be those of other bytes.
        headers = {**build_hf_headers(), "Range": f"bytes={first}-{last}", "Accept-Encoding": "identity"}
        timeout = constants.HF_HUB_DOWNLOAD_TIMEOUT
        with get_session().stream("GET", url, headers=headers, timeout=timeout, follow_redirects=True) as answer:
            hf_raise_for_status(answer)
            self._check(answer, first, last)
            try:
                for chunk in answer.iter_bytes():
                    got += chunk[: length - len(got)]
            except httpx.TransportError:
                if len(got) == before:
                    raise
        if len(got) == before:
            # Asked for again at once, a server that goes on like this would never be done with.
            raise httpx.RemoteProtocolError("the answer ends before its first byte")

    def _check(self, answer: httpx.Response, first: int, last: int) -> None:
        told = _CONTENT_RANGE.fullmatch(answer.headers.get("Content-Range", ""))
        if answer.status_code != httpx.codes.PARTIAL_CONTENT or told is None:
            raise DependencyError(
                f"{self._what}: the server does not give parts of files; fetch it first: "
                f"hf download --repo-type dataset {self._file.dataset} {self._file.path} "
                f"--revision {self._file.commit}"
            )
        etag = _etag(answer)
        changed = int(told[3]) != self._file.size or (self._file.sha256 and etag and etag != self._file.sha256)
        if changed or (int(told[1]), int(told[2])) != (first, last):
            raise DependencyError(f"{self._what}: the server gives another file than the hub lists; try again")


def _etag(answer: httpx.Response) -> str:
    """The content's SHA-256, as the hub tells it before it sends readers on to a storage server; or empty."""
    for step in (*answer.history, answer):
        told: str = step.headers.get("X-Linked-ETag", "")
        if told:
            return told.removeprefix("W/").strip('"')
    return ""
