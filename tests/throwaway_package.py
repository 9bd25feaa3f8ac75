"""A package that adds something to curate, as pip leaves it, and the command in a process that sees it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def install(folder: Path, group: str, entry: str, text: str, *, name: str = "mine", version: str = "1.0") -> Path:
    """Write the one module ``name`` with its entry point, such as ``capitals = mine:GATE``; returns the folder."""
    facts = folder / f"{name}-1.0.dist-info"
    facts.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_text(text)
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (facts / "entry_points.txt").write_text(f"[curate.{group}]\n{entry}\n")
    return folder


def python(folder: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Code in a process that sees the package."""
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
    )


def curate(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command in a process that sees the package."""
    return python(folder, "from curator.cli.main import main; main()", *arguments)
