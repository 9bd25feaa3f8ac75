"""Lengths of time in words."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """A length of time for people: ``40 s``, ``12 min``, ``3.5 h``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def about(seconds: float) -> str:
    """One that is not known exactly: ``about 40 s``, ``about 4 min``, ``about 2.5 h``."""
    if seconds < 10:
        return "a few seconds"
    if seconds < 57.5:
        return f"about {5 * round(seconds / 5)} s"
    return "about 1 min" if seconds < 90 else f"about {duration(seconds)}"
