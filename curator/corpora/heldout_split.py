"""Which units of a source are kept for held-out prompts."""

from __future__ import annotations

from curator._seed import stable_hash

_LABEL = "heldout-v1"
_ONE_IN = 4


def is_heldout(unit: str) -> bool:
    """Whether ``unit`` (a package, a module, a book) belongs to the held-out quarter.

    The answer depends on the unit's name only: never on a seed, a recipe or what else is installed, so
    that prompts frozen today stay unseen by every set that is built later.
    """
    return stable_hash(_LABEL, unit) % _ONE_IN == 0
