"""Output folders that would take the place of what a command reads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from curator._errors import InputError


def refuse_overlap(written: Mapping[str, Path | None], read: Mapping[str, Path | None]) -> None:
    """Refuse an output folder that is, or contains, another folder of the command.

    Args:
        written: output folders, each by what the user calls it.
        read: folders that are read.

    Raises:
        InputError: names both.
    """
    outputs = {name: path.resolve() for name, path in written.items() if path is not None}
    inputs = {name: path.resolve() for name, path in read.items() if path is not None}
    for name, mine in outputs.items():
        for other, path in {**outputs, **inputs}.items():
            if other != name and path.is_relative_to(mine):
                raise InputError(f"{name} is or contains {other}, which writing it would remove; keep them apart")
