"""The log of a quantiser's process, which outlives a failure."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path


def keep_log(log: Path, out: Path) -> Path:
    """Copy a log beside a checkpoint that was not made, over no file that is there.

    Args:
        log: in a folder that will go.
        out: the checkpoint folder.

    Returns:
        The copy: the first free name of ``OUT.log``, ``OUT.2.log`` and so on.

    Raises:
        OSError: it cannot be written.
    """
    for number in itertools.count(1):
        name = f"{out.name}.log" if number == 1 else f"{out.name}.{number}.log"
        place = out.absolute().with_name(name)
        try:
            with log.open("rb") as source, place.open("xb") as copy:
                shutil.copyfileobj(source, copy)
        except FileExistsError:
            continue
        return place
    raise AssertionError("there are more numbers than files")
