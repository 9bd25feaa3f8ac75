"""Values that an interrupted run finds again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator._files import write_json
from curator.rank.stored import read_result


class Measured:
    """KL a prompt under a name, in one JSON file that is written whole after each.

    Args:
        file: where.
        key: a hash of all that the values depend on; values under another key are dropped.
    """

    def __init__(self, file: Path, key: str) -> None:
        self._file = file
        self._key = key
        stored = read_result(file) or {}
        values: Any = stored.get("values") if stored.get("key") == key else None
        self._values: dict[str, list[float]] = values if isinstance(values, dict) else {}

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        return np.array(self._values[name], dtype=np.float64)

    def add(self, name: str, values: NDArray[np.float64]) -> None:
        """Keep the values of one measurement."""
        self._values[name] = values.tolist()
        write_json(self._file, {"key": self._key, "values": self._values})
