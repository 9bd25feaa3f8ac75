"""A list of files as a file system, so that ``datasets`` resolves its patterns without a hub or a disk."""

from __future__ import annotations

from typing import Any

import fsspec  # type: ignore[import-untyped]

PROTOCOL = "curate-listing"
ROOT = f"{PROTOCOL}://repository"


class ListingFileSystem(fsspec.AbstractFileSystem):  # type: ignore[misc]
    """Names and nothing else.

    Args:
        paths: the files, with ``/``.
    """

    protocol = PROTOCOL
    # Cached instances are told apart by hashing all their arguments.
    cachable = False

    def __init__(self, paths: tuple[str, ...] = (), **settings: Any) -> None:
        super().__init__(**settings)
        self._folders: dict[str, dict[str, str]] = {"repository": {}}
        for path in paths:
            parts = ["repository", *path.split("/")]
            for depth in range(1, len(parts)):
                entries = self._folders.setdefault("/".join(parts[:depth]), {})
                entries["/".join(parts[: depth + 1])] = "file" if depth == len(parts) - 1 else "directory"

    def ls(self, path: str, detail: bool = True, **_settings: Any) -> list[Any]:
        """Entries of a folder, as fsspec wants them."""
        path = self._strip_protocol(path).rstrip("/")
        if path in self._folders:
            entries = self._folders[path]
        else:
            entries = {path: self._folders.get(path.rpartition("/")[0], {}).get(path, "")}
            if not entries[path]:
                raise FileNotFoundError(path)
        rows = [{"name": name, "type": kind, "size": 0} for name, kind in entries.items()]
        return rows if detail else [row["name"] for row in rows]


fsspec.register_implementation(PROTOCOL, ListingFileSystem, clobber=True)
