"""Which model a folder holds, without reading all of it."""

from __future__ import annotations

import hashlib
from pathlib import Path

_EDGE = 1 << 20


def model_fingerprint(folder: Path) -> str:
    """Hash of the weight files' names, sizes and first and last MiB, and of config.json.

    A weight changed only in the middle of a file of more than 2 MiB goes unseen; reading hundreds of
    gigabytes at every start would be worse.
    """
    digest = hashlib.sha256()
    for file in sorted([folder / "config.json", *folder.glob("*.safetensors")]):
        size = file.stat().st_size
        digest.update(f"{file.name}:{size}".encode())
        with file.open("rb") as handle:
            digest.update(handle.read(_EDGE))
            handle.seek(max(size - _EDGE, 0))
            digest.update(handle.read(_EDGE))
    return digest.hexdigest()
