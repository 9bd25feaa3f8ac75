"""Runs a command as the parent of all that it leaves behind, and writes what all of it cost; Linux only.

A fork server, say, ends after the command that started it, and no one waits for it: its processor time and that of
the workers under it are in no count of the command's own.

Arguments: the file for the report, the command and its arguments. Exits as the command does.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

_SET_CHILD_SUBREAPER = 36
_PATIENCE_SECONDS = 30.0


def main() -> None:
    """Run it."""
    report, *command = sys.argv[1:]
    if ctypes.CDLL(None, use_errno=True).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise SystemExit(f"reaper: prctl failed with {ctypes.get_errno()}")
    started = time.monotonic()
    code = subprocess.run(command, check=False).returncode
    wall = time.monotonic() - started
    _wait_for_all()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    Path(report).write_text(json.dumps({"cpu": used.ru_utime + used.ru_stime, "wall": wall}), encoding="utf-8")
    sys.exit(code if code >= 0 else 128 - code)


def _wait_for_all() -> None:
    end = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < end:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.02)
        except ChildProcessError:
            return
    raise SystemExit("reaper: what the command left behind does not end")


if __name__ == "__main__":
    main()
