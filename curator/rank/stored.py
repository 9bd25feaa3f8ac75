"""Results that a run finds again. What cannot be read is made again: it is all derived."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from curator._errors import InputError
from curator._files import file_sha256, read_json
from curator._seal import unsealed


def read_result(file: Path) -> dict[str, Any] | None:
    """A JSON object that a step left, or ``None`` when it is missing or damaged: see _seal.py."""
    if not file.is_file():
        return None
    try:
        value = read_json(file)
    except InputError:
        return None
    return unsealed(value) if isinstance(value, dict) else None


def ranked_draws(ranking: Mapping[str, Any]) -> list[int]:
    """Draws of the user's arms in a ranking that was read; none of what is no whole ranking."""
    draws = [arm.get("draws") for arm in ranking.get("arms", []) if arm.get("kind") == "user"]
    return [number for number in draws if isinstance(number, int)]


def read_table(file: Path, sha256: str | None = None) -> pd.DataFrame | None:
    """A table of scores that a step left, or ``None`` when it is missing or damaged.

    Args:
        file: in Parquet, which has no checksum of its own: a changed byte may be another score.
        sha256: of the file, where it was written down.
    """
    # Of a folder, pandas reads all that is in it.
    if not file.is_file():
        return None
    try:
        if sha256 is not None and file_sha256(file) != sha256:
            return None
        return pd.read_parquet(file)
    except (OSError, ValueError, KeyError, TypeError, MemoryError, InputError):
        return None
