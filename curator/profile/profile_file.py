"""Reading a frozen profile."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from curator._errors import InputError
from curator._files import file_sha256, read_json
from curator.profile.schema import KIND, VERSION, Profile

_HEAD = 200


def load_profile(path: Path) -> Profile:
    """Read what ``curate profile --out`` wrote.

    Raises:
        InputError: no such file, no profile, or one of another version.
    """
    held = read_json(path)
    if not isinstance(held, dict) or held.get("kind") != KIND:
        raise InputError(f"{path}: no profile; make one with `curate profile EVAL.jsonl --out {path.name}`")
    if held.get("version") != VERSION:
        raise InputError(f"{path}: a profile of version {held.get('version')}, not {VERSION}; make it again")
    try:
        return Profile.model_validate(held)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"{path}: {where}: {first['msg']}; make the profile again") from error


def is_profile(held: bytes) -> bool:
    """Whether a file that begins so is one of our profiles, of any version."""
    return held.startswith(b"{") and f'"kind": "{KIND}"'.encode() in held[:_HEAD]


def holds_profile(path: Path) -> bool:
    """Whether a file is one of our profiles; what cannot be read is none."""
    try:
        # A pipe without a writer would wait for ever.
        if not path.is_file():
            return False
        with path.open("rb") as handle:
            return is_profile(handle.read(_HEAD))
    except OSError:
        return False


def evaluation_of(profile: Profile, path: Path) -> Path | None:
    """The evaluation file of a profile, where it lies beside it unchanged; ``None`` elsewhere."""
    beside = path.parent / profile.file.name
    try:
        return beside if file_sha256(beside) == profile.file.sha256 else None
    except (InputError, OSError):
        return None
