"""Where the recipes and corpus cards that ship with Curate are."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from curator._errors import DependencyError

_PACKAGE = Path(__file__).resolve().parent


def shipped(kind: Literal["recipes", "corpora"]) -> Path:
    """Find the folder of shipped ``recipes`` or ``corpora``.

    In an installed wheel it lies inside the package; in a checkout (or an editable install) it is the
    repository's folder of the same name.

    Raises:
        DependencyError: neither is there; the installation is broken.
    """
    inside = _PACKAGE / "_shipped" / kind
    if inside.is_dir():
        return inside
    checkout = _PACKAGE.parent
    # Without the check for pyproject.toml another project's `corpora` beside ours in site-packages would do.
    if (checkout / "pyproject.toml").is_file() and (checkout / kind).is_dir():
        return checkout / kind
    raise DependencyError(f"{inside}: the folder that ships with Curate is missing; install curate-nvfp4 again")
