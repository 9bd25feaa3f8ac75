"""`curate` as typed, for the steps that a user would type too."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from curator._errors import DependencyError

_CURATE = (sys.executable, "-c", "from curator.cli.main import main; main()")


def curate(*words: object) -> str:
    """Run a command; its progress goes to standard error.

    Returns:
        What it printed.

    Raises:
        DependencyError: it failed; its own words are on standard error.
    """
    typed = [str(word) for word in words]
    done = subprocess.run([*_CURATE, *typed], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise DependencyError(f"curate {' '.join(typed)}: ended with {done.returncode}; its reason is above")
    return done.stdout


def sift(file: Path, recipe: Path) -> list[dict[str, Any]]:
    """What the gates of a recipe say of every row of a file."""
    return [json.loads(line) for line in curate("sift", file, "--recipe", recipe, "--json").splitlines()]
