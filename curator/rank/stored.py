"""Results that a run finds again. What cannot be read is made again: it is all derived."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from curator._errors import InputError
from curator._files import read_json


def read_result(file: Path) -> dict[str, Any] | None:
    """A JSON object that a step left, or ``None`` when it is missing or damaged."""
    if not file.is_file():
        return None
    try:
        value = read_json(file)
    except InputError:
        return None
    return value if isinstance(value, dict) else None


def read_table(file: Path) -> pd.DataFrame | None:
    """A table of scores that a step left, or ``None`` when it is missing or damaged."""
    try:
        return pd.read_parquet(file)
    except (OSError, ValueError, KeyError):
        return None
