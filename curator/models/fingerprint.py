"""Which model a folder holds, without reading all of it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from curator._errors import InputError
from curator.models.regular_files import refuse_irregular

_EDGE = 1 << 20


def model_fingerprint(folder: Path) -> str:
    """Hash of the weight files' names, sizes and first and last MiB, and of config.json.

    A weight changed only in the middle of a file of more than 2 MiB goes unseen; reading hundreds of
    gigabytes at every start would be worse.

    Raises:
        InputError: a file cannot be read, such as a link into a cache that is gone.
    """
    refuse_irregular(folder)
    digest = hashlib.sha256()
    for file in sorted([folder / "config.json", *folder.glob("*.safetensors")]):
        try:
            _add(digest, file)
        except OSError as error:
            raise InputError(f"{file}: cannot be read ({error.strerror}); fetch the model again") from error
    return digest.hexdigest()


def _add(digest: hashlib._Hash, file: Path) -> None:
    size = file.stat().st_size
    digest.update(f"{file.name}:{size}".encode("utf-8", "surrogateescape"))
    with file.open("rb") as handle:
        digest.update(handle.read(_EDGE))
        handle.seek(max(size - _EDGE, 0))
        digest.update(handle.read(_EDGE))
