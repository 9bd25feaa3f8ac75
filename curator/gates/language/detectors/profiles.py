"""The language profiles of langdetect, in one order on every machine."""

from __future__ import annotations

import importlib.util
from pathlib import Path


def profiles() -> list[str]:
    """JSON of each profile, sorted by name.

    The library's own loading takes them in the file system's order, and the last bits of its probabilities
    hang on that.

    Raises:
        ModuleNotFoundError: langdetect is not installed.
    """
    spec = importlib.util.find_spec("langdetect")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("No module named 'langdetect'")
    folder = Path(spec.origin).with_name("profiles")
    return [path.read_text(encoding="utf-8") for path in sorted(folder.iterdir()) if not path.name.startswith(".")]
