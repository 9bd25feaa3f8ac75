"""The Python that has SGLang: its pins and those of the quantiser do not fit into one environment."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from curator._errors import DependencyError, InputError

PYTHON_VARIABLE, ENVIRONMENT_VARIABLE = "CURATE_SERVER_PYTHON", "CURATE_SGLANG_ENV"
SETUP = "scripts/sglang-cpu setup makes an environment for the CPU"
# Beside the package: what scripts/sglang-cpu makes in a checkout.
_DEFAULT = Path(__file__).resolve().parents[3] / ".venv-sglang"
_SECONDS = 60.0
# Nothing heavy is imported: torch's version file alone says for which kind of device it was built.
_ASK = """
import importlib.metadata, importlib.util, json, runpy
def version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "unknown" if importlib.util.find_spec(name) else ""
spec = importlib.util.find_spec("torch")
file = spec.origin.replace("__init__.py", "version.py") if spec and spec.origin else ""
cuda = runpy.run_path(file).get("cuda") if file else None
print(json.dumps({"sglang": version("sglang"), "torch": version("torch"), "cuda": cuda or ""}))
"""


@dataclass(frozen=True, slots=True)
class Installed:
    """What an interpreter has.

    Attributes:
        python: the interpreter.
        sglang: version of SGLang.
        torch: version of torch.
        cuda: version of CUDA that torch was built for; empty for a CPU build.
    """

    python: Path
    sglang: str
    torch: str
    cuda: str


def server_python(named: Path | None = None, environment: Mapping[str, str] = os.environ) -> Path:
    """The interpreter that is to run a server.

    Args:
        named: by the user: an interpreter, or the folder of an environment.
        environment: may name one in ``CURATE_SERVER_PYTHON``, or the folder in ``CURATE_SGLANG_ENV``.

    Raises:
        InputError: what is named is no interpreter.
        DependencyError: none is named, and none is found.
    """
    for source, place in (
        ("--server-python", named),
        (f"${PYTHON_VARIABLE}", environment.get(PYTHON_VARIABLE)),
        (f"${ENVIRONMENT_VARIABLE}", environment.get(ENVIRONMENT_VARIABLE)),
    ):
        if place:
            python = _inside(Path(place).expanduser())
            if python is None:
                raise InputError(
                    f"{source} {place}: no Python there; name an interpreter, or an environment's folder"
                )
            return python
    python = _inside(_DEFAULT)
    if python is not None:
        return python
    if importlib.util.find_spec("sglang") is not None:
        return Path(sys.executable)
    raise DependencyError(
        f"no Python with SGLang; {SETUP}, or install it into an environment of its own and name that in "
        f"--server-python or ${PYTHON_VARIABLE}"
    )


def _inside(place: Path) -> Path | None:
    # Not resolved: a link is what makes an environment's interpreter find its packages.
    python = place / "bin" / "python" if place.is_dir() else place
    return python.absolute() if python.is_file() and os.access(python, os.X_OK) else None


def installed_in(python: Path) -> Installed:
    """Ask an interpreter what it has.

    Raises:
        DependencyError: it has no SGLang, or does not answer.
    """
    try:
        asked = subprocess.run(
            [python, "-c", _ASK], capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DependencyError(f"{python}: cannot be run ({error}); name another in --server-python") from error
    try:
        found = json.loads(asked.stdout.strip().rpartition("\n")[2])
    except json.JSONDecodeError as error:
        last = (asked.stderr.strip() or "it printed nothing").rpartition("\n")[2][:200]
        raise DependencyError(
            f"{python}: is no usable Python ({last}); name another in --server-python"
        ) from error
    if not found["sglang"]:
        raise DependencyError(
            f"{python}: has no SGLang; {SETUP}, or name another interpreter in --server-python or "
            f"${PYTHON_VARIABLE}"
        )
    return Installed(python, found["sglang"], found["torch"], found["cuda"])
