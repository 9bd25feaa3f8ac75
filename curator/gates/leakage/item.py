"""One item of an evaluation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EvalItem:
    """What a model is asked in an evaluation, or a held-out prompt.

    Attributes:
        id: what reports call it.
        text: all of it: question, context, choices, answer.
        asked: stretches of ``text`` that make it this item and no other, such as its question: what others quote
            too (a passage, a licence) is around them. Empty when that is all of the text.
    """

    id: str
    text: str
    asked: tuple[tuple[int, int], ...] = ()
