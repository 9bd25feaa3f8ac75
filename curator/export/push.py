"""Publishing a set folder on the Hugging Face Hub."""

from __future__ import annotations

import fnmatch
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, constants, get_token
from huggingface_hub.errors import RepositoryNotFoundError
from huggingface_hub.utils import HFValidationError, validate_repo_id

from curator._errors import DependencyError, InputError, RefusedError
from curator._progress import Narrator
from curator.corpora.hub.calls import TIMEOUT, hub_call
from curator.corpora.hub.failures import host, page
from curator.corpora.hub.hub_file import HubFile
from curator.corpora.hub.hub_repository import list_files
from curator.corpora.hub.repository import Listed
from curator.export.folder import SET_FOLDER
from curator.export.push_failures import describe_push
from curator.export.push_plan import PushedFile, PushPlan

_BRANCH = "main"
# What a repository may hold before its first set: what the hub itself or a careful person puts there.
_BEFORE = {".gitattributes", ".gitignore", "README.md", "LICENSE", "LICENSE.md"}

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Pushed:
    """A set on the hub.

    Attributes:
        url: its page.
        commit: that holds it.
        tag: that names it.
        private: whether only its owner sees it.
        created: whether the repository is new.
        changed: files that the commit added or replaced; none when all was there.
        removed: files of an earlier state of the set that the commit took out.
    """

    url: str
    commit: str
    tag: str
    private: bool
    created: bool
    changed: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Step:
    """How the repository gets from what it holds to the set."""

    head: str
    add: tuple[PushedFile, ...]
    remove: tuple[str, ...]


def checked_repository(name: str) -> str:
    """``name`` as it is, when it is ``owner/name``.

    Raises:
        InputError: it is not.
    """
    try:
        validate_repo_id(name)
    except HFValidationError as error:
        raise InputError(f"--repo {name!r}: no name of the hub; write owner/name") from error
    if name.count("/") != 1:
        raise InputError(f"--repo {name!r}: has no owner; write owner/name, your account or an organisation first")
    return name


def push(plan: PushPlan, repository: str, public: bool, message: str, narrator: Narrator) -> Pushed:
    """Bring a set to the hub: one commit, and a tag named by the set's hash.

    What is there already is not sent again; a push that was stopped goes on. Files in the repository that are not
    of a set folder are left alone.

    Args:
        plan: the checked set.
        repository: ``owner/name``; made when there is none.
        public: whether everybody may see it.
        message: of the commit.
        narrator: told what is sent.

    Raises:
        InputError: the repository cannot be used so.
        RefusedError: it holds something else, is public, or was changed meanwhile.
        DependencyError: the network, the hub or its token.
    """
    if constants.is_offline_mode():
        raise DependencyError(f"data set {repository}: HF_HUB_OFFLINE is set; unset it to push, or use --dry-run")
    if get_token() is None:
        raise InputError(
            f"data set {repository}: not signed in; set HF_TOKEN to a token that may write, or run `hf auth login`"
        )
    api = HfApi()
    private, created = _opened(api, repository, public)
    done: list[_Step] = []
    commit = _call(repository, partial(_committed, api, plan, repository, message, narrator, done))
    _call(
        repository,
        lambda: api.create_tag(repository, tag=plan.tag, revision=commit, repo_type="dataset", exist_ok=True),
    )
    changed = tuple(file.path for step in done[-1:] for file in step.add)
    removed = tuple(name for step in done[-1:] for name in step.remove)
    return Pushed(page(repository), commit, plan.tag, private, created, changed, removed)


def _call(repository: str, call: Callable[[], Answer]) -> Answer:
    return hub_call(f"data set {repository}", repository, call, describe_push)


def _opened(api: HfApi, repository: str, public: bool) -> tuple[bool, bool]:
    """Whether the repository is private, and whether it was made just now."""

    def look() -> bool | None:
        try:
            return bool(api.dataset_info(repository, timeout=TIMEOUT).private)
        except RepositoryNotFoundError as error:
            # 401 is an unknown token, which is no reason to make anything.
            if error.response.status_code != 404:
                raise
            return None

    private = _call(repository, look)
    if private is None:
        _call(
            repository,
            lambda: api.create_repo(repository, repo_type="dataset", private=not public, exist_ok=True),
        )
        return not public, True
    if not private and not public:
        raise RefusedError(
            f"data set {repository}: is public already; add --public if everybody may see this set, or choose "
            "another --repo"
        )
    return private, False


def _committed(
    api: HfApi, plan: PushPlan, repository: str, message: str, narrator: Narrator, done: list[_Step]
) -> str:
    """The commit that holds the set. Looks anew at each try: the one before may have come through unseen."""
    head = api.dataset_info(repository, revision=_BRANCH, timeout=TIMEOUT).sha
    if head is None:
        raise OSError("the hub's answer has no commit")
    step = _step(plan, repository, head, list_files(repository, head))
    if not step.add and not step.remove:
        return head
    done.append(step)
    narrator.say(f"{len(step.add)} files, {sum(file.size for file in step.add):,} bytes, to {host()}")
    operations = [
        *(CommitOperationAdd(file.path, str(file.here)) for file in step.add),
        *(CommitOperationDelete(name) for name in step.remove),
    ]
    info = api.create_commit(
        repository,
        operations,
        commit_message=message,
        commit_description=f"Set hash (of the token ids): {plan.set_hash}",
        repo_type="dataset",
        revision=_BRANCH,
        parent_commit=head,
    )
    return info.oid


def _step(plan: PushPlan, repository: str, head: str, there: list[Listed]) -> _Step:
    names = {file.path: file for file in there}
    _refuse_other(plan, repository, head, names)
    changed = tuple(file for file in plan.files if not _is_same(file, names.get(file.path)))
    ours = {file.path for file in plan.files}
    # Left of an earlier state of this set; anything else in the repository is not ours to remove.
    stale = tuple(name for name in sorted(names) if name not in ours and _is_of_a_set(name))
    return _Step(head, changed, stale)


def _is_of_a_set(name: str) -> bool:
    return any(fnmatch.fnmatchcase(name.split("/")[0], pattern) for pattern in SET_FOLDER.names)


def _refuse_other(plan: PushPlan, repository: str, head: str, there: dict[str, Listed]) -> None:
    """Refuse a repository that holds another set, or no set but something."""
    manifest = there.get(SET_FOLDER.marker)
    if manifest is None:
        strange = sorted(set(there) - _BEFORE)
        if strange:
            raise RefusedError(
                f"data set {repository}: holds {strange[0][:80]} and no set; choose another --repo, or empty it"
            )
        return
    ours = next(file for file in plan.files if file.path == SET_FOLDER.marker)
    if _is_same(ours, manifest):
        return
    found = _name_of(HubFile(repository, head, manifest.path, manifest.size, manifest.sha256, manifest.git_sha1))
    if found != plan.name:
        raise RefusedError(
            f"data set {repository}: holds the set {found!r}, not {plan.name!r}; choose another --repo"
        )


def _name_of(manifest: HubFile) -> str | None:
    with manifest.open() as handle:
        try:
            content = json.loads(handle.read())
        except (ValueError, RecursionError):
            return None
    name = content.get("name") if isinstance(content, dict) else None
    return name if isinstance(name, str) else None


def _is_same(file: PushedFile, there: Listed | None) -> bool:
    if there is None or there.size != file.size:
        return False
    if there.sha256:
        return there.sha256 == file.sha256
    return there.git_sha1 == _git_sha1(file.here)


def _git_sha1(path: Path) -> str:
    """The name that git gives a content."""
    digest = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as handle:
        while chunk := handle.read(2**20):
            digest.update(chunk)
    return digest.hexdigest()
