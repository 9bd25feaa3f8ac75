"""The bytes of a file on the hub: from the cache, fetched whole, or by ranges."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from huggingface_hub import (
    constants,
    get_hf_file_metadata,
    hf_hub_download,
    hf_hub_url,
    try_to_load_from_cache,
)
from huggingface_hub.utils import tqdm  # type: ignore[attr-defined]

from curator._errors import DependencyError
from curator.corpora.hub.calls import TIMEOUT, hub_call
from curator.corpora.hub.range_stream import RangeStream

# Larger files are read by ranges: of a set's terabyte, a pool needs some megabytes.
WHOLE_BYTES = 256 * 2**20
_BUFFER = 2**20


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a data set at one commit; see `ByteSource`.

    Attributes:
        dataset: the data set's id.
        commit: 40 hexadecimal digits.
        path: within the data set.
        size: bytes, as the hub lists them.
        sha256: of its content; empty when the hub keeps the file in git.
        git_sha1: of git's blob; empty when ``sha256`` is told.
    """

    dataset: str
    commit: str
    path: str
    size: int
    sha256: str = ""
    git_sha1: str = ""

    @property
    def name(self) -> str:
        """The data set's id with the file's path."""
        return f"{self.dataset}/{self.path}"

    def open(self) -> BinaryIO:
        """See `ByteSource`.

        Raises:
            InputError: the file is not in this commit.
            DependencyError: the hub, the network or the disk; or the content is not what the hub lists.
        """
        local = self.cached()
        if local is None and (self.size <= WHOLE_BYTES or constants.is_offline_mode()):
            local = self._fetch()
        if local is not None:
            try:
                return local.open("rb")
            except OSError as error:
                raise DependencyError(
                    f"{self.name}: the cached file cannot be read ({error.strerror}); set HF_HOME elsewhere"
                ) from error
        return cast(BinaryIO, io.BufferedReader(RangeStream(self), _BUFFER))

    def cached(self) -> Path | None:
        """The whole file in the hub library's cache, if it is there."""
        found = try_to_load_from_cache(self.dataset, self.path, revision=self.commit, repo_type="dataset")
        path = Path(found) if isinstance(found, str) else None
        return path if path is not None and path.stat().st_size == self.size else None

    def _fetch(self) -> Path:
        """Fetch the whole file into the hub library's cache; a part from an earlier try is continued."""
        what = f"file {self.path} of data set {self.dataset}"
        url = hf_hub_url(self.dataset, self.path, repo_type="dataset", revision=self.commit)
        # The library asks the same, but sits through whatever wait a server asks for.
        hub_call(what, self.dataset, partial(get_hf_file_metadata, url, timeout=TIMEOUT))
        download = partial(
            hf_hub_download,
            self.dataset,
            self.path,
            repo_type="dataset",
            revision=self.commit,
            etag_timeout=TIMEOUT,
            tqdm_class=_NoBar,
        )
        path = Path(hub_call(what, self.dataset, download))
        if not self._is_right(path):
            # It would be taken for good at the next run.
            path.resolve().unlink(missing_ok=True)
            path.unlink(missing_ok=True)
            raise DependencyError(f"{what}: its content is not what the hub lists; try again")
        return path

    def _is_right(self, path: Path) -> bool:
        if path.stat().st_size != self.size:
            return False
        with path.open("rb") as handle:
            if self.sha256:
                return hashlib.file_digest(handle, "sha256").hexdigest() == self.sha256
            if not self.git_sha1:
                return True
            blob = hashlib.sha1(f"blob {self.size}\0".encode(), usedforsecurity=False)
            while chunk := handle.read(_BUFFER):
                blob.update(chunk)
            return blob.hexdigest() == self.git_sha1


class _NoBar(tqdm):
    """The hub library's bars would break into ours."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **{**settings, "disable": True})  # type: ignore[no-untyped-call]
