"""What is remembered of the hub: a commit's list of files, and the newest commit seen of a branch.

A commit never changes, so its list may be kept for ever. The newest commit of a branch is used only when the
hub must not be asked (``HF_HUB_OFFLINE``).
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from urllib.parse import quote

from curator._errors import DependencyError, InputError
from curator._files import read_json, write_json
from curator.corpora.hub.repository import Listed
from curator.models.embedded import cache_folder


def stored_files(dataset: str, commit: str) -> tuple[Listed, ...] | None:
    """The files of a commit, when they were listed before."""
    # Anything unexpected in there is as good as nothing: it is asked for and written again.
    with contextlib.suppress(InputError, TypeError, KeyError):
        rows = read_json(_folder(dataset) / f"{commit}.json")["files"]
        return tuple(Listed(str(path), int(size), str(sha256), str(sha1)) for path, size, sha256, sha1 in rows)
    return None


def store_files(dataset: str, commit: str, files: tuple[Listed, ...]) -> None:
    """Remember the files of a commit."""
    rows = [[file.path, file.size, file.sha256, file.git_sha1] for file in files]
    _write(_folder(dataset) / f"{commit}.json", {"files": rows})


def stored_commit(dataset: str, revision: str) -> str | None:
    """The commit that a branch or tag was at when the hub was last asked."""
    with contextlib.suppress(InputError, TypeError, KeyError):
        return str(read_json(_folder(dataset) / "revisions" / f"{quote(revision, safe='')}.json")["commit"])
    return None


def store_commit(dataset: str, revision: str, commit: str) -> None:
    """Remember where a branch or tag is."""
    _write(_folder(dataset) / "revisions" / f"{quote(revision, safe='')}.json", {"commit": commit})


def _folder(dataset: str) -> Path:
    return cache_folder() / "hub" / quote(dataset, safe="")


def _write(path: Path, value: dict[str, object]) -> None:
    # A cache that cannot be written costs time at the next run and nothing else.
    with contextlib.suppress(DependencyError):
        write_json(path, value)
