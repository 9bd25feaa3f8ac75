"""What verbs read of a set's manifest, which may be a stranger's: every value is checked before it is used."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from curator._errors import InputError

# Beyond it are only numbers that nothing can be computed with.
_Count = Annotated[int, Field(ge=0, lt=2**63)]


class _Checked(BaseModel):
    # Strict: the values are used as the file has them, so that "3" must not pass for 3.
    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class _Tokenizer(_Checked):
    fingerprint: str = ""
    ids_fingerprint: str | None = None


class _Cut(_Checked):
    pieces: _Count
    tokens: _Count


class _Document(_Checked):
    id: str
    cut_tokens: _Count | None = None


class _Recipe(_Checked):
    model: str | None = None


class _Manifest(_Checked):
    """All of it may be missing: older manifests have less, and those of random tokens hardly anything."""

    name: str | None = None
    draw: _Count | None = None
    set_hash: str
    asked: dict[str, float] = {}
    tokenizer: _Tokenizer = _Tokenizer()
    policy: dict[str, Any] = {}
    documents: list[_Document] = []
    cut: _Cut | None = None
    encoding_notes: dict[str, _Count] = {}
    warnings: list[str] = []
    recipe: _Recipe = _Recipe()


def check_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Refuse a manifest that holds something of another type than its readers take.

    Args:
        folder: the set's.
        manifest: its manifest.json.

    Raises:
        InputError: names the file, the key and the value.
    """
    from curator.recipe.faults import schema_faults

    try:
        _Manifest.model_validate(manifest)
    except ValidationError as error:
        _, what = schema_faults(manifest, error)[0]
        raise InputError(f"{folder / 'manifest.json'}: {what}; build the set again") from error
