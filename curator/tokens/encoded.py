"""Token ids of one document, and what became of it on the way."""

from __future__ import annotations

from dataclasses import dataclass

REASONING_DROPPED = "reasoning dropped by the template"
TOOLS_IGNORED = "tools ignored by the template"
CONTROL_TEXT_KEPT = "control text kept as text"


@dataclass(frozen=True, slots=True)
class Encoded:
    """Token ids and notes.

    Attributes:
        ids: what reaches the model.
        notes: which of this module's notes hold, each once.
    """

    ids: list[int]
    notes: tuple[str, ...] = ()
