"""A data set of the hub at one commit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx
from huggingface_hub import HfApi, constants, get_session, hf_raise_for_status
from huggingface_hub.hf_api import RepoFile
from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

from curator._errors import DependencyError
from curator.corpora.hub.calls import TIMEOUT, hub_call
from curator.corpora.hub.failures import OR_LOCAL
from curator.corpora.hub.hub_file import HubFile
from curator.corpora.hub.listing_store import store_commit, store_files, stored_commit, stored_files
from curator.corpora.hub.place import DatasetPlace
from curator.corpora.hub.repository import Listed
from curator.corpora.hub.state import NEWEST

_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class HubRepository:
    """See `Repository`."""

    name: str
    commit: str
    files: tuple[Listed, ...]
    notes: tuple[str, ...] = ()

    def source(self, file: Listed) -> HubFile:
        """See `Repository`."""
        return HubFile(self.name, self.commit, file.path, file.size, file.sha256, file.git_sha1)

    def revision(self, file: Listed) -> str:
        """See `Repository`."""
        return self.commit


def open_hub(place: DatasetPlace) -> HubRepository:
    """Find the commit and list its files.

    Raises:
        InputError: no such data set or revision.
        DependencyError: the hub cannot be asked, or refuses.
    """
    commit, notes = _commit(place)
    files = stored_files(place.id, commit)
    if files is None:
        files = tuple(sorted(list_files(place.id, commit)))
        store_files(place.id, commit, files)
    return HubRepository(place.id, commit, files, notes)


def _commit(place: DatasetPlace) -> tuple[str, tuple[str, ...]]:
    if place.revision is not None and _COMMIT.fullmatch(place.revision):
        return place.revision, ()
    revision = place.revision or NEWEST
    if constants.is_offline_mode():
        commit = stored_commit(place.id, revision)
        if commit is None:
            raise DependencyError(
                f"data set {place.id}: {revision} was never fetched here, and HF_HUB_OFFLINE is set; unset it, "
                f"{OR_LOCAL}"
            )
        return commit, (f"offline; {revision} is taken to be {commit}, as when it was last fetched",)
    what = f"data set {place.id}" + (f", revision {place.revision}" if place.revision else "")
    try:
        commit = hub_call(what, place.id, lambda: newest_commit(place.id, revision, TIMEOUT))
    except DependencyError as error:
        if stored_commit(place.id, revision) is None:
            raise
        raise DependencyError(f"{error}; or set HF_HUB_OFFLINE=1 to read what was fetched before") from error
    store_commit(place.id, revision, commit)
    return commit, (f"not pinned; write `revision: {commit}` to get the same text again",)


def newest_commit(dataset: str, revision: str, timeout: float) -> str:
    """Ask the hub, once, where a branch or tag is.

    Raises:
        httpx.HTTPError: what the hub library raises; see `describe`.
    """
    commit = HfApi().dataset_info(dataset, revision=revision, timeout=timeout).sha
    if commit is None:
        raise OSError("the hub's answer has no commit")
    return commit


def list_files(dataset: str, commit: str) -> list[Listed]:
    """All files of a data set at one commit, as the hub lists them.

    Raises:
        InputError: no such data set or revision.
        DependencyError: the hub cannot be asked, or refuses.
    """
    # The library's own listing has no timeout, and follows a server that asks to wait for an hour.
    url = httpx.URL(f"{constants.ENDPOINT}/api/datasets/{dataset}/tree/{commit}?recursive=true")
    found: list[Listed] = []
    while True:
        entries, query = hub_call(f"data set {dataset}, revision {commit}", dataset, partial(_page, url))
        found += [_listed(entry) for entry in entries if entry["type"] == "file"]
        if query is None:
            return found
        # Of the next page's address the question alone is taken: the token goes to the endpoint, nowhere else.
        url = url.copy_with(query=query)


def _page(url: httpx.URL) -> tuple[list[dict[str, Any]], bytes | None]:
    response = get_session().get(url, headers=build_hf_headers(), timeout=TIMEOUT, follow_redirects=True)
    hf_raise_for_status(response)
    following = response.links.get("next", {}).get("url")
    return response.json(), httpx.URL(following).query if following else None


def _listed(entry: dict[str, Any]) -> Listed:
    file = RepoFile(**entry)  # type: ignore[no-untyped-call]
    if file.lfs is not None:
        return Listed(file.path, file.lfs.size, sha256=file.lfs.sha256)
    return Listed(file.path, file.size, git_sha1=file.blob_id)
