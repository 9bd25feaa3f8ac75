"""`scripts/sglang-cpu start` calls the package's own launcher, with its arguments for a CPU."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from tests.serve.real_server import PARTS, ROOT

START = ROOT / "curator" / "serve" / "launch" / "start_server.py"


def test_start_hands_over_to_the_packages_launcher(tmp_path: Path, tiny_model: Path) -> None:
    python = tmp_path / "env" / "bin" / "python"
    python.parent.mkdir(parents=True)
    # Runs what stands in the package, and shows what would be started.
    shown = 'echo "$SGLANG_USE_CPU_ENGINE $HF_HUB_OFFLINE ${PYTHONPATH:-none} $*"'
    python.write_text(f'#!/bin/sh\nif [ "$1" = -m ]; then exec {sys.executable} "$@"; fi\n{shown}\n')
    python.chmod(0o755)
    pins = b"".join((PARTS / name).read_bytes() for name in ("requirements.txt", "requirements-nodeps.txt"))
    pins += (ROOT / "scripts" / "constraints-sglang.txt").read_bytes()
    version = subprocess.run([sys.executable, "--version"], capture_output=True, check=True).stdout
    (tmp_path / "env" / ".curate-stamp").write_text(hashlib.sha256(pins + version).hexdigest() + "\n")
    environment = {name: text for name, text in os.environ.items() if name not in ("PYTHONPATH", "HF_HUB_OFFLINE")}
    environment |= {"CURATE_SGLANG_ENV": str(tmp_path / "env"), "CURATE_SGLANG_PYTHON": sys.executable}
    command = [
        ROOT / "scripts" / "sglang-cpu",
        "start",
        tiny_model,
        "--port",
        "7",
        "--dtype=bfloat16",
        "--a",
        "b c",
    ]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    place = f"--model-path {tiny_model} --host 127.0.0.1"
    cpu = "--device cpu --attention-backend torch_native --max-total-tokens 65536 --max-running-requests 32"
    given = "--sleep-on-idle --port 7 --dtype=bfloat16 --a b c"
    assert result.stdout == f"1 1 none {START} {place} {cpu} {given}\n"
