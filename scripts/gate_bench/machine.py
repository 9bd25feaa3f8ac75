"""What a figure was measured on: date, versions, machine; no names."""

from __future__ import annotations

import datetime
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

_PACKAGES = (
    "langdetect", "langdetect-rs", "py3langid", "rensa", "sentence-transformers", "tokenizers", "transformers",
    "torch", "numpy", "phonenumbers", "dataset_build",
)  # fmt: skip


def conditions(seed: int) -> dict[str, Any]:
    """Date, versions of what is measured, and the machine in words."""
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "seed": seed,
        "machine": f"{os.cpu_count()} cores, {_processor()}, {platform.system()}",
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        "versions": {name: found for name in _PACKAGES if (found := _version(name))},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as handle:
            for line in handle:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.machine()
