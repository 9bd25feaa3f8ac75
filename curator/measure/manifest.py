"""The manifest of a baseline folder, checked before anything is believed of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from curator._errors import InputError
from curator._files import file_sha256, read_json
from curator.measure.baseline_settings import Phase

FORMAT_VERSION = 3
MANIFEST = "baseline.json"
AGAIN = "take the baseline again with `curate baseline`"
_STRICT = ConfigDict(strict=True, extra="ignore")
# Above any vocabulary: an id is four bytes.
_IDS = 2**31 - 1
_Text = Annotated[str, Field(min_length=1)]
_Count = Annotated[int, Field(ge=1, le=_IDS)]


class _Settings(BaseModel):
    model_config = _STRICT
    top_k: _Count


class _Size(BaseModel):
    model_config = _STRICT
    phases: list[Phase]
    achieved: _Count | None = None
    full: bool = False
    followed: list[Annotated[int, Field(ge=0)]] | None = None


class _Prompt(BaseModel):
    model_config = _STRICT
    id: str
    task: str
    corpus: str


class _Mass(BaseModel):
    model_config = _STRICT
    mean: float
    least: float


class _Manifest(BaseModel):
    """What is read of ``baseline.json``; see ``collect`` for all that is in it."""

    model_config = _STRICT
    format: int
    server: dict[str, str]
    weights: _Text
    tokenizer: _Text
    vocabulary: _Count
    settings: _Settings
    sizes: Annotated[dict[Annotated[str, Field(pattern=r"^[1-9][0-9]{0,8}$")], _Size], Field(min_length=1)]
    mass: dict[str, _Mass]
    notes: list[str]
    prompts: Annotated[list[_Prompt], Field(min_length=1)]
    files: dict[str, Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]]


def read_manifest(folder: Path) -> dict[str, Any]:
    """``baseline.json``, as it is.

    Raises:
        InputError: missing, of another version, or a value that cannot be; names the value.
    """
    if not (folder / MANIFEST).exists():
        raise InputError(f"{folder}: holds no baseline; take one with `curate baseline --out {folder}`")
    value: Any = read_json(folder / MANIFEST)
    if not isinstance(value, dict) or value.get("format") != FORMAT_VERSION:
        raise InputError(f"{folder}: a baseline of another version; {AGAIN}")
    try:
        _Manifest.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{folder / MANIFEST}: {place}: {first['msg']}; {AGAIN}") from error
    return value


def hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of each array file of a folder, by name."""
    return {file.name: file_sha256(file) for file in sorted(folder.glob("*.np[yz]"))}


def check_file(folder: Path, manifest: dict[str, Any], name: str) -> Path:
    """The path of a file that is the one that was written with the manifest.

    Raises:
        InputError: missing, damaged, or of another baseline.
    """
    file = folder / name
    try:
        found = file_sha256(file)
    except InputError as error:
        raise InputError(f"{error}; {AGAIN}") from error
    if found != manifest["files"].get(name):
        raise InputError(f"{file}: damaged or of another baseline (its SHA-256 is not in {MANIFEST}); {AGAIN}")
    return file
