"""Whether a result that an earlier run left on the disk can be one: what cannot is measured again."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from curator.measure.lists_file import NAMES, Arrays, unpack

# Kinds of numbers (as numpy writes them) and dimensions, by name.
Shapes = Mapping[str, tuple[str, int]]
_LISTS: Shapes = {"first": ("f", 1), "falls": ("u", 3), "ids": ("u", 3), "chosen": ("f", 1)}
_CONTINUATION: Shapes = {"new": ("iu", 1), "finished": ("b", 0)}


def has_shapes(arrays: Arrays, shapes: Shapes) -> bool:
    """Whether all the names are there, each with numbers of its kind in so many dimensions."""
    return all(
        name in arrays and arrays[name].dtype.kind in kinds and arrays[name].ndim == dimensions
        for name, (kinds, dimensions) in shapes.items()
    )


def is_whole(arrays: Arrays, name: str, least: int, most: int) -> bool:
    """Whether ``name`` is one whole number in a range."""
    return has_shapes(arrays, {name: ("iu", 0)}) and least <= int(arrays[name]) <= most


def is_continuation(arrays: Arrays, most: int, vocabulary: int) -> bool:
    """Whether ``new`` and ``finished`` are what a model can have written: up to ``most`` known ids."""
    if not has_shapes(arrays, _CONTINUATION):
        return False
    new: NDArray[np.int64] = arrays["new"]
    return 0 < len(new) <= most and int(new.min()) >= 0 and int(new.max()) < vocabulary


def is_lists(arrays: Arrays, rows: int) -> bool:
    """Whether the arrays of `lists_file.pack` are there, for so many tokens."""
    if not has_shapes(arrays, _LISTS) or not np.isfinite(arrays["first"]).all():
        return False
    try:
        return len(unpack({name: arrays[name] for name in NAMES}).chosen) == rows
    except (ValueError, IndexError):
        return False
