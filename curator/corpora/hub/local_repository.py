"""A local folder with the hub's layout."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from curator._errors import InputError
from curator.corpora.fingerprint import content_id
from curator.corpora.hub.place import DatasetPlace
from curator.corpora.hub.repository import Listed
from curator.corpora.rows.byte_source import LocalFile


@dataclass(frozen=True, slots=True)
class LocalRepository:
    """See `Repository`. Files are read where they lie, each time anew: nothing of them is cached."""

    name: str
    folder: Path
    files: tuple[Listed, ...]
    commit: str = ""
    notes: tuple[str, ...] = ()

    def source(self, file: Listed) -> LocalFile:
        """See `Repository`."""
        return LocalFile(self.folder / file.path, f"{self.name.rstrip('/')}/{file.path}").stamped()

    def revision(self, file: Listed) -> str:
        """See `Repository`."""
        return content_id(self.folder / file.path)


def local_folder(dataset: str, folder: Path) -> Path | None:
    """The folder that ``dataset`` names, seen from ``folder``; ``None`` when it names a data set of the hub.

    Raises:
        InputError: it is written as a path, and there is no such folder.
    """
    path = folder / os.path.expanduser(dataset)
    if path.is_dir():
        return path
    if path.is_file():
        raise InputError(f"data set {dataset}: is a file; name it as a source of its own (files: {dataset})")
    if dataset.startswith((".", "/", "~")) or dataset.count("/") > 1:
        raise InputError(f"data set {dataset}: no such folder; give an id of the hub (owner/name) or a folder")
    return None


def open_local(place: DatasetPlace, folder: Path) -> LocalRepository:
    """List the files of a local data set.

    Raises:
        InputError: a revision was asked for, or the folder cannot be listed.
    """
    if place.revision is not None:
        raise InputError(f"data set {place.id}: a local folder has no revisions; leave `revision` out")
    # A path such as `.` does not say what the data set is called.
    name = place.id if Path(place.id).name not in {"", "..", "~"} else str(folder.resolve())
    return LocalRepository(name, folder, tuple(sorted(_listed(place.id, folder))))


def _listed(name: str, folder: Path) -> list[Listed]:
    found = []

    def refuse(error: OSError) -> None:
        raise InputError(f"data set {name}: cannot be listed ({error.strerror})") from error

    for place, folders, files in os.walk(folder, onerror=refuse):
        # Version control and caches are no data; a hidden folder is not read on the hub either.
        folders[:] = sorted(entry for entry in folders if not entry.startswith((".", "__")))
        for file in files:
            path = Path(place, file)
            if path.is_file():
                found.append(Listed(path.relative_to(folder).as_posix(), path.stat().st_size))
    return found
