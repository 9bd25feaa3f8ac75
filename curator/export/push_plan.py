"""What of a set folder would be published, and whether it may be."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator._errors import InputError, RefusedError
from curator._files import file_sha256
from curator.adapters.stored_set import StoredSet, read_set, set_sha256
from curator.export.hub_metadata import LICENCE_FILE
from curator.export.redistribution import not_passed_on

# pool.parquet and report.html stay here: they quote what the gates refused (evaluation items, personal data,
# licences). `dataset/` is the library's own layout on a disk, which the hub does not read.
PUBLISHED = ("README.md", LICENCE_FILE, "manifest.json", "recipe.yaml", "samples.jsonl", "samples.parquet")
NEEDED = tuple(name for name in PUBLISHED if name != "samples.parquet")
_LOCAL = re.compile(r"(?:/|~|[A-Za-z]:\\|file:).")
_SECRET = re.compile(r"://[^/\s@]*:[^/\s@]+@|\bhf_[A-Za-z0-9]{20,}|\bsk-[A-Za-z0-9_-]{20,}")


@dataclass(frozen=True, slots=True)
class PushedFile:
    """A file to publish.

    Attributes:
        path: its name in the repository.
        here: where it is.
        size: bytes.
        sha256: of its content.
    """

    path: str
    here: Path
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class PushPlan:
    """A checked set folder.

    Attributes:
        name: the set's.
        set_hash: of its token ids.
        files: what is published, by name.
        licences: sequences in which text under each licence is, most first.
        warnings: what to look at before it is public.
    """

    name: str
    set_hash: str
    files: tuple[PushedFile, ...]
    licences: dict[str, int]
    warnings: tuple[str, ...]

    @property
    def tag(self) -> str:
        """The tag that names the set by its content."""
        return f"set-{self.set_hash[:16]}"


def plan_push(folder: Path, allow: Collection[str] = ()) -> PushPlan:
    """Check a set folder for publishing.

    Args:
        folder: the set's.
        allow: licences that the user has cleared for passing on.

    Raises:
        InputError: it is no set folder, or its parts do not belong together.
        RefusedError: a licence does not let its text be passed on, or a file holds a secret.
    """
    stored = read_set(folder)
    name = stored.manifest.get("name")
    if not isinstance(name, str):
        raise InputError(f"{folder / 'manifest.json'}: has no name; push a set that `curate build` made")
    missing = [file for file in NEEDED if not (folder / file).is_file()]
    if missing:
        raise InputError(f"{folder}: {missing[0]} is missing; build the set again")
    _check_parquet(folder / "samples.parquet", stored)
    licences = _licences(folder, stored.manifest)
    _check_licences(folder, licences, allow)
    _check_secrets(folder)
    files = tuple(_file(folder, file) for file in PUBLISHED if (folder / file).is_file())
    return PushPlan(name, stored.manifest["set_hash"], files, licences, tuple(_warnings(stored.manifest)))


def _file(folder: Path, name: str) -> PushedFile:
    path = folder / name
    return PushedFile(name, path, path.stat().st_size, file_sha256(path))


def _check_parquet(path: Path, stored: StoredSet) -> None:
    if not path.is_file():
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path, columns=["input_ids", "text"]).to_pydict()
        same = set_sha256(table["input_ids"]) == stored.manifest["set_hash"] and table["text"] == stored.texts
    except (pa.ArrowException, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: is not a set's table; build the set again") from error
    if not same:
        raise InputError(f"{path}: holds other rows than samples.jsonl; build the set again")


def _licences(folder: Path, manifest: dict[str, Any]) -> dict[str, int]:
    """Sequences by licence: of the rows themselves, and of what the manifest adds to them."""
    counts: Counter[str] = Counter()
    place = folder / "samples.jsonl"
    with place.open("rb") as handle:
        for number, line in enumerate(handle, start=1):
            try:
                counts.update({str(part["licence"]) for part in json.loads(line)["parts"]})
            except (KeyError, TypeError) as error:
                raise InputError(
                    f"{place}:{number}: does not name its documents' licences; push a set that `curate build` made"
                ) from error
    listed = manifest.get("documents")
    for document in listed if isinstance(listed, list) else []:
        if isinstance(document, dict):
            counts.setdefault(str(document.get("licence")), 0)
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def _check_licences(folder: Path, licences: Collection[str], allow: Collection[str]) -> None:
    refused = {name: why for name in licences if (why := not_passed_on(name, allow)) is not None}
    if not refused:
        return
    name, why = next(iter(refused.items()))
    others = f" ({len(refused) - 1} more: {', '.join(list(refused)[1:4])})" if len(refused) > 1 else ""
    raise RefusedError(
        f"{folder}: text under {name!r}, which {why}{others}; build without it "
        f"(gates: {{licence: {{forbid: [...]}}}}) or, when you may, add --allow {name!r}"
    )


def _check_secrets(folder: Path) -> None:
    """Recipes and manifests may repeat what somebody wrote into an address."""
    for name in ("recipe.yaml", "manifest.json", "README.md"):
        for number, line in enumerate((folder / name).read_text("utf-8", "replace").splitlines(), start=1):
            if _SECRET.search(line):
                raise RefusedError(
                    f"{folder / name}:{number}: holds a token or an address with a password; take it out of the "
                    "recipe and build the set again"
                )


def _warnings(manifest: dict[str, Any]) -> Iterator[str]:
    recipe = manifest.get("recipe")
    local = sorted(set(_local_paths(recipe)))
    if local:
        more = f" and {len(local) - 1} more" if len(local) > 1 else ""
        yield f"recipe.yaml and manifest.json name {local[0]}{more}, a path of this machine"
    gates = recipe.get("gates") if isinstance(recipe, dict) else None
    if not (isinstance(gates, dict) and gates.get("personal_data")):
        yield "nobody looked for personal data: the gate personal_data was off"


def _local_paths(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _local_paths(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _local_paths(inner)
    elif isinstance(value, str) and _LOCAL.match(value) and "\n" not in value:
        yield value
