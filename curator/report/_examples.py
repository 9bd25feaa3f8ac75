"""A text among the examples of a page: its beginning, with what is to be said of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from curator.report.format import excerpt

EXCERPT = 400


def example(entry: Mapping[str, Any], notes: Iterable[object]) -> dict[str, Any]:
    """What the template's macro of the same name takes.

    Args:
        entry: holds the ``text``.
        notes: said above it; empty ones are left out.
    """
    text, cut = excerpt(entry.get("text") or "", EXCERPT)
    return {"notes": [str(note) for note in notes if note not in (None, "")], "text": text, "cut": cut}
