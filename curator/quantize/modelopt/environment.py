"""The environment that ModelOpt runs in, and what it can do there."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from curator._errors import DependencyError, InputError
from curator.recipe.quantize_settings import QuantizeSettings

VARIABLE = "CURATE_MODELOPT_ENV"
SETUP = "scripts/modelopt-env setup makes one"
START = Path(__file__).with_name("start.py")
# Beside the package: what scripts/modelopt-env makes in a checkout.
_DEFAULT = Path(__file__).resolve().parents[3] / ".venv-modelopt"


def modelopt_python(environment: Mapping[str, str] = os.environ) -> Path:
    """The interpreter that has ModelOpt: of the environment in ``$CURATE_MODELOPT_ENV``, else of ours.

    Raises:
        DependencyError: there is none.
    """
    folder = Path(environment[VARIABLE]) if environment.get(VARIABLE) else _DEFAULT
    python = folder / "bin" / "python"
    if not os.access(python, os.X_OK):
        named = f"${VARIABLE}: " if environment.get(VARIABLE) else ""
        raise DependencyError(
            f"{named}no environment with NVIDIA ModelOpt in {folder}; {SETUP}, or name another in ${VARIABLE}"
        )
    return python


def check_runs(settings: QuantizeSettings, devices: Sequence[str]) -> None:
    """Refuse what ModelOpt does not do, or does not run on.

    Raises:
        InputError: all experts are to see all tokens, which it does for some classes only and does not tell.
        DependencyError: the method needs a GPU, or several were named.
    """
    if settings.experts == "all":
        raise InputError(
            f"method {settings.method} takes no `experts: all`; take refuse or report, or llm-compressor's methods"
        )
    if "gpu" in settings.about.traits and "cpu" in devices:
        raise DependencyError(
            f"method {settings.method} needs an NVIDIA GPU: ModelOpt runs NVFP4 weights on CUDA alone; without "
            "one take modelopt-max, or a method of llm-compressor"
        )
    if len(devices) > 1:
        raise DependencyError(
            f"method {settings.method} runs on one GPU, not on {', '.join(devices)}; give --device {devices[0]}"
        )
