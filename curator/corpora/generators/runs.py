"""Runs of words: what checks for leakage look for, and what the two sides must not share."""

from __future__ import annotations

import re

LENGTH = 13
"""Words of a run, or Chinese characters."""


def runs(text: str, language: str) -> list[str]:
    """All runs of `LENGTH` words of a text without regard to case, or of as many Chinese characters."""
    units = re.findall(r"\w" if language == "zh" else r"\w+", text.lower())
    space = "" if language == "zh" else " "
    return [space.join(units[at : at + LENGTH]) for at in range(len(units) - LENGTH + 1)]
