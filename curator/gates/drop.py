"""Why a text was refused."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Drop:
    """A refusal: counted by ``reason``, shown with its ``detail``.

    Attributes:
        reason: short fixed word, such as ``random_text``.
        detail: the measured value against the limit, in words.
    """

    reason: str
    detail: str
